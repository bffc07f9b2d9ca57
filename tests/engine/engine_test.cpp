#include "engine/engine_fixture.hpp"

namespace assetc::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(Engine, publishes_what_recipes_make) {
  disk.put("assets/a/wall.pic", "bricks");
  disk.put("assets/a/wall.n.pic", "bumps");
  disk.put("assets/m.set/one", "1");
  const Report report = build();
  EXPECT_EQ(report.totals.ran, 3u);
  EXPECT_EQ(disk.text("runtime/a/wall.ktx2"), "picture color good bricks");
  EXPECT_EQ(disk.text("runtime/a/wall.n.ktx2"), "picture normal good bumps");
  EXPECT_EQ(disk.text("runtime/m.set/all.cat"), "set\none: 1\n");
  EXPECT_TRUE(disk.has("runtime/assets.hman"));
  EXPECT_THAT(manifest(), ElementsAre("a/wall.ktx2 srgb", "a/wall.n.ktx2 linear", "m.set/all.cat linear"));
}

TEST_F(Engine, a_second_build_runs_nothing_and_writes_no_output) {
  disk.put("assets/a.model", "include b.bin\npicture c.pic\ninside d red\n");
  disk.put("assets/b.bin", "bytes");
  disk.put("assets/c.pic", "sky");
  build();
  const auto before = disk.tree("runtime");
  const Report report = build();
  EXPECT_THAT(why(report), IsEmpty());
  EXPECT_THAT(toy::cooked().take(), IsEmpty());
  EXPECT_EQ(report.totals.cached, 3u);
  EXPECT_EQ(report.totals.sources, 2u);
  EXPECT_EQ(report.totals.taken, 1u);
  EXPECT_EQ(report.totals.files_written, 0u);
  EXPECT_EQ(disk.tree("runtime"), before);
}

TEST_F(Engine, a_step_that_asks_for_more_memory_is_cooked_again_with_that) {
  disk.put("assets/a.pic", "hungry");
  disk.put("assets/b.pic", "hungry");  // equal, so it waits for the other one
  disk.put("assets/c.pic", "blue");
  const Report report = build();
  EXPECT_EQ(report.totals.failed, 0u);
  EXPECT_EQ(report.totals.ran + report.totals.copied, 3u);
  const auto tree = disk.tree("runtime");
  EXPECT_THAT(tree, testing::Contains(testing::Pair(HasSubstr("a.ktx2"), HasSubstr("hungry"))));
  EXPECT_THAT(tree, testing::Contains(testing::Pair(HasSubstr("b.ktx2"), HasSubstr("hungry"))));
  EXPECT_THAT(toy::cooked().take(), testing::SizeIs(3));
  EXPECT_THAT(why(build()), IsEmpty());
}

TEST_F(Engine, a_no_op_build_writes_nothing_but_its_lock) {
  disk.put("assets/a.pic", "a");
  build();
  const std::int64_t before = disk.writes();
  build();
  EXPECT_LE(disk.writes() - before, 4);  // the lock, and the writes of SQLite when it opens its journal
}

TEST_F(Engine, touching_without_changing_runs_nothing) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/b.model", "include c\n");
  disk.put("assets/c", "x");
  build();
  disk.touch("assets/a.pic");
  disk.touch("assets/c");
  EXPECT_THAT(why(build()), IsEmpty());
}

TEST_F(Engine, an_edit_runs_the_step_and_says_why) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/b.pic", "b");
  build();
  disk.put("assets/a.pic", "A");
  EXPECT_THAT(why(build()), ElementsAre("a.pic: input changed: a.pic"));
  EXPECT_EQ(disk.text("runtime/a.ktx2"), "picture color good A");
}

TEST_F(Engine, an_edit_of_an_included_file_runs_exactly_its_readers) {
  disk.put("assets/m/a.model", "include chair.bin\n");
  disk.put("assets/m/b.model", "include other.bin\n");
  disk.put("assets/m/chair.bin", "1");
  disk.put("assets/m/other.bin", "2");
  build();
  disk.put("assets/m/chair.bin", "3");
  EXPECT_THAT(why(build()), ElementsAre("m/a.model: input changed: m/chair.bin"));
  expect_tree_as_clean();
}

TEST_F(Engine, a_file_that_was_looked_for_and_appears_runs_the_step) {
  disk.put("assets/a.model", "try b.bin\n");
  build();
  disk.put("assets/b.bin", "x");
  EXPECT_THAT(why(build()), ElementsAre("a.model: input appeared: b.bin"));
  EXPECT_THAT(disk.text("runtime/a.hmesh"), HasSubstr("\nthere"));
  disk.put("assets/b.bin", "y");
  EXPECT_THAT(why(build()), IsEmpty());  // the model only looked whether the file exists
  disk.erase("assets/b.bin");
  EXPECT_THAT(why(build()), ElementsAre("a.model: input vanished: b.bin"));
}

TEST_F(Engine, a_file_added_to_a_listed_folder_runs_the_step) {
  disk.put("assets/a.set/one", "1");
  build();
  disk.put("assets/a.set/two", "2");
  EXPECT_THAT(why(build()), ElementsAre("a.set: files added or removed in: a.set"));
  EXPECT_EQ(disk.text("runtime/a.set/all.cat"), "set\none: 1\ntwo: 2\n");
}

TEST_F(Engine, a_setting_runs_the_steps_that_read_it) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/b.model", "x\n");
  build();
  yaml = "default: {texture: {quality: fast}}";
  EXPECT_THAT(why(build()), ElementsAre("a.pic: setting changed: texture.quality normal -> fast"));
  yaml = "default: {texture: {quality: fast}, mesh: {lods: 1}}";
  EXPECT_THAT(why(build()), ElementsAre("b.model: setting changed: mesh.lods 2 -> 1"));
}

TEST_F(Engine, an_edited_rule_runs_exactly_the_sources_it_matches) {
  disk.put("assets/ui/a.pic", "a");
  disk.put("assets/b.pic", "b");
  build();
  yaml = "default: {rules: [{match: \"ui/*\", texture: {compress: false}}]}";
  EXPECT_THAT(why(build()), ElementsAre("ui/a.pic: setting changed: texture.format uastc -> rgba8"));
  expect_tree_as_clean();
}

TEST_F(Engine, a_rule_applies_to_the_pictures_inside_a_model) {
  disk.put("assets/ui/a.model", "inside p red\npicture b.pic\n");
  disk.put("assets/ui/b.pic", "b");
  yaml = "default: {rules: [{match: \"*.model\", texture: {compress: false}}]}";
  build();
  EXPECT_EQ(disk.text("runtime/ui/a/p.ktx2"), "picture color good raw red");
  EXPECT_EQ(disk.text("runtime/ui/a/b.pic.ktx2"), "picture color good raw b");
}

TEST_F(Engine, a_rule_applies_to_a_picture_that_a_model_takes) {
  disk.put("assets/a.model", "picture p.pic\npicture q.pic\n");
  disk.put("assets/p.pic", "p");
  disk.put("assets/q.pic", "q");
  build();
  yaml = "default: {rules: [{match: \"p.pic\", texture: {quality: fast}}]}";
  EXPECT_THAT(why(build()), ElementsAre("a.model picture p.pic: setting changed: texture.quality normal -> fast"));
  EXPECT_EQ(disk.text("runtime/a/p.pic.ktx2"), "picture color fast p");
  expect_tree_as_clean();
}

TEST_F(Engine, a_pin_holds_against_the_rules_even_at_its_default) {
  yaml = "default: {texture: {quality: fast}}";
  disk.put("assets/a.model", "inside p red\npin texture.quality normal\ninside q blue\n");
  build();
  EXPECT_EQ(disk.text("runtime/a/p.ktx2"), "picture color fast red");
  EXPECT_EQ(disk.text("runtime/a/q.ktx2"), "picture color good blue");
  yaml = "default: {texture: {quality: best}}";
  EXPECT_THAT(
      why(build()),
      ElementsAre("a.model: its bytes are needed by a.model inside p: setting changed: texture.quality fast -> best",
                  "a.model inside p: setting changed: texture.quality fast -> best"));
  disk.put("assets/a.model", "inside p red\npin texture.quality fast\ninside q blue\n");
  EXPECT_THAT(why(build()), testing::Contains("a.model inside q: setting changed: texture.quality normal -> fast"));
  expect_tree_as_clean();
}

TEST_F(Engine, a_pin_of_no_setting_is_a_fault) {
  disk.put("assets/a.model", "pin texture.gloss high\ninside p red\n");
  const auto report = try_build();
  ASSERT_TRUE(report);
  EXPECT_EQ(messages(*report),
            "a.model: asks for a step with texture.gloss: \"high\", but there is no such setting or value; this is a "
            "fault in the recipe\n");
}

TEST_F(Engine, a_preset_builds_beside_the_others) {
  yaml = "presets: {low: {output: runtime/low, texture: {quality: fast}}, high: {output: runtime/high}}";
  disk.put("assets/a.pic", "a");
  preset = "low";
  build();
  preset = "high";
  build();
  EXPECT_EQ(disk.text("runtime/low/a.ktx2"), "picture color fast a");
  EXPECT_EQ(disk.text("runtime/high/a.ktx2"), "picture color good a");
  preset = "low";
  EXPECT_THAT(why(build()), IsEmpty());
}

TEST_F(Engine, a_new_recipe_version_runs_its_steps) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/b.model", "x\n");
  build();
  toy::Recipe newer = toy::picture_recipe();
  newer.version = 2;
  const std::array<const toy::Recipe*, 3> list{&newer, &toy::model_recipe(), &toy::folder_recipe()};
  request.recipes = list;
  EXPECT_THAT(why(build()), ElementsAre("a.pic: recipe changed: picture version 1 -> 2"));
}

TEST_F(Engine, a_deleted_output_is_made_again) {
  disk.put("assets/a.model", "clip\n");
  disk.put("assets/b.pic", "b");
  build();
  disk.erase("runtime/a.hanim");  // not the first output of its step
  EXPECT_THAT(why(build()), ElementsAre("a.model: output missing: a.hanim"));
  EXPECT_EQ(disk.text("runtime/a.hanim"), "clip of a");
}

TEST_F(Engine, a_modified_output_is_made_again) {
  disk.put("assets/a.model", "clip\n");
  build();
  disk.put("runtime/a.hanim", "clip of b");
  EXPECT_THAT(why(build()), ElementsAre("a.model: output modified: a.hanim"));
  EXPECT_EQ(disk.text("runtime/a.hanim"), "clip of a");
}

TEST_F(Engine, an_output_that_was_only_touched_stays) {
  disk.put("assets/a.pic", "a");
  build();
  disk.touch("runtime/a.ktx2");
  EXPECT_THAT(why(build()), IsEmpty());
}

TEST_F(Engine, a_deleted_manifest_is_made_again) {
  disk.put("assets/a.pic", "a");
  build();
  disk.erase("runtime/assets.hman");
  EXPECT_THAT(why(build()), IsEmpty());
  EXPECT_TRUE(disk.has("runtime/assets.hman"));
}

TEST_F(Engine, removing_a_source_removes_its_outputs_and_empty_directories) {
  disk.put("assets/deep/down/a.model", "clip\ninside p red\n");
  disk.put("assets/b.pic", "b");
  build();
  disk.erase("assets/deep/down/a.model");
  const Report report = build();
  EXPECT_THAT(report.removed, ElementsAre("deep/down/a.hanim", "deep/down/a.hmesh", "deep/down/a/p.ktx2"));
  expect_tree_as_clean();
}

TEST_F(Engine, removing_a_picture_from_a_model_removes_its_output) {
  disk.put("assets/a.model", "inside p red\ninside q blue\nclip\n");
  build();
  disk.put("assets/a.model", "inside q blue\n");
  EXPECT_THAT(build().removed, ElementsAre("a.hanim", "a/p.ktx2"));
  expect_tree_as_clean();
}

TEST_F(Engine, renaming_a_source_moves_its_outputs_without_cooking) {
  disk.put("assets/a.pic", "a");
  build();
  disk.move("assets/a.pic", "assets/sub/b.pic");
  EXPECT_THAT(why(build()), ElementsAre("sub/b.pic: not built yet (copied)"));
  EXPECT_THAT(toy::cooked().take(), IsEmpty());
  EXPECT_FALSE(disk.has("runtime/a.ktx2"));
  expect_tree_as_clean();
}

TEST_F(Engine, swapping_two_sources_copies_nothing_wrong) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/b.pic", "b");
  build();
  disk.put("assets/a.pic", "b");
  disk.put("assets/b.pic", "a");
  build();
  EXPECT_EQ(disk.text("runtime/a.ktx2"), "picture color good b");
  EXPECT_EQ(disk.text("runtime/b.ktx2"), "picture color good a");
}

TEST_F(Engine, never_deletes_a_file_that_it_did_not_write) {
  disk.put("assets/a/b.pic", "b");
  disk.put("runtime/a/mine.txt", "mine");
  build();
  disk.erase("assets/a/b.pic");
  build();
  EXPECT_EQ(disk.text("runtime/a/mine.txt"), "mine");
  EXPECT_FALSE(disk.has("runtime/a/b.ktx2"));
}

TEST_F(Engine, equal_steps_are_cooked_once_and_published_to_each) {
  for (char c = 'a'; c <= 'j'; ++c) disk.put(std::string("assets/") + c + ".model", "inside wood brown\n");
  disk.put("assets/other.model", "normal wood brown\n");
  const Report report = build();
  const auto log = toy::cooked().take();
  EXPECT_EQ(std::ranges::count_if(log, [](const std::string& s) { return s.find("inside wood") != s.npos; }), 2);
  EXPECT_EQ(report.totals.copied, 9u);
  EXPECT_EQ(disk.text("runtime/j/wood.ktx2"), "picture color good brown");
  EXPECT_EQ(disk.text("runtime/other/wood.ktx2"), "picture normal good brown");
  expect_tree_as_clean();
}

TEST_F(Engine, an_external_picture_of_a_model_runs_without_its_model) {
  disk.put("assets/a.model", "picture p.pic\n");
  disk.put("assets/p.pic", "1");
  build();
  disk.put("assets/p.pic", "2");
  EXPECT_THAT(why(build()), ElementsAre("a.model picture p.pic: input changed: p.pic"));
  expect_tree_as_clean();
}

TEST_F(Engine, a_model_is_cooked_again_when_a_picture_inside_it_must_be) {
  disk.put("assets/a.model", "inside p red\nnormal q blue\n");
  build();
  disk.erase("runtime/a/p.ktx2");
  EXPECT_THAT(why(build()), ElementsAre("a.model: its bytes are needed by a.model inside p: output missing: a/p.ktx2",
                                        "a.model inside p: output missing: a/p.ktx2"));
  expect_tree_as_clean();
}

TEST_F(Engine, the_manifest_lists_every_file) {
  disk.put("assets/alone.pic", "x");
  disk.put("assets/m/Chair.model", "inside Wood brown\nnormal bumps gray\n");
  build();
  EXPECT_THAT(manifest(), ElementsAre("alone.ktx2 srgb", "m/Chair.hmesh linear", "m/Chair/Wood.ktx2 srgb",
                                      "m/Chair/bumps.ktx2 linear"));
}

TEST_F(Engine, the_manifest_lists_a_texture_that_a_material_refers_to) {
  disk.put("assets/tex/wood.pic", "x");
  disk.put("assets/a.model", "refer tex/Wood\n");
  build();
  EXPECT_THAT(manifest(), ElementsAre("a.hmesh linear", "tex/wood.ktx2 srgb"));
  disk.erase("assets/tex/wood.pic");
  auto report = try_build();
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->ok);
  EXPECT_EQ(
      messages(*report),
      "a.model: refers to the texture tex/Wood, which no source makes; add the texture, or correct the reference\n");
  EXPECT_THAT(manifest(), ElementsAre("a.hmesh linear",
                                      "tex/wood.ktx2 srgb"));  // the old manifest; the file that it lists still exists
  EXPECT_TRUE(disk.has("runtime/tex/wood.ktx2"));
}

TEST_F(Engine, ignored_sources_are_left_out) {
  yaml = "ignore: [\"wip/*\", \"*.draft.pic\"]";
  disk.put("assets/wip/a.pic", "x");
  disk.put("assets/b.draft.pic", "x");
  disk.put("assets/c.pic", "x");
  disk.put("assets/.hidden/d.pic", "x");
  EXPECT_EQ(build().totals.sources, 1u);
  EXPECT_THAT(disk.tree("runtime"), testing::SizeIs(2));
}

TEST_F(Engine, an_ignored_picture_that_a_model_uses_is_still_an_input) {
  yaml = "ignore: [\"*.pic\"]";
  disk.put("assets/a.model", "picture b.pic\ntry c.pic\n");
  disk.put("assets/b.pic", "1");
  build();
  EXPECT_THAT(why(build()), IsEmpty());
  const std::int64_t reads = disk.reads();
  EXPECT_THAT(why(build()), IsEmpty());
  EXPECT_EQ(disk.reads(), reads);  // comparing signatures is enough
  disk.put("assets/b.pic", "2");
  EXPECT_THAT(why(build()), ElementsAre("a.model picture b.pic: input changed: b.pic"));
  disk.put("assets/c.pic", "3");
  EXPECT_THAT(why(build()), ElementsAre("a.model: input appeared: c.pic"));
}

TEST_F(Engine, ignoring_a_source_removes_its_outputs) {
  disk.put("assets/a.pic", "x");
  build();
  yaml = "ignore: [\"a.pic\"]";
  EXPECT_THAT(build().removed, ElementsAre("a.ktx2"));
}

TEST_F(Engine, an_output_below_the_input_is_not_a_source) {
  yaml = "input: assets\noutput: assets/out\n";
  disk.put("assets/a.set/one", "1");
  build();
  EXPECT_THAT(why(build()), IsEmpty());
  EXPECT_EQ(build().totals.sources, 1u);
}

TEST_F(Engine, files_that_nobody_takes_are_counted) {
  disk.put("assets/a.model", "include a.bin\n");
  disk.put("assets/a.bin", "x");
  disk.put("assets/readme.md", "x");
  const Report report = build();
  EXPECT_EQ(report.totals.unclaimed, 1u);
  EXPECT_THAT(report.unclaimed, ElementsAre("readme.md"));
  EXPECT_THAT(report.ignored_kinds, ElementsAre(IgnoredKind{".md", 1, false}));
  EXPECT_EQ(build().totals.unclaimed, 1u);
  EXPECT_EQ(build().ignored_kinds, report.ignored_kinds) << "nothing changed";
}

TEST_F(Engine, one_bad_asset_lets_the_others_finish) {
  disk.put("assets/a.pic", "good");
  disk.put("assets/b.pic", "good too");
  build();
  disk.put("assets/a.pic", "broken");
  disk.put("assets/b.pic", "better");
  auto report = try_build();
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->ok);
  EXPECT_EQ(messages(*report), "a.pic: line 1: found \"broken\", expected a picture; paint it again\n");
  EXPECT_EQ(disk.text("runtime/a.ktx2"), "picture color good good");  // the output of the last good build
  EXPECT_EQ(disk.text("runtime/b.ktx2"), "picture color good better");
  EXPECT_EQ(report->totals.failed, 1u);
}

TEST_F(Engine, what_ran_alone_above_the_budget_of_memory_is_said_once) {
  disk.put("assets/a.pic", "one");
  disk.put("assets/b.pic", "two");
  request.memory_bytes = 1000;
  EXPECT_THAT(messages(build()),
              testing::MatchesRegex("a.pic: may need 0 MiB of memory, more than the build's limit of 0 MiB, so it ran "
                                    "alone; 1 more step did too; raise --memory, or make the source smaller\n"));
  EXPECT_EQ(messages(build()), "");
}

TEST_F(Engine, a_failed_step_is_tried_again) {
  disk.put("assets/a.pic", "broken");
  EXPECT_FALSE(try_build()->ok);
  auto report = try_build();
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->ok);
  EXPECT_THAT(why(*report), ElementsAre("a.pic: not built yet"));
  disk.put("assets/a.pic", "fine");
  build();
  expect_tree_as_clean();
}

TEST_F(Engine, a_failed_build_removes_nothing_and_leaves_the_manifest) {
  disk.put("assets/a.model", "inside p red\n");
  disk.put("assets/b.pic", "x");
  build();
  const auto before = manifest();
  disk.erase("assets/a.model");
  disk.put("assets/b.pic", "broken");
  EXPECT_FALSE(try_build()->ok);
  EXPECT_EQ(manifest(), before);
  EXPECT_TRUE(disk.has("runtime/a/p.ktx2"));
  disk.put("assets/b.pic", "mended");
  build();
  expect_tree_as_clean();
}

TEST_F(Engine, reverting_a_bad_edit_runs_nothing) {
  disk.put("assets/a.pic", "good");
  build();
  disk.put("assets/a.pic", "broken");
  EXPECT_FALSE(try_build()->ok);
  disk.put("assets/a.pic", "good");
  EXPECT_THAT(why(build()), IsEmpty());
}

TEST_F(Engine, a_broken_picture_inside_a_model_fails_alone) {
  disk.put("assets/a.model", "inside p broken\ninside q blue\n");
  auto report = try_build();
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->ok);
  EXPECT_THAT(messages(*report), HasSubstr("a.model inside p: line 1: found"));
  EXPECT_TRUE(disk.has("runtime/a/q.ktx2"));
  EXPECT_FALSE(disk.has("runtime/assets.hman"));
  // The second time, the model is up to date, but its picture is not.
  EXPECT_FALSE(try_build()->ok);
  disk.put("assets/a.model", "inside p fine\ninside q blue\n");
  build();
  expect_tree_as_clean();
}

TEST_F(Engine, warnings_of_steps_that_need_not_run_are_in_the_report) {
  disk.put("assets/b.model", "warn a second UV set is dropped\ninside p odd one\n");
  disk.put("assets/a.pic", "odd two");
  const std::string said = messages(build());
  EXPECT_EQ(said,
            "a.pic: line 1: an odd picture\nb.model: order: a second UV set is dropped\nb.model inside p: line 1: an "
            "odd picture\n");
  EXPECT_EQ(messages(build()), said);
  disk.put("assets/c.pic", "x");  // this build does not take the shortest path
  EXPECT_EQ(messages(build()), said);
}

TEST_F(Engine, no_cache_runs_everything_and_rewrites_nothing_equal) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/b.model", "inside p red\n");
  build();
  const auto stamp = disk.mtime_ns("runtime/a.ktx2");
  request.no_cache = true;
  const Report report = build();
  EXPECT_THAT(why(report), ElementsAre("a.pic: --no-cache", "b.model: --no-cache", "b.model inside p: --no-cache"));
  EXPECT_EQ(report.totals.files_written, 0u);
  EXPECT_EQ(disk.mtime_ns("runtime/a.ktx2"), stamp);
}

TEST_F(Engine, a_dry_run_says_what_would_run_and_writes_nothing) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/gone.pic", "b");
  build();
  disk.put("assets/a.pic", "A");
  disk.put("assets/new.pic", "N");
  disk.erase("assets/gone.pic");
  const std::int64_t writes = disk.writes();
  request.dry_run = true;
  const Report report = build();
  EXPECT_EQ(disk.writes(), writes);
  EXPECT_THAT(why(report), ElementsAre("a.pic: input changed: a.pic", "new.pic: not built yet"));
  EXPECT_THAT(report.removed, ElementsAre("gone.ktx2"));
  EXPECT_THAT(toy::cooked().take(), IsEmpty());
}

TEST_F(Engine, a_dry_run_of_a_project_never_built_writes_nothing) {
  disk.put("assets/a.pic", "a");
  const std::int64_t writes = disk.writes();
  request.dry_run = true;
  EXPECT_THAT(why(build()), ElementsAre("a.pic: not built yet"));
  EXPECT_EQ(disk.writes(), writes);
}

TEST_F(Engine, a_change_within_one_tick_of_the_clock_is_seen) {
  disk.stand_still = true;
  disk.put("assets/a.pic", "1");
  build();
  disk.overwrite("assets/a.pic", "2");  // same size, stamps and inode
  EXPECT_THAT(why(build()), ElementsAre("a.pic: input changed: a.pic"));
  disk.overwrite("assets/a.pic", "3");
  build();
  EXPECT_EQ(disk.text("runtime/a.ktx2"), "picture color good 3");
}

TEST_F(Engine, a_missing_input_directory_is_an_error_that_says_what_to_do) {
  yaml = "input: elsewhere";
  auto report = try_build();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().to_string(),
            "elsewhere: the input directory does not exist; create it, or set input: in assetc.yml");
}

TEST_F(Engine, a_recipe_cannot_read_outside_the_input) {
  disk.put("assets/a.model", "include ../secret\n");
  disk.put("secret", "x");
  auto report = try_build();
  ASSERT_TRUE(report);
  EXPECT_EQ(messages(*report),
            "a.model: the path \"../secret\" leads out of the input directory; use a path below the input directory\n");
}

TEST_F(Engine, the_events_tell_each_step_once) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/b.pic", "broken");
  disk.put("assets/c.model", "inside p red\n");
  (void)try_build();
  EXPECT_EQ(events.of<StepStarted>().size(), 4u);
  EXPECT_EQ(events.of<StepFinished>().size(), 3u);
  EXPECT_EQ(events.of<StepFailed>().size(), 1u);
  EXPECT_EQ(events.of<StepQueued>().size(), 3u);  // steps that the model asks for, and sources that it does not take
  ASSERT_EQ(events.of<BuildPlanned>().size(), 1u);
  EXPECT_EQ(events.of<BuildPlanned>()[0].steps_to_run, 1u);
}

TEST_F(Engine, the_tree_does_not_depend_on_the_number_of_jobs) {
  for (int i = 0; i < 40; ++i) {
    disk.put("assets/" + std::to_string(i) + ".model",
             "inside p c" + std::to_string(i % 7) + "\npicture x.pic\nclip\n");
  }
  disk.put("assets/x.pic", "x");
  request.jobs = 1;
  build();
  const auto one = disk.tree("runtime");
  disk.remove_all("runtime");
  request.jobs = 8;
  build();
  EXPECT_EQ(disk.tree("runtime"), one);
}

// How to add an asset kind: claims, a cook, a line in the list of recipes.
TEST_F(Engine, a_new_asset_kind_is_one_recipe) {
  static constexpr std::array kClaims{recipes::Claim{".poem", false, ".poem", {}, {}}};
  const recipes::Recipe poem{"poem",
                             1,
                             kClaims,
                             {},
                             false,
                             [](const recipes::Step& step, recipes::Inputs& inputs) -> Result<recipes::Product> {
                               ASSETC_TRY(const Bytes input, step.input(inputs));
                               recipes::Product product;
                               product.outputs.push_back({".rhyme", input, {recipes::AssetKind::kEmbed}});
                               return product;
                             },
                             toy::small_estimate};
  const std::array<const recipes::Recipe*, 2> list{&poem, &toy::picture_recipe()};
  request.recipes = list;
  disk.put("assets/spring.poem", "green");
  disk.put("assets/a.pic", "a");
  build();
  EXPECT_EQ(disk.text("runtime/spring.rhyme"), "green");
  EXPECT_THAT(why(build()), IsEmpty());
}

}  // namespace
}  // namespace assetc::engine
