// The classes of the loader on a cooked tree in memory, without manager, threads or clock.
#pragma once

#include <string>
#include <vector>

#include "runtime/cooked.hpp"
#include "runtime/loader/decodes.hpp"
#include "runtime/loader/graph.hpp"
#include "runtime/loader/reads.hpp"
#include "runtime/loader/reloads.hpp"
#include "runtime/notes.hpp"

namespace assetc::runtime {

inline constexpr std::uint64_t kMiB = 1u << 20;

class Records : public testing::Test {
 protected:
  void TearDown() override {
    for (Record* record : all) graph->free(*record);
  }
  void add(std::uint32_t number, std::string_view text, const std::vector<std::uint32_t>& hard = {}) {
    Cooked::Asset asset{kRaw, "Demo/Notes/" + std::to_string(number), raw_blob(text), {}, {}};
    for (const std::uint32_t other : hard) asset.hard.push_back(uuid(other));
    cooked.add(uuid(number), std::move(asset));
  }
  Graph& start(const Residency::Limits& limits = {kMiB, kMiB, kMiB}) {
    cooked.put(files);
    Catalog catalog;
    EXPECT_TRUE(catalog.mount(files.source(), Layout::kCooked, "cooked"));
    residency.emplace(limits);
    graph.emplace(nullptr, *residency, std::move(catalog));
    graph->add(kRaw, erase(note_loader(log)));
    return *graph;
  }
  // Makes a record that is held; `made` lists the new records that it needs.
  Record& make(std::uint32_t number, int priority = 0) {
    made.clear();
    Record& record = graph->find_or_create(graph->find_in_catalog({.uuid = uuid(number)}), priority, 0, made);
    for (const Graph::Made& one : made) all.push_back(one.record);
    return record;
  }
  // Makes the record ready, with these sizes.
  void load(Record& record, std::uint64_t cpu_bytes, std::uint64_t gpu_bytes) {
    record.become(stage::Done{});
    record.cpu_bytes = cpu_bytes;
    record.loaded = new Loaded{nullptr, {.object = 1, .size_bytes = gpu_bytes}};
    record.state = LoadState::kReady;
    graph->stopped_loading();
    residency->add(record);
  }

  // Releases the record, so that it is only cached.
  void idle(Record& record) {
    residency->release(record);
    EXPECT_EQ(residency->take_idle(), &record);
    residency->cache(record);
  }

  Cooked cooked;
  Files files;
  Log log;
  std::optional<Residency> residency;
  std::optional<Graph> graph;
  std::vector<Record*> all;
  std::vector<Graph::Made> made;
};

}  // namespace assetc::runtime
