// Pictures that models take over, and when they are compiled as sources themselves.
#include "engine/engine_fixture.hpp"

namespace assetc::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(Engine, a_picture_that_a_model_takes_is_made_as_the_model_takes_it) {
  disk.put("assets/a.model", "relief sub/../p.pic\n");
  disk.put("assets/p.pic", "1");
  disk.put("assets/q.pic", "2");
  const Report report = build();
  EXPECT_EQ(report.totals.taken, 1u);
  EXPECT_EQ(report.totals.sources, 3u);
  EXPECT_EQ(disk.text("runtime/a/relief_p.pic.ktx2"), "picture normal good 1");
  EXPECT_FALSE(disk.has("runtime/p.ktx2"));
  EXPECT_TRUE(disk.has("runtime/q.ktx2"));
  EXPECT_EQ(build().totals.taken, 1u);  // also reported by a build that does nothing
}

TEST_F(Engine, a_picture_is_a_step_of_its_own_from_when_no_model_takes_it_and_until_one_does) {
  disk.put("assets/a.model", "x\n");
  disk.put("assets/p.pic", "1");
  build();
  EXPECT_TRUE(disk.has("runtime/p.ktx2"));
  disk.put("assets/a.model", "picture p.pic\n");
  EXPECT_THAT(build().removed, ElementsAre("p.ktx2"));
  expect_tree_as_clean();
  disk.put("assets/b.model", "picture p.pic\n");
  build();
  disk.erase("assets/a.model");
  build();
  EXPECT_FALSE(disk.has("runtime/p.ktx2"));  // the other model still takes it
  expect_tree_as_clean();
  disk.put("assets/b.model", "y\n");
  EXPECT_THAT(why(build()), ElementsAre("b.model: input changed: b.model", "p.pic: not built yet"));
  expect_tree_as_clean();
}

TEST_F(Engine, a_picture_that_models_take_stands_alone_where_a_product_or_a_rule_asks_for_it) {
  disk.put("assets/a.model", "relief p.pic\n");
  disk.put("assets/b.model", "link p.pic\n");
  disk.put("assets/p.pic", "1");
  EXPECT_EQ(build().totals.taken, 0u);
  EXPECT_THAT(manifest(), ElementsAre("a.hmesh linear", "a/relief_p.pic.ktx2 linear", "b.hmesh linear", "p.ktx2 srgb"));
  disk.erase("assets/b.model");
  EXPECT_EQ(build().totals.taken, 1u);
  expect_tree_as_clean();
  yaml = "default: {rules: [{match: \"p.pic\", texture: {standalone: true}}]}";
  const Report report = build();
  EXPECT_EQ(report.totals.taken, 0u);
  EXPECT_THAT(why(report), ElementsAre("p.pic: not built yet"));  // the model's picture is unchanged
  expect_tree_as_clean();
}

TEST_F(Engine, models_that_take_a_picture_for_different_uses_are_named) {
  disk.put("assets/a.model", "picture p.pic\n");
  disk.put("assets/b.model", "relief p.pic\n");
  disk.put("assets/p.pic", "1");
  const std::string said =
      "p.pic: is compiled as color for a.model and as normal for b.model; it is stored once per "
      "use; if one use is a mistake, correct the material\n";
  EXPECT_EQ(messages(build()), said);
  EXPECT_EQ(messages(build()), said);
}

TEST_F(Engine, a_picture_of_a_model_that_fails_stands_alone) {
  disk.put("assets/a.model", "picture p.pic\nfail order\n");
  disk.put("assets/p.pic", "1");
  const auto report = try_build();
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->ok);
  EXPECT_EQ(report->totals.failed, 1u);
  EXPECT_TRUE(disk.has("runtime/p.ktx2"));
  disk.put("assets/a.model", "picture p.pic\n");
  build();
  expect_tree_as_clean();
}

TEST_F(Engine, a_picture_under_the_name_of_a_models_own_fails_alone) {
  disk.put("assets/a.model", "picture p.pic\n");
  disk.put("assets/p.pic", "1");
  build();
  disk.put("assets/a/p.pic.pic", "2");
  for (int i = 0; i < 2; ++i) {
    const auto report = try_build();
    ASSERT_TRUE(report);
    EXPECT_EQ(report->totals.failed, 1u);
    EXPECT_THAT(messages(*report), HasSubstr("a/p.pic.pic: a/p.pic.pic would write the same outputs (a/p.pic.*) "
                                             "as a.model picture p.pic"));
    EXPECT_EQ(disk.text("runtime/a/p.pic.ktx2"), "picture color good 1");
    request.no_cache = true;
  }
}

TEST_F(Engine, a_dry_run_says_which_pictures_a_model_may_take) {
  disk.put("assets/a.model", "picture p.pic\n");
  disk.put("assets/p.pic", "1");
  request.dry_run = true;
  const Report first = build();
  ASSERT_EQ(first.steps.size(), 2u);
  EXPECT_TRUE(first.steps[1].unless_taken);
  request.dry_run = false;
  build();
  disk.put("assets/a.model", "picture p.pic\nx\n");
  request.dry_run = true;
  EXPECT_THAT(why(build()), ElementsAre("a.model: input changed: a.model"));  // based on what it took last time
}

}  // namespace
}  // namespace assetc::engine
