// Machines that share a fake server, and products for it.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/fake_clock.hpp"
#include "engine/fake_disk.hpp"
#include "engine/fake_server.hpp"
#include "engine/remote/remote_store.hpp"
#include "engine/store/layered_store.hpp"
#include "engine/store/local_store.hpp"

namespace assetc::engine {

// The stores of one machine.
struct Machine {
  explicit Machine(FakeServer& server,
                   RemoteSettings settings = {.endpoint = {.url = "http://cache"}, .writes = true}) {
    auto opened = LocalStore::open(disk, {.path = "cache"});
    local = std::move(*opened);
    remote = std::make_unique<RemoteStore>(std::move(settings), server.connect(), *local, clock);
    layered.emplace(*local, *remote);
  }
  // The same as at the end of a build.
  RemoteStore::Summary finish() {
    RemoteStore::Summary summary = remote->finish([](std::size_t) {});
    (void)local->finish();
    return summary;
  }
  std::string trouble() {
    const RemoteStore::Summary summary = finish();
    return summary.trouble ? summary.trouble->to_string() : "";
  }

  FakeDisk disk;
  FakeClock clock;
  std::unique_ptr<LocalStore> local;
  std::optional<LayeredStore> layered;
  std::unique_ptr<RemoteStore> remote;  // destroyed first, because it reports to the other stores
};

inline std::optional<FoundProducts> get(Store& store, const ProductQuery& query) {
  std::promise<std::optional<FoundProducts>> answer;
  store.get(query, [&](std::optional<FoundProducts> found) { answer.set_value(std::move(found)); });
  return answer.get_future().get();
}

// Returns nothing if no valid blob came.
inline std::optional<PackedBlob> get_blob(Store& store, const ContentHash& hash, std::uint64_t size_bytes) {
  std::optional<PackedBlob> kept;
  std::promise<void> ended;
  store.get_blob(
      {.hash = hash, .size_bytes = size_bytes}, [&](const PackedBlob& blob) { kept = blob; },
      [&] { ended.set_value(); });
  ended.get_future().wait();
  return kept;
}

// A product of a step: a small output, and one in a blob.
struct AProduct {
  explicit AProduct(const std::string& text, bool has_blob = false) : key(content_hash(as_bytes("key of " + text))) {
    record.recipe = "picture";
    record.stem = record.source = "s";
    add(".a", text);
    // Text that does not compress.
    std::string large = text;
    for (std::uint32_t random = 1; has_blob && large.size() < 2 * kInlineBytes;)
      large += static_cast<char>((random = random * 1664525 + 1013904223) >> 24);
    if (has_blob) add(".b", large);
  }
  void add(std::string_view suffix, std::string_view text) {
    const ByteSpan span = as_bytes(text);
    const Bytes bytes(ByteVector(span.begin(), span.end()));
    record.outputs.push_back({suffix, content_hash(bytes), {.size_bytes = bytes.size()}, {}});
    small.push_back(bytes.size() <= kInlineBytes ? bytes : Bytes());
    outputs.push_back(bytes);
  }
  void put_into(Store& store, double seconds = 1, std::optional<ContentHash> batch = {}) const {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].size() > kInlineBytes) store.put_blob(record.outputs[i].hash, outputs[i]);
    }
    store.put({key, record, small, seconds, batch});
  }
  const OutputRecord& blob() const { return record.outputs.at(1); }
  bool is(const StoredProduct& found) const {
    if (found.record().outputs.size() != record.outputs.size()) return false;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (found.record().outputs[i].hash != record.outputs[i].hash || as_text(found.small()[i]) != as_text(small[i]))
        return false;
    }
    return true;
  }

  ContentHash key;
  StepRecord record;
  std::vector<Bytes> small, outputs;
};

}  // namespace assetc::engine
