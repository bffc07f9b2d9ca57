// Builds that are killed, run out of disk space, must not write, meet another build or a damaged cache.
#include "engine/engine_fixture.hpp"
#include "engine/state/cache.hpp"

namespace assetc::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kCacheFile = "runtime/.assetc-cache";

class Faults : public Engine {
 protected:
  void project() {
    disk.put("assets/a.model", "inside p red\nnormal q blue\nclip\npicture w.pic\n");
    disk.put("assets/w.pic", "wood");
    disk.put("assets/deep/b.pic", "sky");
    disk.put("assets/c.set/1", "one");
  }
  // Edits of every kind that a build can meet: change, add, rename, remove.
  void edit() {
    disk.put("assets/a.model", "inside p green\npicture w.pic\n");
    disk.move("assets/deep/b.pic", "assets/other/b.pic");
    disk.erase("assets/c.set/1");
    disk.put("assets/new.pic", "new");
  }
};

TEST_F(Faults, killed_at_any_write_of_the_first_build_the_next_is_right) {
  request.jobs = 1;
  for (std::int64_t k = 0;; ++k) {
    SCOPED_TRACE("killed before write " + std::to_string(k));
    disk.remove_all("runtime");
    disk.remove_all("assets");
    project();
    disk.crash_after(k);
    (void)try_build();
    const bool finished = !disk.crashed();
    disk.reboot();
    edit();  // removes sources whose outputs the killed build published
    build();
    expect_tree_as_clean();
    EXPECT_THAT(why(build()), IsEmpty());
    if (finished || HasFailure()) break;
    ASSERT_LT(k, 1000);
  }
}

TEST_F(Faults, killed_at_any_write_of_a_later_build_the_next_is_right) {
  request.jobs = 1;
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
  request.jobs = 1;
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
  // A file system may do this: the name and size reach the disk, but the bytes do not. The stamps are as recorded.
  for (const std::string& path : disk.paths_below("runtime")) {
    if (path.ends_with(".ktx2")) {
      disk.zero("runtime/" + path);
      break;
    }
  }
  build();
  expect_tree_as_clean();
}

TEST_F(Faults, a_short_build_does_not_wait_for_the_disk_and_what_is_lost_then_is_found) {
  disk.put("assets/old.pic", "old");
  disk.put("assets/a.pic", "a");
  build();
  EXPECT_EQ(disk.flushes, 0);
  EXPECT_THAT(why(build()), IsEmpty());
  disk.put("assets/a.pic", "A");
  build();
  EXPECT_EQ(disk.flushes, 0);
  disk.reboot(true);
  disk.zero("runtime/a.ktx2");
  disk.zero("runtime/old.ktx2");
  EXPECT_THAT(why(build()), ElementsAre("a.pic: output modified: a.ktx2", "old.pic: output modified: old.ktx2"));
  expect_tree_as_clean();
  EXPECT_EQ(disk.flushes, 1) << "one flush makes all of it durable";
  disk.reboot(true);
  EXPECT_THAT(why(build()), IsEmpty());
}

TEST_F(Faults, after_a_power_cut_only_what_changed_lately_is_read) {
  disk.put("assets/old.pic", std::string(130u << 20, 'o'));
  build();
  EXPECT_EQ(disk.flushes, 1) << "this much must be flushed";
  disk.sleep(3'600'000'000'000);
  disk.put("assets/a.pic", "a");
  build();
  EXPECT_EQ(disk.flushes, 1);
  disk.reboot(true);
  std::set<std::string> read;
  disk.after_read = [&](const std::string& path) { read.insert(path); };
  EXPECT_THAT(why(build()), IsEmpty());
  disk.after_read = nullptr;
  EXPECT_TRUE(read.contains("runtime/a.ktx2"));
  EXPECT_FALSE(read.contains("runtime/old.ktx2"));
  EXPECT_FALSE(read.contains("assets/old.pic"));
}

TEST_F(Faults, what_small_builds_left_to_chance_adds_up) {
  for (int i = 0; i < 5; ++i) {
    disk.put("assets/a.pic", std::string(40u << 20, static_cast<char>('a' + i)));
    build();
  }
  EXPECT_EQ(disk.flushes, 1) << "flushed with the fourth";
}

TEST_F(Faults, a_removed_file_is_gone_before_its_note_is) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/b.pic", "b");
  build();
  disk.erase("assets/b.pic");
  build();
  EXPECT_EQ(disk.flushes, 1);
}

TEST_F(Faults, a_full_disk_is_told_and_the_next_build_is_right) {
  request.jobs = 1;
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
    if (!report || !report->ok) {
      met_full = true;
      const std::string text = report ? messages(*report) : report.error().to_string();
      EXPECT_THAT(text, HasSubstr("No space left on device"));
      EXPECT_THAT(text, HasSubstr("free some space and build again"));
    }
    build();
    expect_tree_as_clean();
    if (report && report->ok) break;
    if (HasFailure()) break;
  }
  EXPECT_TRUE(met_full);
}

TEST_F(Faults, a_full_disk_keeps_what_was_finished_and_counts_what_was_not_started) {
  request.jobs = 1;
  for (int i = 0; i < 100; ++i) disk.put("assets/p" + std::to_string(i) + ".pic", std::to_string(i));
  for (std::int64_t k = 20; k < 400; k += 19) {
    SCOPED_TRACE(k);
    disk.remove_all("runtime");
    disk.fill_after(k);
    const auto report = try_build();
    disk.make_room();
    if (!report) continue;  // no space for a cache: the build did not begin
    const Totals& t = report->totals;
    if (report->ok) break;
    EXPECT_EQ(t.ran + t.failed + t.not_started, 100u);
    if (t.not_started != 0) {
      EXPECT_THAT(messages(*report), HasSubstr("; " + std::to_string(t.not_started) + " steps were not started; free"));
    }
    const Report next = build();
    EXPECT_LE(next.totals.files_written, t.failed + t.not_started + 1);  // no finished output is written again
    expect_tree_as_clean();
  }
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
  auto held = disk.lock(std::string(kCacheFile) + ".lock");
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
  const auto stamp = disk.mtime_ns("runtime/a/w.pic.ktx2");
  disk.erase(kCacheFile);
  const Report report = build();
  EXPECT_EQ(report.totals.cached, 0u);
  EXPECT_EQ(report.totals.files_written, 0u);
  EXPECT_EQ(disk.mtime_ns("runtime/a/w.pic.ktx2"), stamp);
  EXPECT_EQ(disk.tree("runtime"), before);
}

TEST_F(Faults, a_source_removed_while_the_cache_is_lost_leaves_no_output) {
  project();
  build();
  disk.erase(kCacheFile);
  edit();
  build();
  expect_tree_as_clean();
}

TEST_F(Faults, a_cache_with_flipped_bits_heals_with_one_warning_at_most) {
  project();
  build();
  const std::string whole = disk.text(kCacheFile);
  for (std::size_t at = 0; at < whole.size(); at += 397) {
    SCOPED_TRACE("byte " + std::to_string(at));
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    disk.put(kCacheFile, damaged);
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
  const std::string whole = disk.text(kCacheFile);
  std::size_t warned = 0;
  for (std::size_t size = 1; size < whole.size(); size += 1777) {
    SCOPED_TRACE(size);
    disk.put(kCacheFile, whole.substr(0, size));
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
    auto cache = Cache::open(disk, kCacheFile, false);
    ASSERT_TRUE(cache);
    ASSERT_TRUE((*cache)->set("version", object_bytes(std::uint64_t{99})));
  }
  const Report report = build();
  EXPECT_EQ(messages(report), std::string(kCacheFile) +
                                  ": the build cache is dropped because it was written by another version of assetc; "
                                  "everything is checked again\n");
  EXPECT_EQ(report.totals.cached, 0u);
  EXPECT_EQ(report.totals.files_written, 0u);
  EXPECT_THAT(build().diagnostics, IsEmpty());
}

TEST_F(Faults, a_cache_that_is_not_one_is_dropped_with_one_warning) {
  project();
  disk.put(kCacheFile, std::string(5000, 'x'));
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
  request.recipes = list;
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
  request.recipes = list;
  disk.put("assets/a.evil", "");
  EXPECT_FALSE(try_build()->ok);
  EXPECT_THAT(disk.paths_below("runtime"), testing::Not(testing::Contains(HasSubstr("escape"))));
  EXPECT_FALSE(disk.has("escape"));
}

// An obstacle for one of a hundred sources.
struct Obstacle {
  const char* name;
  std::uint64_t failed;         // failed steps
  bool index_written = false;   // nothing failed that an index would list
  void (*put)(FakeDisk& disk);  // puts it into a project in which all other sources have changed
  void (*mend)(FakeDisk& disk);
};

const Obstacle kObstacles[] = {
    {"a source that cannot be read", 1, false, [](FakeDisk& d) { d.unreadable = {"assets/p7.pic"}; },
     [](FakeDisk& d) { d.unreadable.clear(); }},
    {"an output that cannot be written", 1, false, [](FakeDisk& d) { d.unwritable = {"runtime/p7.ktx2"}; },
     [](FakeDisk& d) { d.unwritable.clear(); }},
    {"a folder in an output's place", 1, false,
     [](FakeDisk& d) {
       d.erase("runtime/p7.ktx2");
       d.put("runtime/p7.ktx2/mine", "");
     },
     [](FakeDisk& d) { d.erase("runtime/p7.ktx2/mine"); }},
    {"a disk too small for one output", 1, false,
     [](FakeDisk& d) {
       d.put("assets/p7.pic", std::string(200'000, 'x'));
       d.most_bytes = 100'000;
     },
     [](FakeDisk& d) { d.most_bytes = ~0ull; }},
    {"two sources of one output", 2, false, [](FakeDisk& d) { d.put("assets/P7.pic", "y"); },
     [](FakeDisk& d) { d.erase("assets/P7.pic"); }},
    {"a source that no recipe can make sense of", 1, false, [](FakeDisk& d) { d.put("assets/p7.pic", "broken"); },
     [](FakeDisk& d) { d.put("assets/p7.pic", "well"); }},
    {"an index that cannot be written", 0, false,
     [](FakeDisk& d) {
       d.put("assets/m.model", "inside wood brown");  // an output that the index lists
       d.unwritable = {"runtime/assets.hman"};
     },
     [](FakeDisk& d) { d.unwritable.clear(); }},
    {"a folder in the index's place", 0, false,
     [](FakeDisk& d) {
       d.erase("runtime/assets.hman");
       d.put("runtime/assets.hman/mine", "");
     },
     [](FakeDisk& d) { d.erase("runtime/assets.hman/mine"); }},
    {"a half-written file that cannot be removed", 0, true,
     [](FakeDisk& d) {
       d.put("runtime/gone/.assetc-tmp.1.1", "");
       d.unwritable = {"runtime/gone/.assetc-tmp.1.1"};
     },
     [](FakeDisk& d) { d.unwritable.clear(); }},
    {"a folder in the pack's place", 0, true,
     [](FakeDisk& d) {
       d.erase("runtime.hpack");
       d.put("runtime.hpack/mine", "");
     },
     [](FakeDisk& d) { d.remove_all("runtime.hpack"); }},
};

class Obstacles : public Engine, public testing::WithParamInterface<Obstacle> {
 protected:
  Obstacles() { yaml = "pack: true"; }
  void put_sources(std::string_view version) {
    for (int i = 0; i < 100; ++i)
      disk.put("assets/p" + std::to_string(i) + ".pic", std::to_string(i).append(" ").append(version));
  }
  void expect_all_others_built(std::string_view version) {
    for (int i = 0; i < 100; ++i) {
      if (i == 7) continue;
      const std::string number = std::to_string(i);
      ASSERT_EQ(disk.text("runtime/p" + number + ".ktx2"), "picture color good " + number + " " + std::string(version));
    }
  }
  void meet(std::string_view version) {
    const Obstacle& obstacle = GetParam();
    const auto report = try_build();
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_FALSE(report->ok);
    EXPECT_EQ(report->totals.failed, obstacle.failed) << messages(*report);
    EXPECT_EQ(report->index_written, obstacle.index_written);
    EXPECT_FALSE(report->packed);
    EXPECT_EQ(report->pack_file, "runtime.hpack");
    EXPECT_NE(messages(*report), "");
    EXPECT_EQ(events.of<StepFailed>().size(), obstacle.failed);
    expect_all_others_built(version);
    const auto again = try_build();  // no finished step runs again
    ASSERT_TRUE(again);
    EXPECT_FALSE(again->ok);
    EXPECT_EQ(again->totals.ran, 0u);
    obstacle.mend(disk);
    EXPECT_TRUE(build().packed);
    expect_tree_as_clean();
  }
};

TEST_F(Faults, an_output_that_cannot_be_removed_is_told_until_it_can) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/b.pic", "b");
  build();
  disk.erase("assets/a.pic");
  disk.put("assets/b.pic", "B");
  disk.unwritable = {"runtime/a.ktx2"};
  for (int i = 0; i < 2; ++i) {
    const auto report = try_build();
    ASSERT_TRUE(report);
    EXPECT_FALSE(report->ok);
    EXPECT_EQ(messages(*report), "runtime/a.ktx2: cannot write: Operation not permitted\n");
    EXPECT_EQ(disk.text("runtime/b.ktx2"), "picture color good B");
  }
  disk.unwritable.clear();
  EXPECT_THAT(build().removed, ElementsAre("a.ktx2"));
  expect_tree_as_clean();
}

TEST_F(Faults, a_folder_where_an_output_was_is_not_removed_with_its_source) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/b.pic", "b");
  build();
  disk.erase("assets/a.pic");
  disk.erase("runtime/a.ktx2");
  disk.put("runtime/a.ktx2/mine", "");
  EXPECT_THAT(build().removed, IsEmpty());
  EXPECT_TRUE(disk.has("runtime/a.ktx2/mine"));
  EXPECT_THAT(why(build()), IsEmpty());
}

TEST_P(Obstacles, stop_nothing_else_in_a_first_build) {
  put_sources("one");
  disk.put("runtime/assets.hman", "old");
  disk.put("runtime/p7.ktx2", "old");
  disk.put("runtime.hpack", "old");
  GetParam().put(disk);
  meet("one");
}

TEST_P(Obstacles, stop_nothing_else_in_a_later_build) {
  put_sources("one");
  build();
  put_sources("two");
  GetParam().put(disk);
  meet("two");
}

INSTANTIATE_TEST_SUITE_P(All, Obstacles, testing::ValuesIn(kObstacles), [](const auto& obstacle) {
  std::string name = obstacle.param.name;
  std::ranges::replace_if(name, [](char c) { return c < 'a' || c > 'z'; }, '_');
  return name;
});

}  // namespace
}  // namespace assetc::engine
