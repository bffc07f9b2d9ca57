// Damaged or unwritable bookkeeping, or bookkeeping that names foreign files: the next build is right, and removes only
// files named by a valid record.
#include <gmock/gmock.h>

#include <random>

#include "engine/engine_fixture.hpp"
#include "engine/state/cache.hpp"
#include "os/process.hpp"

namespace assetc::engine {
namespace {

using testing::IsEmpty;

constexpr const char* kCache = "runtime/.assetc-cache";
constexpr const char* kNotes = "runtime/.assetc-cache-outputs";

// Applies a damage as disks, editors and bugs cause it: flipped bits, cut, longer, zeroed, exchanged blocks, noise.
std::string damaged(std::string bytes, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % std::max<std::size_t>(n, 1)); };
  const auto range = [&](std::size_t most) {
    const std::size_t at = below(bytes.size());
    return std::pair(at, std::min(bytes.size() - at, 1 + below(most)));
  };
  switch (random() % 7) {
    case 0:
      for (std::size_t n = 1 + below(4); n > 0; --n) bytes[below(bytes.size())] ^= static_cast<char>(1 << below(8));
      break;
    case 1:  // SQLite's file header
      bytes[below(std::min<std::size_t>(bytes.size(), 120))] ^= static_cast<char>(1 << below(8));
      break;
    case 2:
      bytes.resize(below(bytes.size()));
      break;
    case 3: {
      const auto [at, size] = range(std::size_t{1} << below(16));
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), size, '\0');
      break;
    }
    case 4: {
      const std::size_t block = std::size_t{512} << below(6);
      const std::size_t blocks = bytes.size() / block;
      if (blocks < 2) break;
      const std::size_t a = below(blocks) * block, b = below(blocks) * block;
      std::swap_ranges(bytes.begin() + static_cast<std::ptrdiff_t>(a),
                       bytes.begin() + static_cast<std::ptrdiff_t>(a + block),
                       bytes.begin() + static_cast<std::ptrdiff_t>(b));
      break;
    }
    case 5:
      for (std::size_t n = 1 + below(5000); n > 0; --n) bytes.push_back(static_cast<char>(random()));
      break;
    default: {
      const auto [at, size] = range(300);
      for (std::size_t i = at; i < at + size; ++i) bytes[i] = static_cast<char>(random());
    }
  }
  return bytes;
}

class Damage : public Engine {
 protected:
  void project(int round) {
    disk.remove_all("runtime");
    disk.remove_all("assets");
    disk.put("assets/a.model", "inside p red\nnormal q blue\nclip\npicture w.pic\n");
    disk.put("assets/w.pic", "wood");
    disk.put("assets/deep/b.pic", "sky " + std::to_string(round % 3));
    disk.put("assets/c.set/1", "one");
    disk.put("precious.txt", "mine");
  }
  void edit() {
    disk.put("assets/a.model", "inside p green\npicture w.pic\n");
    disk.move("assets/deep/b.pic", "assets/other/b.pic");
    disk.put("assets/new.pic", "new");
  }
  void expect_only_ours_changed(const std::map<std::string, std::string>& sources) {
    EXPECT_EQ(disk.tree("assets"), sources);
    EXPECT_EQ(disk.text("precious.txt"), "mine");
    EXPECT_EQ(disk.text("runtime/foreign.txt"), "mine");
    auto tree = disk.tree("runtime");
    tree.erase("foreign.txt");
    EXPECT_EQ(tree, clean_tree());
  }
};

TEST_F(Damage, of_any_kind_in_any_file_leaves_the_next_build_right_and_other_files_alone) {
  constexpr int kRounds = os::kLimitsMemory ? 400 : 80;  // under a sanitizer they take four times as long
  request.jobs = 1;
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    std::mt19937 random(static_cast<unsigned>(round));
    project(round);
    build();
    if (random() % 3 == 0) {  // a killed build leaves a write-ahead log
      disk.put("assets/w.pic", "oak");
      disk.crash_after(static_cast<std::int64_t>(random() % 40));
      (void)try_build();
      disk.reboot();
    }
    disk.put("runtime/foreign.txt", "mine");
    if (random() % 2 == 0) edit();
    const auto sources = disk.tree("assets");

    std::vector<std::string> files;
    for (const std::string& file : disk.paths_below("runtime")) {
      if (file.starts_with(kCachePrefix) && !disk.text("runtime/" + file).empty()) files.push_back("runtime/" + file);
    }
    const std::string file = files[random() % files.size()];
    SCOPED_TRACE(file);
    disk.put(file, damaged(disk.text(file), random));

    request.no_cache = random() % 5 == 0;
    const Report report = build();
    request.no_cache = false;
    // If records are lost, a file that no build has written is reported too.
    const auto foreign = static_cast<std::size_t>(
        std::ranges::count_if(report.diagnostics, [](const auto& d) { return d.what.file == "runtime/foreign.txt"; }));
    EXPECT_LE(foreign, 1u) << messages(report);
    EXPECT_LE(report.diagnostics.size() - foreign, 1u) << messages(report);
    expect_only_ours_changed(sources);
    const Report next = build();
    EXPECT_THAT(messages(next), IsEmpty());
    EXPECT_THAT(why(next), IsEmpty());
  }
}

TEST_F(Damage, a_record_never_names_a_file_outside_the_output) {
  project(0);
  build();
  {
    auto cache = Cache::open(disk, kCache, false);
    ASSERT_TRUE(cache);
    LogWriter log;
    StepRecord record;
    record.recipe = "picture";
    record.stem = "../precious";
    OutputRecord output;
    output.suffix = ".txt";
    record.outputs.push_back(output);
    log.step(record);
    log.orphan("../assets/w.pic");
    log.orphan(".assetc-cache-outputs");
    ASSERT_TRUE((*cache)->append(log.take()));
  }
  disk.put("assets/new.pic", "new");
  build();
  EXPECT_EQ(disk.text("precious.txt"), "mine");
  EXPECT_EQ(disk.text("assets/w.pic"), "wood");
  EXPECT_TRUE(disk.has(kNotes));
  expect_tree_as_clean();
}

TEST_F(Damage, a_note_that_does_not_verify_names_nothing) {
  project(0);
  build();
  disk.put("runtime/deep/mine.ktx2", "mine");
  disk.put(kNotes,
           disk.text(kNotes) + std::string("0123456789abcdef deep/mine.ktx2\0", 32) + std::string("w.ktx2\0", 7));
  disk.put("assets/new.pic", "new");
  EXPECT_EQ(messages(build()), std::string(kCache) +
                                   ": damaged entries of the list of outputs were dropped (2); files that only they "
                                   "named are kept\n");
  EXPECT_EQ(disk.text("runtime/deep/mine.ktx2"), "mine");
  disk.put("assets/new.pic", "newer");
  EXPECT_THAT(messages(build()), IsEmpty());
}

TEST_F(Damage, a_cache_that_may_not_be_written_costs_time_and_a_warning) {
  project(0);
  build();
  edit();
  disk.locked.insert(kCache);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(messages(build()), std::string(kCache) +
                                     ": the build cache cannot be used: cannot open: Permission denied; everything is "
                                     "checked again; check who may read and write there\n");
    expect_tree_as_clean();
  }
  disk.erase("assets/new.pic");
  build();
  expect_tree_as_clean();
  disk.locked.clear();
  build();
  expect_tree_as_clean();
  EXPECT_THAT(why(build()), IsEmpty());
}

TEST_F(Damage, notes_that_may_not_be_written_are_replaced) {
  project(0);
  build();
  edit();
  disk.locked.insert(kNotes);
  EXPECT_THAT(messages(build()), IsEmpty());
  disk.locked.clear();
  disk.erase(kCache);
  disk.erase("assets/new.pic");
  build();
  expect_tree_as_clean();
}

TEST_F(Damage, a_cache_that_a_kill_tore_is_not_of_another_version) {
  request.jobs = 1;
  for (std::int64_t k = 0;; ++k) {
    SCOPED_TRACE("killed before write " + std::to_string(k));
    project(0);
    disk.crash_after(k);
    (void)try_build();
    const bool finished = !disk.crashed();
    disk.reboot();
    EXPECT_THAT(messages(build()), IsEmpty());
    if (finished || HasFailure()) break;
    ASSERT_LT(k, 1000);
  }
}

}  // namespace
}  // namespace assetc::engine
