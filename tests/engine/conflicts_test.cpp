// Sources and steps that would write the same outputs.
#include "engine/engine_fixture.hpp"

namespace assetc::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(Engine, two_sources_of_one_output_are_an_error_that_names_both) {
  disk.put("assets/a.model", "x");
  disk.put("assets/a.mod", "y");
  const auto report = try_build();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->totals.failed, 2u);
  EXPECT_EQ(messages(*report),
            "a.mod: would write the same outputs (a.*) as a.model; rename one of them, leave one out with ignore:, "
            "or let the first suffix win with prefer: [mod, model]\n"
            "a.model: would write the same outputs (a.*) as a.mod; rename one of them, leave one out with ignore:, "
            "or let the first suffix win with prefer: [mod, model]\n");
  EXPECT_EQ(report->diagnostics.front().what.code, ErrorCode::kConflict);
  EXPECT_THAT(toy::cooked().take(), IsEmpty());
  request.dry_run = true;
  const auto planned = try_build();
  ASSERT_TRUE(planned);
  EXPECT_FALSE(planned->ok);
  EXPECT_EQ(messages(*planned), messages(*report));
}

TEST_F(Engine, of_two_sources_of_one_output_the_preferred_suffix_wins) {
  yaml = "prefer: [.mod, model]";
  disk.put("assets/a.model", "x");
  disk.put("assets/a.mod", "y");
  const Report report = build();
  EXPECT_THAT(toy::cooked().take(), ElementsAre("a.mod"));
  EXPECT_EQ(report.totals.sources, 1u);
  EXPECT_EQ(messages(report), "a.model: is left out: a.mod has the same name, and prefer: puts its suffix first\n");
  // The other source takes its place.
  ASSERT_TRUE(disk.remove("assets/a.mod"));
  build();
  EXPECT_THAT(toy::cooked().take(), ElementsAre("a.model"));
  disk.put("assets/a.mod", "z");
  build();
  EXPECT_THAT(toy::cooked().take(), ElementsAre("a.mod"));
  expect_tree_as_clean();
  // A suffix that prefer: does not name comes last. Two sources with such suffixes are an error.
  yaml = "prefer: [other]";
  const auto refused = try_build();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->totals.failed, 2u);
}

TEST_F(Engine, every_source_of_one_output_fails_and_the_others_are_built) {
  for (const char* name : {"a.model", "a.mod", "A.mod", "b.model"}) disk.put("assets/" + std::string(name), "x");
  const auto report = try_build();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->totals.failed, 3u);
  EXPECT_THAT(toy::cooked().take(), ElementsAre("b.model"));
  EXPECT_TRUE(disk.has("runtime/b.hmesh"));
}

TEST_F(Engine, two_outputs_that_differ_in_case_alone_are_an_error) {
  disk.put("assets/Tree.pic", "x");
  disk.put("assets/tree.pic", "y");
  const auto report = try_build();
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->ok);
  EXPECT_THAT(messages(*report), HasSubstr("tree.pic: would write the same outputs (tree.*) as Tree.pic"));
}

TEST_F(Engine, two_outputs_that_differ_in_normalization_alone_are_an_error) {
  disk.put("assets/caf\xc3\xa9.pic", "x");
  disk.put("assets/cafe\xcc\x81.pic", "y");
  const auto report = try_build();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->totals.failed, 2u);
  EXPECT_THAT(messages(*report), HasSubstr("their names differ only in letter case or Unicode normalization"));
}

TEST_F(Engine, outputs_of_different_recipes_that_meet_are_an_error_that_names_both) {
  disk.put("assets/a.model", "inside p red\n");
  disk.put("assets/a/P.pic", "x");
  auto report = try_build();
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->ok);
  EXPECT_THAT(messages(*report), HasSubstr("a.model inside p"));
  EXPECT_THAT(messages(*report), HasSubstr("a/P.pic"));
}

}  // namespace
}  // namespace assetc::engine
