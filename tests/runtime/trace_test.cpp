#include "assetc/runtime/trace.hpp"

#include <gmock/gmock.h>

#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "assetc/runtime/all_loaders.hpp"
#include "assetc/runtime/assets.hpp"
#include "runtime/cooked.hpp"

namespace assetc::runtime {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Pair;

// Checks all events against the rules of TraceEvent.
struct Events {
  std::mutex mutex;
  std::map<std::thread::id, std::vector<std::string>> open;
  std::set<std::uint64_t> reads;
  std::map<std::string, int> counts;
  std::map<std::string, std::uint64_t> counters;
  std::vector<std::string> decoded;
  std::set<std::string> waits;

  Tracer tracer() {
    return {this, [](void* context, const TraceEvent& event) { static_cast<Events*>(context)->say(event); }};
  }
  void say(const TraceEvent& event) {
    const std::lock_guard lock(mutex);
    std::vector<std::string>& stack = open[std::this_thread::get_id()];
    switch (event.kind) {
      case TraceEvent::Kind::kBegin:
        stack.emplace_back(event.name);
        ++counts[event.name];
        if (stack.back() == "decode") decoded.emplace_back(event.detail);
        break;
      case TraceEvent::Kind::kEnd:
        ASSERT_FALSE(stack.empty());
        EXPECT_EQ(stack.back(), event.name);
        stack.pop_back();
        break;
      case TraceEvent::Kind::kAsyncBegin:
        EXPECT_TRUE(reads.insert(event.value).second);
        ++counts[event.name];
        break;
      case TraceEvent::Kind::kAsyncEnd:
        EXPECT_EQ(reads.erase(event.value), 1u);
        break;
      case TraceEvent::Kind::kCounter:
        counters[event.name] = event.value;
        break;
      case TraceEvent::Kind::kWaits:
        waits.insert(std::string(event.name) + " " + std::string(event.detail) + " " + std::to_string(event.value));
        break;
    }
  }
};

class Trace : public testing::Test {
 protected:
  void mount() {
    cooked.put(files, "");
    ASSERT_TRUE(catalog.mount(files.source(2), Layout::kCooked, ""));
  }
  void expect_all_ended() const {
    EXPECT_THAT(log.reads, IsEmpty());
    for (const auto& [thread, stack] : log.open) EXPECT_THAT(stack, IsEmpty());
  }

  Files files;
  Cooked cooked;
  Catalog catalog;
  Events log;
  ThreadPool pool{2};
};

// Levels of 64 to 16 texels.
ByteVector mips_blob() {
  std::vector<ByteVector> levels;
  for (const std::size_t side : {64, 32, 16}) levels.emplace_back(side * side * 4, std::byte{0x55});
  aas1::Texture texture;
  texture.width_texels = texture.height_texels = 64;
  for (const ByteVector& level : levels) texture.levels.emplace_back(level);
  return aas1::write(texture).value();
}

TEST_F(Trace, what_begins_ends_and_counters_are_those_of_the_manager) {
  cooked.add(uuid(1), {AssetType::kTexture2D, "Demo/Brick", texture_blob(), {}, {}});
  cooked.add(uuid(2), {AssetType::kMaterial, "Demo/Wall", material_blob({uuid(1)}), {uuid(1)}, {}});
  mount();
  {
    Manager manager(catalog, {.jobs = pool.jobs(), .trace = log.tracer()});
    Loaders loaders;
    loaders.texture.finalize = [](TextureData&, const AssetDesc&) -> Result<GpuObject> { return GpuObject{1, 77}; };
    add_loaders(manager, loaders);
    ASSERT_TRUE(manager.load<MaterialData>({.uuid = uuid(2)}).is_ready());
    manager.pump();
    EXPECT_EQ(log.counters["gpu_bytes"], 77u);
    EXPECT_EQ(log.counters["cpu_bytes"], manager.stats().cpu_bytes);
    EXPECT_EQ(log.counters["loading"], 0u);
    EXPECT_EQ(log.counters["in_flight_bytes"], 0u);
  }
  expect_all_ended();
  EXPECT_THAT(log.counts, Contains(Pair("decode", 2)));
  EXPECT_THAT(log.counts, Contains(Pair("finalize", 1)));
  EXPECT_THAT(log.counts, Contains(Pair("pump", 1)));
  EXPECT_GE(log.counts["read"], 2);
  EXPECT_THAT(log.decoded, testing::UnorderedElementsAre("Demo/Brick", "Demo/Wall"));
}

TEST_F(Trace, names_what_the_most_urgent_asset_of_a_queue_waits_for) {
  for (std::uint32_t i = 1; i <= 3; ++i)
    cooked.add(uuid(i), {AssetType::kRaw, "Demo/" + std::to_string(i), raw_blob("data"), {}, {}});
  cooked.put(files, "");
  const auto hour = std::chrono::hours(1);
  files.fault = [](const ReadRequest& read) { return read.path.starts_with("Assets/"); };
  const RetryPolicy policy{.retries = 1, .first_delay = hour, .longest_delay = hour};
  ASSERT_TRUE(catalog.mount(files.source(0, policy), Layout::kCooked, ""));
  Manager manager(catalog, {.io_thread = false, .trace = log.tracer()});
  add_loaders(manager, Loaders{});
  std::vector<AssetRef<RawData>> refs;
  for (std::uint32_t i = 1; i <= 3; ++i)
    refs.push_back(manager.load_async<RawData>({.uuid = uuid(i)}, static_cast<int>(i)));
  manager.pump({.time = std::chrono::seconds(60)});
  EXPECT_THAT(log.waits, testing::ElementsAre("retry Demo/3 3"));
}

TEST_F(Trace, every_part_is_traced_as_an_asset_is) {
  cooked.add(uuid(1), {AssetType::kTexture2D, "Demo/Brick", mips_blob(), {}, {}});
  mount();
  {
    Manager manager(catalog, {.jobs = pool.jobs(), .trace = log.tracer()});
    Loaders loaders{.texture = texture_loader({}, {.first_read_bytes = 1024})};
    loaders.texture.finalize = [](TextureData&, const AssetDesc&) -> Result<GpuObject> { return GpuObject{1, 77}; };
    add_loaders(manager, loaders);
    const auto brick = manager.load<TextureData>({.uuid = uuid(1)});
    ASSERT_TRUE(brick.is_ready());
    while (brick.get()->first_level > 0) manager.pump();
    brick.want(2);
    manager.pump();  // destroyed with a load in progress
  }
  expect_all_ended();
  EXPECT_GE(log.counts["decode"], 3);
  EXPECT_GE(log.counts["finalize"], 3);
  EXPECT_GE(log.counts["read"], 4);
  EXPECT_THAT(log.decoded, testing::Each("Demo/Brick"));
}

}  // namespace
}  // namespace assetc::runtime
