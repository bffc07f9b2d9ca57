// A manager on a cooked tree in memory whose assets are notes, and a log of its loader.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "assetc/runtime/manager.hpp"
#include "runtime/cooked.hpp"

namespace assetc::runtime {

struct Note {
  std::string text;
};

// The actions of a test's loaders, in order.
class Log {
 public:
  void add(std::string line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
  }
  std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

inline constexpr AssetType kRaw = AssetType::kRaw;
inline constexpr AssetType kMaterial = AssetType::kMaterial;

inline Result<Note> read_note(LoadInput& in) {
  ASSETC_TRY(const aas1::PayloadView view, aas1::PayloadView::open(in.bytes));
  return Note{std::string(as_text(view.payload()))};
}

inline Loader<Note> note_loader(Log& log) {
  return {.decode = [&log](LoadInput& in) -> Result<Note> {
            ASSETC_TRY(Note note, read_note(in));
            log.add("decode " + note.text);
            return note;
          },
          .finalize = [&log](Note& note, const AssetDesc&) -> Result<GpuObject> {
            log.add("finalize " + note.text);
            return GpuObject{note.text.size(), 10};
          },
          .release = [&log](const GpuObject& gpu) { log.add("release " + std::to_string(gpu.object)); }};
}

// A manager on the files of a cooked tree; by default all work happens in pump().
class Managers : public testing::Test {
 protected:
  void add(std::uint32_t number, std::string_view text, const std::vector<std::uint32_t>& hard = {},
           const std::vector<std::uint32_t>& soft = {}) {
    Cooked::Asset asset{kRaw, "Demo/Notes/" + std::to_string(number), raw_blob(text), {}, {}};
    for (const std::uint32_t other : hard) asset.hard.push_back(uuid(other));
    for (const std::uint32_t other : soft) asset.soft.push_back(uuid(other));
    cooked.add(uuid(number), std::move(asset));
  }
  Manager& start(ManagerOptions options = {.io_thread = false}, unsigned threads = 0) {
    cooked.put(files);
    Catalog catalog;
    const auto mounted = catalog.mount(files.source(threads), Layout::kCooked, "cooked");
    EXPECT_TRUE(mounted) << fault_text(mounted);
    options.on_failure = [this](const Failure& failure) { failures.push_back(failure.to_string()); };
    manager.emplace(std::move(catalog), std::move(options));
    return *manager;
  }
  Manager& start_notes(ManagerOptions options = {.io_thread = false}, unsigned threads = 0) {
    start(std::move(options), threads).add<Note>(kRaw, note_loader(log));
    return *manager;
  }
  AssetRef<Note> ask(std::uint32_t number, int priority = 0) {
    return manager->load_async<Note>({.uuid = uuid(number)}, priority);
  }
  void pump_until_done() {
    while (manager->stats().loading > 0) manager->pump({.time = std::chrono::seconds(1)});
  }
  // A frame with enough time for all work, on any machine.
  PumpReport pump_all() { return manager->pump({.time = std::chrono::seconds(60)}); }
  JobSystem start_pool(unsigned threads) {
    pool.emplace(threads);
    return pool->jobs();
  }
  std::string blob_path(std::uint32_t number) const { return "cooked/Assets/" + uuid(number).to_string() + ".bin"; }

  Cooked cooked;
  Files files;
  Log log;
  std::vector<std::string> failures;
  std::optional<ThreadPool> pool;  // must outlive the manager
  std::optional<Manager> manager;
};

}  // namespace assetc::runtime
