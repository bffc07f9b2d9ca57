// Assets in parts: small levels of a texture come first, within the budgets of whole assets.
#include "runtime/parts.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "assetc/formats/hman.hpp"
#include "assetc/runtime/source.hpp"

namespace assetc::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(PartsOf, a_texture_is_ready_with_its_small_levels_and_each_larger_one_is_a_read) {
  for (const char* path : {"plain.ktx2", "zstd.ktx2"})
    files.files[path] = Bytes(ktx2_of(std::string_view(path) == "zstd.ktx2"));
  start(kSmallReads);
  const AssetRef<TextureData> plain = manager->load<TextureData>(find("plain.ktx2"));
  // Levels 3 to 8, of 256 x 256 down to 4 x 4 and below, have 5460 bytes.
  expect_levels(plain, 3);
  finish();
  EXPECT_THAT(firsts, ElementsAre(3, 2, 1, 0));
  expect_levels(plain, 0);
  EXPECT_EQ(details, 3u);
  EXPECT_THAT(read_sizes("plain.ktx2"), ElementsAre(8192, 16384, 65536, 262144));
  firsts.clear();
  const AssetRef<TextureData> zstd = texture("zstd.ktx2");
  finish();
  EXPECT_THAT(firsts, ElementsAre(0)) << "the whole file fits in the first read";
  expect_levels(zstd, 0);
  settle();
  EXPECT_EQ(objects, 2u) << "replaced values were released";
  EXPECT_EQ(manager->stats().in_flight_bytes, 0u);
  EXPECT_THAT(failures, IsEmpty());
}

TEST_F(PartsOf, blobs_have_their_small_levels_at_their_end) {
  Cooked cooked;
  cooked.add(uuid(1), {AssetType::kTexture2D, "Demo/Brick", aas1_of(), {}, {}});
  cooked.put(files, "");
  Catalog catalog;
  ASSERT_TRUE(catalog.mount(files.source(), Layout::kCooked, ""));
  start(catalog, kSmallReads);
  const AssetRef<TextureData> brick = manager->load_async<TextureData>({.uuid = uuid(1)});
  finish();
  EXPECT_THAT(firsts, ElementsAre(3, 2, 1, 0));
  expect_levels(brick, 0);
  EXPECT_EQ(brick.get()->swizzle, "bgra");
  EXPECT_THAT(failures, IsEmpty());
}

TEST_F(PartsOf, a_request_says_the_finest_level_that_is_loaded) {
  files.files["a.ktx2"] = Bytes(ktx2_of(false));
  start(kSmallReads);
  const AssetRef<TextureData> a = manager->load_async<TextureData>("a.ktx2", LoadOptions{.level = 2});
  finish();
  EXPECT_THAT(firsts, ElementsAre(3, 2));
  expect_levels(a, 2);
  EXPECT_THAT(read_sizes("a.ktx2"), ElementsAre(8192, 16384));
  // A later request for more applies to all refs of the asset, and one that says nothing to none.
  const AssetRef<TextureData> same = manager->load_async<TextureData>("a.ktx2");
  finish();
  expect_levels(a, 2);
  const AssetRef<TextureData> finer = manager->load_async<TextureData>("a.ktx2", LoadOptions{.level = 1});
  finish();
  expect_levels(a, 1);
  EXPECT_EQ(finer.get(), a.get());
}

TEST_F(PartsOf, an_engine_asks_for_fewer_levels_and_gets_them_back) {
  files.files["a.ktx2"] = Bytes(ktx2_of(false));
  start(kSmallReads);
  const AssetRef<TextureData> a = texture("a.ktx2");
  a.want(2);
  finish();
  EXPECT_THAT(firsts, ElementsAre(3, 2));
  EXPECT_LT(read_bytes("a.ktx2"), 40'000u);
  a.want(0);
  finish();
  EXPECT_THAT(firsts, ElementsAre(3, 2, 1, 0));
  const std::uint64_t read = read_bytes("a.ktx2");
  a.want(2);
  finish();
  EXPECT_THAT(firsts, ElementsAre(3, 2, 1, 0, 2));
  expect_levels(a, 2);
  a.want(8);
  finish();
  expect_levels(a, 3);  // the first part is never dropped
  EXPECT_EQ(read_bytes("a.ktx2"), read) << "loaded parts are not read again";
  a.want(1);
  finish();
  expect_levels(a, 1);
  settle();
  EXPECT_EQ(manager->stats().gpu_bytes, a.gpu().size_bytes);
  EXPECT_EQ(objects, 1u);
}

TEST_F(PartsOf, levels_that_finalize_cleared_are_read_again_with_the_next_part) {
  files.files["a.ktx2"] = Bytes(ktx2_of(false));
  clears = true;
  start(kSmallReads);
  const AssetRef<TextureData> a = texture("a.ktx2");
  finish();
  EXPECT_THAT(firsts, ElementsAre(3, 2, 1, 0));
  EXPECT_EQ(a.gpu().size_bytes, 349'524u);
  settle();
  EXPECT_EQ(manager->stats().cpu_bytes, 0u);
  EXPECT_EQ(manager->stats().gpu_bytes, 349'524u);
}

TEST_F(PartsOf, urgent_ones_are_read_first_and_memory_in_flight_is_bounded) {
  for (const char* path : {"a.ktx2", "b.ktx2", "c.ktx2", "d.ktx2"}) files.files[path] = Bytes(ktx2_of(false));
  std::vector<std::string> order;
  std::map<std::string, AssetRef<TextureData>> refs;
  ManagerOptions options{.io_thread = false, .in_flight_bytes = 300'000};
  options.on_detail = [&](const AnyRef& asset) {
    for (const auto& [path, ref] : refs) {
      if (ref && ref.handle() == asset.handle() && ref.get()->first_level == 0) order.push_back(path);
    }
  };
  start(kSmallReads, std::move(options));
  for (const std::string path : {"a.ktx2", "b.ktx2", "c.ktx2", "d.ktx2"}) refs[path] = texture(path);
  manager->set_priority(refs["c.ktx2"], 5);
  refs["d.ktx2"] = {};
  settle();
  EXPECT_EQ(order.size(), 3u);
  EXPECT_EQ(order.front(), "c.ktx2");
  EXPECT_LE(manager->stats().peak_in_flight_bytes, 300'000u);
  EXPECT_EQ(manager->stats().cached, 0u) << "d was canceled";
}

TEST_F(PartsOf, a_callback_may_let_go_of_its_asset_and_load_others) {
  files.files["a.ktx2"] = files.files["b.ktx2"] = Bytes(ktx2_of(false));
  AssetRef<TextureData> a, b;
  ManagerOptions options{.io_thread = false};
  options.on_detail = [&](const AnyRef&) {
    if (!a) return;
    a = {};
    b = texture("b.ktx2");
  };
  start(kSmallReads, std::move(options));
  a = texture("a.ktx2");
  settle();
  EXPECT_FALSE(a);
  expect_levels(b, 0);
  EXPECT_LE(firsts.size(), 7u) << "a had two or three parts, b four";
}

TEST_F(PartsOf, the_finest_parts_of_the_least_urgent_go_where_a_budget_is_exceeded) {
  for (const char* path : {"a.ktx2", "b.ktx2", "c.ktx2"}) files.files[path] = Bytes(ktx2_of(false));
  clears = true;
  // Room for two whole textures of 349,524 bytes and for half of a third.
  start(kSmallReads, {.io_thread = false, .gpu_bytes = 900'000});
  const AssetRef<TextureData> a = texture("a.ktx2", 1), b = texture("b.ktx2", 2);
  settle();
  EXPECT_EQ(a.get()->first_level, 0u);
  EXPECT_EQ(b.get()->first_level, 0u);
  AssetRef<TextureData> c = texture("c.ktx2", 3);
  settle();
  EXPECT_EQ(c.get()->first_level, 0u) << "it takes the room of a less urgent one";
  EXPECT_EQ(b.get()->first_level, 0u);
  EXPECT_EQ(a.get()->first_level, 1u);
  EXPECT_LE(manager->stats().gpu_bytes, 900'000u);
  manager->set_priority(a, 9);
  settle();
  EXPECT_EQ(a.get()->first_level, 0u);
  EXPECT_EQ(b.get()->first_level, 1u) << "the least urgent one now";
  c = {};
  settle();
  EXPECT_EQ(b.get()->first_level, 0u) << "no ref holds c: the cache makes room";
  EXPECT_LE(manager->stats().gpu_bytes, 900'000u);
  EXPECT_THAT(failures, IsEmpty());
}

TEST_F(PartsOf, parts_beyond_the_first_stay_away_where_there_is_no_room) {
  for (const char* path : {"a.ktx2", "b.ktx2"}) files.files[path] = Bytes(ktx2_of(false));
  start(kSmallReads, {.io_thread = false, .gpu_bytes = 30'000});
  const AssetRef<TextureData> a = texture("a.ktx2"), b = texture("b.ktx2");
  settle();
  EXPECT_EQ(a.get()->first_level + b.get()->first_level, 5u) << "levels 2 and 3";
  EXPECT_LE(manager->stats().gpu_bytes, 30'000u);
  const std::size_t count = firsts.size();
  settle();
  EXPECT_EQ(firsts.size(), count) << "no part is evicted and loaded again";
}

TEST_F(PartsOf, every_part_is_loaded_anew) {
  files.files["a.ktx2"] = Bytes(ktx2_of(false));
  start(kSmallReads);
  const AssetRef<TextureData> a = texture("a.ktx2");
  a.want(1);
  finish();
  files.put("a.ktx2", Bytes(ktx2_of(true)));
  manager->changed({.written = {"a.ktx2"}});
  finish();
  EXPECT_THAT(firsts, ElementsAre(3, 2, 1, 1)) << "the value never becomes coarser meanwhile";
  EXPECT_EQ(reloads, 1u);
  expect_levels(a, 1);
  a.want(0);
  finish();
  expect_levels(a, 0);
  settle();
  EXPECT_EQ(objects, 1u);
}

TEST_F(PartsOf, a_change_in_the_middle_of_a_part_is_loaded_whole) {
  files.files["a.ktx2"] = Bytes(ktx2_of(false));
  start(kSmallReads);
  const AssetRef<TextureData> a = texture("a.ktx2");
  bool has_changed = false;
  files.before_read = [&](const ReadRequest& read) {
    if (read.size_bytes != 16384 || std::exchange(has_changed, true)) return;
    files.put("a.ktx2", Bytes(ktx2_of(true)));
    manager->changed({.written = {"a.ktx2"}});
  };
  finish();
  EXPECT_TRUE(has_changed);
  expect_levels(a, 0);
  EXPECT_GE(reloads, 1u);
  EXPECT_THAT(failures, IsEmpty());
}

// Without a reload, levels of the old and the new file would be mixed in one texture.
TEST_F(PartsOf, a_file_that_is_replaced_meanwhile_is_loaded_anew) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("assetc-parts-" + std::to_string(std::random_device()()));
  const auto replace = [&] {
    const ByteVector bytes = ktx2_of(false);
    std::ofstream(folder / "new", std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    std::filesystem::rename(folder / "new", folder / "a.ktx2");
  };
#ifdef _WIN32
  const std::vector<bool> mappings = {false};
#else
  const std::vector<bool> mappings = {false, true};
#endif
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "assets.hman", std::ios::binary) << as_text(hman::write({}).value());
  for (const bool is_mapped : mappings) {
    replace();
    Catalog catalog;
    ASSERT_TRUE(catalog.mount(folder.string(), {.mapped = is_mapped}));
    reloads = 0;
    bool has_changed = false;
    ManagerOptions options{.io_thread = false};
    options.on_detail = [&](const AnyRef&) {
      if (!std::exchange(has_changed, true)) replace();
    };
    start(catalog, kSmallReads, std::move(options));
    const AssetRef<TextureData> a = texture("a.ktx2");
    while (!a.is_ready() || a.get()->first_level > 0) manager->pump();
    EXPECT_TRUE(has_changed);
    EXPECT_EQ(reloads, 1u);
    expect_levels(a, 0);
    EXPECT_THAT(failures, IsEmpty());
    manager.reset();
  }
  std::filesystem::remove_all(folder);
}

TEST_F(PartsOf, a_part_that_fails_leaves_what_is_there) {
  files.files["a.ktx2"] = Bytes(ktx2_of(false));
  files.fault = [](const ReadRequest& read) { return read.size_bytes == 65536; };
  start(kSmallReads);
  const AssetRef<TextureData> a = texture("a.ktx2");
  settle();
  expect_levels(a, 2);
  ASSERT_NE(a.reload_failure(), nullptr);
  EXPECT_EQ(a.reload_failure()->fault, Fault::kIo);
  EXPECT_THAT(failures, ElementsAre(HasSubstr("a fault")));
  EXPECT_EQ(read_sizes("a.ktx2").size(), 3u) << "it is not retried";
  files.fault = {};
  manager->changed({.written = {"a.ktx2"}});
  settle();
  expect_levels(a, 0);
  EXPECT_EQ(a.reload_failure(), nullptr);
}

TEST_F(PartsOf, failures_are_told_once) {
  files.files["short.ktx2"] = Bytes(ktx2_of(false)).slice(0, 100'000);
  files.files["empty.ktx2"] = Bytes();
  files.files["a.hmesh"] = Bytes(hmesh::write(grid(4)).value());
  start(kSmallReads);
  const auto fault = [&](const std::string& path) {
    failures.clear();
    const AssetRef<TextureData> ref = texture(path);
    settle();
    EXPECT_EQ(failures.size(), 1u) << path;
    EXPECT_EQ(ref.state(), LoadState::kFailed);
    EXPECT_NE(ref.get_or_fallback(), nullptr);
    return failures.empty() ? "" : failures.front();
  };
  EXPECT_THAT(fault("short.ktx2"), HasSubstr("short.ktx2 ("));
  EXPECT_THAT(failures.front(), HasSubstr("corrupt"));
  EXPECT_THAT(failures.front(), HasSubstr("does not fit in the file of 100000 bytes"));
  EXPECT_THAT(fault("empty.ktx2"), HasSubstr("found no bytes"));
  EXPECT_THAT(fault("a.hmesh"), HasSubstr("wrong_type: is Mesh, but was requested as Texture2D"));
  EXPECT_THAT(fault("nothing.ktx2"), HasSubstr("missing"));
  EXPECT_THAT(firsts, IsEmpty());
}

TEST_F(PartsOf, the_bytes_that_a_first_read_inflates_to_are_bounded) {
  files.files["a.ktx2"] = Bytes(ktx2_of(true));
  // Levels 2 to 8 have 21844 bytes, level 1 65536.
  start({}, {.io_thread = false, .in_flight_bytes = 100'000});
  const AssetRef<TextureData> a = texture("a.ktx2");
  finish();
  EXPECT_THAT(firsts, ElementsAre(2, 1, 0));
  expect_levels(a, 0);
  EXPECT_GE(manager->stats().peak_in_flight_bytes, 262'144u) << "level 0, alone";
  start({}, {.io_thread = false, .in_flight_bytes = 100'000, .max_asset_bytes = 100'000});
  const AssetRef<TextureData> limited = texture("a.ktx2");
  settle();
  expect_levels(limited, 1);
  EXPECT_THAT(failures, ElementsAre(HasSubstr("limit: decodes to 262144 bytes, expected at most 100000")));
}

}  // namespace
}  // namespace assetc::runtime
