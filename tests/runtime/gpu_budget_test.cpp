// One GPU budget over whole assets and assets in parts.
#include <atomic>
#include <chrono>
#include <thread>

#include "runtime/gate.hpp"
#include "runtime/parts.hpp"

namespace assetc::runtime {
namespace {

using testing::IsEmpty;

constexpr AssetType kSolidType = kFirstEngineType;
constexpr std::uint64_t kKiB = 1024;

// An asset whose device object has as many bytes as its file.
struct Solid {
  Bytes bytes;
};

class GpuBudgets : public PartsOf {
 protected:
  void begin(std::uint64_t gpu_bytes, ManagerOptions options = {.io_thread = false}, unsigned threads = 0) {
    files.files["a.ktx2"] = Bytes(ktx2_of(false));
    files.files["b.ktx2"] = Bytes(ktx2_of(false));
    options.gpu_bytes = gpu_bytes;
    start(kSmallReads, std::move(options), threads);
    Loader<Solid> loader;
    loader.decode = [](LoadInput& in) -> Result<Solid> { return Solid{in.bytes}; };
    loader.gpu_bytes = [](const Solid& solid) -> std::uint64_t { return solid.bytes.size(); };
    loader.finalize = [](Solid& solid, const AssetDesc&) -> Result<GpuObject> {
      return GpuObject{1, solid.bytes.size()};
    };
    manager->add<Solid>(kSolidType, std::move(loader));
  }
  void put_solid(const std::string& path, std::uint64_t size) { files.files[path] = Bytes(ByteVector(size)); }
  AssetRef<Solid> solid(const std::string& path, int priority = 0) {
    AssetHandle asset = find(path);
    asset.type = kSolidType;
    return manager->load_async<Solid>(asset, priority);
  }
  // Pumps until nothing loads, and returns the largest sum of bytes that were in use.
  std::uint64_t peak() {
    std::uint64_t most = 0;
    for (int i = 0; i < 40; ++i) {
      manager->pump({.time = std::chrono::seconds(60)});
      most = std::max(most, manager->stats().gpu_in_use_bytes);
    }
    EXPECT_EQ(manager->stats().loading, 0u);
    return most;
  }
};

TEST_F(GpuBudgets, a_whole_asset_makes_a_texture_coarser_before_it_is_created) {
  put_solid("solid.bin", 200 * kKiB);
  begin(400 * kKiB);
  const AssetRef<TextureData> fine = texture("a.ktx2");
  EXPECT_LE(peak(), 400 * kKiB);
  EXPECT_EQ(fine.get()->first_level, 0u);
  std::optional<AssetRef<Solid>> more = solid("solid.bin");
  EXPECT_LE(peak(), 400 * kKiB);
  EXPECT_TRUE(more->is_ready());
  EXPECT_EQ(fine.get()->first_level, 1u);
  EXPECT_EQ(manager->stats().coarser, 1u);
  EXPECT_GT(manager->stats().gpu_detail_bytes, 64 * kKiB);
  EXPECT_EQ(manager->stats().gpu_limit_bytes, 400 * kKiB);
  // The room is used again.
  more.reset();
  EXPECT_LE(peak(), 400 * kKiB);
  EXPECT_EQ(fine.get()->first_level, 0u);
  EXPECT_EQ(manager->stats().coarser, 0u);
  EXPECT_THAT(failures, IsEmpty());
}

TEST_F(GpuBudgets, a_mesh_becomes_coarser_too) {
  const ByteVector mesh_file = hmesh::write(grid(64)).value();
  files.files["grid.hmesh"] = Bytes(mesh_file);
  put_solid("solid.bin", 50 * kKiB);
  mesh_bytes = [](const MeshData& one) { return one.bytes.size(); };
  const std::uint64_t budget = mesh_file.size() + 30 * kKiB;
  begin(budget);
  const AssetRef<MeshData> fine = mesh("grid.hmesh");
  EXPECT_LE(peak(), budget);
  ASSERT_TRUE(fine.is_ready());
  EXPECT_EQ(fine.get()->lod, 0u);
  std::optional<AssetRef<Solid>> more = solid("solid.bin", 1);
  EXPECT_LE(peak(), budget);
  EXPECT_TRUE(more->is_ready());
  EXPECT_GT(fine.get()->lod, 0u);
  EXPECT_EQ(manager->stats().coarser, 1u);
  more.reset();
  EXPECT_LE(peak(), budget);
  EXPECT_EQ(fine.get()->lod, 0u);
  EXPECT_THAT(failures, IsEmpty());
}

TEST_F(GpuBudgets, an_asset_that_an_engine_wants_coarser_leaves_its_room_to_others) {
  begin(400 * kKiB);
  const AssetRef<TextureData> a = texture("a.ktx2"), b = texture("b.ktx2");
  EXPECT_LE(peak(), 400 * kKiB);
  EXPECT_GT(a.get()->first_level + b.get()->first_level, 0u) << "both do not fit";
  a.want(2);
  EXPECT_LE(peak(), 400 * kKiB);
  EXPECT_EQ(a.get()->first_level, 2u);
  EXPECT_EQ(b.get()->first_level, 0u);
  EXPECT_EQ(manager->stats().coarser, 0u);
  a.want(0);
  b.want(2);
  EXPECT_LE(peak(), 400 * kKiB);
  EXPECT_EQ(a.get()->first_level, 0u);
  EXPECT_EQ(b.get()->first_level, 2u);
}

TEST_F(GpuBudgets, the_lowest_priority_becomes_coarser_and_no_asset_in_use_is_dropped) {
  for (const char* path : {"1.bin", "2.bin", "3.bin"}) put_solid(path, 150 * kKiB);
  begin(800 * kKiB);
  const AssetRef<TextureData> near = texture("a.ktx2", 5), far = texture("b.ktx2", 1);
  peak();
  ASSERT_EQ(near.get()->first_level + far.get()->first_level, 0u);
  std::vector<AssetRef<Solid>> all;
  for (const char* path : {"1.bin", "2.bin", "3.bin"}) {
    all.push_back(solid(path));
    EXPECT_LE(peak(), 800 * kKiB) << path;
    EXPECT_EQ(near.get()->first_level, 0u) << path;
    EXPECT_GT(far.get()->first_level, 0u) << path;
  }
  for (const AssetRef<Solid>& one : all) EXPECT_TRUE(one.is_ready());
  // Priorities may change, as the sizes on the screen do.
  manager->set_priority(near, 0);
  manager->set_priority(far, 9);
  EXPECT_LE(peak(), 800 * kKiB);
  EXPECT_GT(near.get()->first_level, 0u);
  EXPECT_EQ(far.get()->first_level, 0u);
}

TEST_F(GpuBudgets, assets_that_load_at_once_stay_within_the_budget) {
  for (const char* path : {"1.bin", "2.bin", "3.bin", "4.bin"}) put_solid(path, 90 * kKiB);
  begin(500 * kKiB, {.io_thread = false, .in_flight_bytes = 300 * kKiB});
  std::vector<AnyRef> all = {texture("a.ktx2"), texture("b.ktx2")};
  for (const char* path : {"1.bin", "2.bin", "3.bin", "4.bin"}) all.push_back(solid(path));
  EXPECT_LE(peak(), 500 * kKiB);
  for (const AnyRef& one : all) EXPECT_TRUE(one.is_ready());
}

TEST_F(GpuBudgets, if_nothing_can_become_coarser_the_asset_exceeds_the_budget) {
  put_solid("solid.bin", 500 * kKiB);
  begin(100 * kKiB);
  const AssetRef<TextureData> fine = texture("a.ktx2");
  const AssetRef<Solid> more = solid("solid.bin");
  EXPECT_GE(peak(), 500 * kKiB);
  EXPECT_TRUE(more.is_ready());
  EXPECT_TRUE(fine.is_ready());
  EXPECT_EQ(manager->stats().waiting_for_room, 0u);
}

TEST_F(GpuBudgets, a_finer_part_waits_until_a_coarser_one_has_made_room) {
  Gate gate;
  std::atomic<bool> is_held = false;
  files.before_read = [&](const ReadRequest& read) {
    if (is_held && read.path == "a.ktx2") gate.wait();
  };
  clears = true;  // so that coarser levels are read again
  begin(400 * kKiB, {}, 2);
  const AssetRef<TextureData> a = texture("a.ktx2", 5), b = texture("b.ktx2", 1);
  const auto pump = [&] {
    manager->pump({.time = std::chrono::seconds(60)});
    EXPECT_LE(manager->stats().gpu_in_use_bytes, 400 * kKiB);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  while (!a.is_ready() || !b.is_ready() || a.get()->first_level != 0) pump();
  is_held = true;
  manager->set_priority(a, 0);
  manager->set_priority(b, 9);
  for (int i = 0; i < 2000 && manager->stats().waiting_for_room == 0; ++i) pump();
  EXPECT_EQ(manager->stats().waiting_for_room, 1u);
  gate.open();
  while (b.get()->first_level != 0) pump();
  EXPECT_GT(a.get()->first_level, 0u);
}

TEST_F(GpuBudgets, a_coarser_level_may_take_more_memory_than_the_finest) {
  clears_finest = true;
  begin(450 * kKiB);
  const AssetRef<TextureData> a = texture("a.ktx2", 5), b = texture("b.ktx2", 1);
  for (int round = 0; round < 4; ++round) {
    const bool is_a = round % 2 == 0;
    manager->set_priority(a, is_a ? 9 : 0);
    manager->set_priority(b, is_a ? 0 : 9);
    EXPECT_LE(peak(), 450 * kKiB);
    EXPECT_EQ((is_a ? a : b).get()->first_level, 0u) << round;
    EXPECT_GT((is_a ? b : a).get()->first_level, 0u) << round;
  }
}

TEST_F(GpuBudgets, a_part_that_waits_for_room_leaves_memory_to_read_coarser_ones) {
  clears = true;
  begin(400 * kKiB, {.io_thread = false, .in_flight_bytes = 50 * kKiB});
  const AssetRef<TextureData> a = texture("a.ktx2", 5), b = texture("b.ktx2", 1);
  EXPECT_LE(peak(), 400 * kKiB);
  ASSERT_EQ(a.get()->first_level, 0u);
  manager->set_priority(a, 0);
  manager->set_priority(b, 9);
  EXPECT_LE(peak(), 400 * kKiB);
  EXPECT_EQ(b.get()->first_level, 0u);
  EXPECT_GT(a.get()->first_level, 0u);
  EXPECT_EQ(manager->stats().in_flight_bytes, 0u);
}

TEST_F(GpuBudgets, an_asset_that_waits_for_room_leaves_memory_to_read_coarser_parts) {
  clears = true;
  put_solid("solid.bin", 300 * kKiB);
  begin(400 * kKiB, {.io_thread = false, .in_flight_bytes = 50 * kKiB});
  const AssetRef<TextureData> a = texture("a.ktx2");
  peak();
  ASSERT_EQ(a.get()->first_level, 0u);
  const AssetRef<Solid> more = solid("solid.bin");
  EXPECT_LE(peak(), 400 * kKiB);
  EXPECT_TRUE(more.is_ready());
  EXPECT_EQ(manager->stats().in_flight_bytes, 0u);
}

TEST_F(GpuBudgets, an_asset_does_not_wait_for_a_coarser_level_that_fails) {
  put_solid("solid.bin", 300 * kKiB);
  clears = true;  // so that coarser levels are read again
  begin(400 * kKiB);
  const AssetRef<TextureData> fine = texture("a.ktx2");
  peak();
  files.remove("a.ktx2");
  const AssetRef<Solid> more = solid("solid.bin");
  peak();
  EXPECT_TRUE(more.is_ready());
  EXPECT_EQ(fine.get()->first_level, 0u);
  EXPECT_NE(fine.reload_failure(), nullptr);
  EXPECT_EQ(manager->stats().gpu_detail_bytes, 0u);
  // After a reload it becomes coarser again.
  files.put("a.ktx2", Bytes(ktx2_of(false)));
  manager->changed({.written = {"a.ktx2"}});
  peak();
  EXPECT_GT(fine.get()->first_level, 0u);
  EXPECT_LE(manager->stats().gpu_in_use_bytes, 400 * kKiB);
}

TEST_F(GpuBudgets, load_does_not_wait_for_room_and_the_next_pumps_make_it) {
  put_solid("solid.bin", 300 * kKiB);
  begin(400 * kKiB);
  const AssetRef<TextureData> fine = texture("a.ktx2");
  peak();
  AssetHandle asset = find("solid.bin");
  asset.type = kSolidType;
  const AssetRef<Solid> more = manager->load<Solid>(asset);
  EXPECT_TRUE(more.is_ready());
  peak();
  EXPECT_LE(manager->stats().gpu_in_use_bytes, 400 * kKiB);
}

// An inserted value is whole, also if its type loads in parts.
TEST_F(GpuBudgets, an_inserted_value_replaces_an_asset_in_parts) {
  put_solid("solid.bin", 500 * kKiB);
  begin(400 * kKiB);
  const AssetRef<TextureData> fine = texture("a.ktx2");
  peak();
  const AssetRef<TextureData> inserted =
      manager->insert<TextureData>(fine.handle(), texture_loader().fallback(AssetType::kTexture2D));
  const AssetRef<Solid> more = solid("solid.bin");
  peak();  // nothing can become coarser
  EXPECT_EQ(fine.get()->levels[0].width_texels, 8u);
  EXPECT_TRUE(more.is_ready());
  EXPECT_EQ(manager->stats().gpu_detail_bytes, 0u);
  EXPECT_EQ(manager->stats().coarser, 0u);
}

TEST_F(GpuBudgets, an_asset_that_waits_for_room_may_be_canceled) {
  put_solid("solid.bin", 300 * kKiB);
  begin(400 * kKiB);
  const AssetRef<TextureData> fine = texture("a.ktx2");
  peak();
  std::optional<AssetRef<Solid>> more = solid("solid.bin");
  manager->pump({.time = std::chrono::seconds(60)});
  EXPECT_EQ(manager->stats().waiting_for_room, 1u);
  more.reset();
  peak();
  EXPECT_EQ(fine.get()->first_level, 0u);
  EXPECT_EQ(manager->stats().in_flight_bytes, 0u);
}

}  // namespace
}  // namespace assetc::runtime
