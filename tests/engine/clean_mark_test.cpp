#include "engine/run/clean_mark.hpp"

#include <gmock/gmock.h>

#include "engine/fake_disk.hpp"

namespace assetc::engine {
namespace {

std::string used_version = "1";
std::string used_libraries() { return "used=" + used_version; }
std::string unused_libraries() {
  ADD_FAILURE() << "no step uses this recipe, so its libraries must not be loaded";
  return {};
}
constinit const recipes::Recipe kUsed{.name = "used",
                                      .version = 1,
                                      .claims = {},
                                      .setting_groups = {},
                                      .stem_matters = false,
                                      .cook = nullptr,
                                      .estimate_peak_bytes = nullptr,
                                      .libraries = used_libraries};
constinit const recipes::Recipe kUnused{.name = "unused",
                                        .version = 1,
                                        .claims = {},
                                        .setting_groups = {},
                                        .stem_matters = false,
                                        .cook = nullptr,
                                        .estimate_peak_bytes = nullptr,
                                        .libraries = unused_libraries};
constexpr const recipes::Recipe* kRecipes[] = {&kUsed, &kUnused};

class ACleanMark : public testing::Test {
 protected:
  ACleanMark() {
    disk.put("assets/a", "1");
    disk.put("runtime/a.out", "1");
    cache = *Cache::open(disk, "runtime/.assetc-cache", false);
  }
  Tree walk(const std::string& root) { return *disk.walk(root, hidden, 1); }
  static Visit hidden(std::string_view path, bool) { return path.starts_with('.') ? Visit::kLeaveOut : Visit::kTake; }
  CleanMark mark(std::uint64_t environment = 1) {
    return {*cache, disk, "assets", ContentHash{environment, 0}, kRecipes};
  }
  void leave() {
    const Tree tree = walk("assets");
    const std::int64_t walked_at_ns = disk.now_ns();
    const State state;
    const FileTable files(disk, "assets", tree, state, hidden, Reach::kRoot);
    Summary summary;
    summary.totals.sources = 7;
    ASSERT_TRUE(mark().leave(tree, walked_at_ns, walk("runtime"), files, steps, summary));
  }
  bool stands(std::uint64_t environment = 1) {
    return mark(environment).find(walk("assets"), walk("runtime")).has_value();
  }

  FakeDisk disk;
  std::unique_ptr<Cache> cache;
  StepSet steps;
};

TEST_F(ACleanMark, stands_while_nothing_changes_and_says_what_was_said) {
  EXPECT_FALSE(stands());
  leave();
  const auto found = mark().find(walk("assets"), walk("runtime"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->totals.sources, 7u);
}

TEST_F(ACleanMark, falls_with_an_input) {
  leave();
  disk.touch("assets/a");
  EXPECT_FALSE(stands());
}

TEST_F(ACleanMark, falls_with_an_output) {
  leave();
  disk.put("runtime/b.out", "");
  EXPECT_FALSE(stands());
}

TEST_F(ACleanMark, falls_with_the_environment) {
  leave();
  EXPECT_TRUE(stands(1));
  EXPECT_FALSE(stands(2));
}

TEST_F(ACleanMark, falls_with_a_library_of_a_recipe_that_steps_use) {
  StepRecord record;
  record.recipe = "used";
  steps.add(record, false);
  leave();
  EXPECT_TRUE(stands());
  used_version = "2";
  EXPECT_FALSE(stands());
  used_version = "1";
}

TEST_F(ACleanMark, falls_with_a_file_that_the_walk_does_not_see) {
  disk.put("assets/.hidden", "1");
  StepRecord record;
  record.dependencies.push_back({".hidden", DependencyKind::kRead, content_hash(as_bytes("1"))});
  record.dependencies.push_back({".absent", DependencyKind::kAbsent, {}});
  steps.add(record, false);
  leave();
  EXPECT_TRUE(stands());
  disk.touch("assets/.hidden");
  EXPECT_FALSE(stands());
  leave();
  EXPECT_TRUE(stands());
  disk.put("assets/.absent", "");
  EXPECT_FALSE(stands());
}

TEST_F(ACleanMark, is_not_left_on_a_file_that_may_change_within_its_stamp) {
  disk.stand_still = true;
  disk.put("assets/a", "2");
  leave();
  EXPECT_FALSE(stands());
}

}  // namespace
}  // namespace assetc::engine
