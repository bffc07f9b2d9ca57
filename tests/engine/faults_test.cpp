// Builds that are killed, find no space, may not write, meet another build or a damaged cache.
#include "engine/engine_fixture.hpp"
#include "engine/state/cache.hpp"

namespace assetc::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kCache = "runtime/.assetc-cache";

class Faults : public Engine {
 protected:
  void project() {
    disk.put("assets/a.model", "inside p red\nnormal q blue\nclip\npicture w.pic\n");
    disk.put("assets/w.pic", "wood");
    disk.put("assets/deep/b.pic", "sky");
    disk.put("assets/c.set/1", "one");
  }
  // Edits that touch everything a build can do: change, add, rename, remove.
  void edit() {
    disk.put("assets/a.model", "inside p green\npicture w.pic\n");
    disk.move("assets/deep/b.pic", "assets/other/b.pic");
    disk.erase("assets/c.set/1");
    disk.put("assets/new.pic", "new");
  }
};

TEST_F(Faults, killed_at_any_write_of_the_first_build_the_next_is_right) {
  options.jobs = 1;
  for (std::int64_t k = 0;; ++k) {
    SCOPED_TRACE("killed before write " + std::to_string(k));
    disk.remove_all("runtime");
    disk.remove_all("assets");
    project();
    disk.crash_after(k);
    (void)try_build();
    const bool finished = !disk.crashed();
    disk.reboot();
    edit();  // sources that the killed build published are gone now
    build();
    expect_tree_as_clean();
    EXPECT_THAT(why(build()), IsEmpty());
    if (finished || HasFailure()) break;
    ASSERT_LT(k, 1000);
  }
}

TEST_F(Faults, killed_at_any_write_of_a_later_build_the_next_is_right) {
  options.jobs = 1;
  for (std::int64_t k = 0;; ++k) {
    SCOPED_TRACE("killed before write " + std::to_string(k));
    disk.remove_all("runtime");
    disk.remove_all("assets");
    project();
    build();
    edit();
    disk.crash_after(k);
    (void)try_build();
    const bool finished = !disk.crashed();
    disk.reboot();
    build();
    expect_tree_as_clean();
    if (finished || HasFailure()) break;
    ASSERT_LT(k, 1000);
  }
}

TEST_F(Faults, killed_and_killed_again_the_next_is_right) {
  options.jobs = 1;
  for (std::int64_t k = 1; k < 60; k += 3) {
    SCOPED_TRACE(k);
    disk.remove_all("runtime");
    disk.remove_all("assets");
    project();
    build();
    edit();
    for (std::int64_t again = k; again > 0; again /= 2) {
      disk.crash_after(again);
      (void)try_build();
      disk.reboot();
    }
    build();
    expect_tree_as_clean();
  }
}

TEST_F(Faults, after_a_power_cut_outputs_are_compared_by_their_bytes) {
  project();
  build();
  edit();
  disk.crash_after(20);
  (void)try_build();
  ASSERT_TRUE(disk.crashed());
  disk.reboot(true);
  // What a file system may do: the name and the size reached the disk, the bytes did not. Stamps as recorded.
  for (const std::string& path : disk.paths_below("runtime")) {
    if (path.ends_with(".ktx2")) {
      disk.zero("runtime/" + path);
      break;
    }
  }
  build();
  expect_tree_as_clean();
}

TEST_F(Faults, a_full_disk_stops_the_build_with_a_message_and_the_next_is_right) {
  options.jobs = 1;
  bool met_full = false;
  for (std::int64_t k = 0; k < 200; ++k) {
    SCOPED_TRACE("full after write " + std::to_string(k));
    disk.remove_all("runtime");
    disk.remove_all("assets");
    project();
    build();
    edit();
    disk.fill_after(k);
    const auto report = try_build();
    disk.make_room();
    if (!report) {
      met_full = true;
      EXPECT_THAT(report.error().to_string(), HasSubstr("No space left on device"));
      EXPECT_THAT(report.error().to_string(), HasSubstr("free some space and build again"));
    }
    build();
    expect_tree_as_clean();
    if (report && report->ok) break;
    if (HasFailure()) break;
  }
  EXPECT_TRUE(met_full);
}

TEST_F(Faults, a_read_only_output_is_an_error_that_says_so) {
  project();
  build();
  edit();
  disk.read_only = true;
  const auto report = try_build();
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().to_string(), HasSubstr("Read-only file system; check who may read and write there"));
  disk.read_only = false;
  build();
  expect_tree_as_clean();
}

TEST_F(Faults, a_second_build_in_the_same_output_is_refused_and_names_the_first) {
  project();
  auto held = disk.lock(std::string(kCache) + ".lock");
  ASSERT_TRUE(held);
  const auto report = try_build();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kConflict);
  EXPECT_THAT(report.error().to_string(),
              HasSubstr("another build (process 4242) is writing this output; wait for it"));
  held->reset();
  build();
}

TEST_F(Faults, a_deleted_cache_costs_a_rebuild_and_nothing_else) {
  project();
  build();
  const auto before = disk.tree("runtime");
  const auto stamp = disk.mtime_ns("runtime/w.ktx2");
  disk.erase(kCache);
  const Report report = build();
  EXPECT_EQ(report.totals.cached, 0u);
  EXPECT_EQ(report.totals.files_written, 0u);
  EXPECT_EQ(disk.mtime_ns("runtime/w.ktx2"), stamp);
  EXPECT_EQ(disk.tree("runtime"), before);
}

TEST_F(Faults, a_source_removed_while_the_cache_is_lost_leaves_no_output) {
  project();
  build();
  disk.erase(kCache);
  edit();
  build();
  expect_tree_as_clean();
}

TEST_F(Faults, a_cache_with_flipped_bits_heals_with_one_warning_at_most) {
  project();
  build();
  const std::string whole = disk.text(kCache);
  for (std::size_t at = 0; at < whole.size(); at += 397) {
    SCOPED_TRACE("byte " + std::to_string(at));
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    disk.put(kCache, damaged);
    disk.put("assets/deep/b.pic", "sky " + std::to_string(at));
    const Report report = build();
    EXPECT_LE(report.diagnostics.size(), 1u) << messages(report);
    expect_tree_as_clean();
    const Report next = build();
    EXPECT_THAT(next.diagnostics, IsEmpty());
    EXPECT_THAT(why(next), IsEmpty());
    if (HasFailure()) break;
  }
}

TEST_F(Faults, a_cache_cut_short_heals_with_one_warning) {
  project();
  build();
  const std::string whole = disk.text(kCache);
  std::size_t warned = 0;
  for (std::size_t size = 1; size < whole.size(); size += 1777) {
    SCOPED_TRACE(size);
    disk.put(kCache, whole.substr(0, size));
    disk.put("assets/deep/b.pic", "sky " + std::to_string(size));
    const Report report = build();
    EXPECT_LE(report.diagnostics.size(), 1u);
    warned += report.diagnostics.size();
    expect_tree_as_clean();
    EXPECT_THAT(build().diagnostics, IsEmpty());
    if (HasFailure()) break;
  }
  EXPECT_GT(warned, 10u);
}

TEST_F(Faults, a_cache_of_another_version_is_dropped_with_one_warning) {
  project();
  build();
  {
    auto cache = Cache::open(disk, kCache, false);
    ASSERT_TRUE(cache);
    ASSERT_TRUE((*cache)->set("version", object_bytes(std::uint64_t{99})));
  }
  const Report report = build();
  EXPECT_EQ(messages(report), std::string(kCache) +
                                  ": the build cache is dropped because it was written by another version of assetc; "
                                  "everything is checked again\n");
  EXPECT_EQ(report.totals.cached, 0u);
  EXPECT_EQ(report.totals.files_written, 0u);
  EXPECT_THAT(build().diagnostics, IsEmpty());
}

TEST_F(Faults, a_cache_that_is_not_one_is_dropped_with_one_warning) {
  project();
  disk.put(kCache, std::string(5000, 'x'));
  EXPECT_THAT(build().diagnostics, SizeIs(1));
  expect_tree_as_clean();
}

TEST_F(Faults, half_written_files_of_a_killed_build_are_removed) {
  project();
  build();
  disk.put("runtime/deep/.assetc-tmp.1.2", "half");
  disk.put("runtime/gone/.assetc-tmp.1.3", "half");
  build();
  expect_tree_as_clean();
}

TEST_F(Faults, a_recipe_that_throws_fails_its_step_alone) {
  static constexpr std::array kClaims{recipes::Claim{".bomb", false, ".bomb", {}, {}}};
  const recipes::Recipe bomb{
      "bomb",
      1,
      kClaims,
      {},
      false,
      [](const recipes::Step&, recipes::Inputs&) -> Result<recipes::Product> { throw std::runtime_error("bang"); },
      toy::small_estimate};
  const std::array<const recipes::Recipe*, 2> list{&bomb, &toy::picture_recipe()};
  options.recipes = list;
  disk.put("assets/a.bomb", "");
  disk.put("assets/b.pic", "b");
  const auto report = try_build();
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->ok);
  EXPECT_EQ(messages(*report),
            "a.bomb: the bomb recipe threw: bang; this is a fault in assetc; please report it with the file\n");
  EXPECT_TRUE(disk.has("runtime/b.ktx2"));
}

TEST_F(Faults, an_output_that_would_leave_the_tree_is_refused) {
  static constexpr std::array kClaims{recipes::Claim{".evil", false, ".evil", {}, {}}};
  const recipes::Recipe evil{
      "evil",
      1,
      kClaims,
      {},
      false,
      [](const recipes::Step&, recipes::Inputs&) -> Result<recipes::Product> {
        recipes::Product product;
        product.outputs.push_back({"/../../escape", toy::bytes_of("x"), {recipes::AssetKind::kEmbed}});
        return product;
      },
      toy::small_estimate};
  const std::array<const recipes::Recipe*, 1> list{&evil};
  options.recipes = list;
  disk.put("assets/a.evil", "");
  EXPECT_FALSE(try_build()->ok);
  EXPECT_THAT(disk.paths_below("runtime"), testing::Not(testing::Contains(HasSubstr("escape"))));
  EXPECT_FALSE(disk.has("escape"));
}

}  // namespace
}  // namespace assetc::engine
