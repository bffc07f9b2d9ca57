// Warnings that the configuration accepts are counted and listed with their reason; unused entries are reported.
#include "engine/config/platforms.hpp"
#include "engine/engine_fixture.hpp"

namespace assetc::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string refused(std::string_view entry) {
  const auto config = parse_config("accept:\n  - " + std::string(entry) + "\n", "assetc.yml");
  return config ? "no error" : config.error().to_string();
}

TEST(Accept, an_entry_has_a_kind_and_a_reason) {
  const auto config = parse_config(
      "accept:\n"
      "  - {kind: merged-nodes, reason: they do not move}\n"
      "  - kind: dropped-extras\n"
      "    path: \"models/*\"\n"
      "    reason: nobody reads them\n"
      "    preset: mobile\n"
      "presets: {mobile: {}}\n",
      "assetc.yml");
  ASSERT_TRUE(config) << config.error().to_string();
  ASSERT_THAT(config->accept, SizeIs(2));
  EXPECT_EQ(config->accept[0].kind, WarningKind::kMergedNodes);
  EXPECT_EQ(config->accept[0].path, "**");
  EXPECT_EQ(config->accept[0].reason, "they do not move");
  EXPECT_EQ(config->accept[0].place, "line 2");
  EXPECT_EQ(config->accept[1].path, "models/*");
  EXPECT_THAT(resolve(*config)->accept, SizeIs(1)) << "the other one belongs to a preset";
  EXPECT_THAT(resolve(*config, {.preset = "mobile"})->accept, SizeIs(2));
}

TEST(Accept, what_is_wrong_names_its_line_and_guesses) {
  EXPECT_EQ(refused("{kind: merged-node, reason: why}"),
            "assetc.yml: line 2: accept.kind: found \"merged-node\", expected a kind of warning; did you mean "
            "\"merged-nodes\"?");
  EXPECT_THAT(refused("{kind: zzzzzzzzzzzzzz, reason: why}"), HasSubstr("docs/reference/warnings.md lists the kinds"));
  EXPECT_THAT(
      refused("{kind: other-preset, reason: why}"),
      HasSubstr("line 2: accept.kind: found \"other-preset\", expected a kind of warning that every build repeats"));
  EXPECT_THAT(refused("{kind: merged-nodes}"), HasSubstr("line 2: accept: found an entry without reason:"));
  EXPECT_THAT(refused("{reason: why}"), HasSubstr("line 2: accept: found an entry without kind:"));
  EXPECT_THAT(refused("{kind: merged-nodes, reason: \"\"}"), HasSubstr("accept.reason: found nothing"));
  // A misspelled key would accept more than intended.
  EXPECT_THAT(refused("{kind: merged-nodes, paths: a, reason: why}"),
              HasSubstr("found the unknown key \"paths\"; did you mean \"path\"?"));
  EXPECT_THAT(refused("{kind: [merged-nodes], reason: why}"), HasSubstr("expected one value"));
  EXPECT_THAT(refused("merged-nodes"), HasSubstr("expected entries such as"));
  EXPECT_THAT(refused("{kind: merged-nodes, reason: why, preset: desktp}"),
              HasSubstr("is neither a preset nor a platform"));
}

TEST(Accept, is_the_same_in_the_json_of_a_pipeline) {
  const auto config = parse_pipeline_json(
      R"({"Accept": [{"Kind": "merged-nodes", "Path": "Models/*", "Reason": "why"}]})", "AssetPipeline.json", ".");
  ASSERT_TRUE(config) << config.error().to_string();
  ASSERT_THAT(config->accept, SizeIs(1));
  EXPECT_EQ(config->accept[0].path, "Models/*");
  EXPECT_EQ(config->accept[0].place, "/Accept/0");
  const auto wrong = parse_pipeline_json(R"({"Accept": [{"Kind": "merged-nodes"}]})", "AssetPipeline.json", ".");
  EXPECT_THAT(wrong.error().to_string(),
              HasSubstr("AssetPipeline.json: /Accept/0: accept: found an entry without reason:"));
}

TEST(Accept, a_path_is_that_of_a_model_also_for_pictures_in_it) {
  Acceptance entry;
  entry.kind = WarningKind::kDroppedChannels;
  entry.path = "models/chair.glb";
  EXPECT_TRUE(entry.covers(WarningKind::kDroppedChannels, "models/chair.glb"));
  EXPECT_TRUE(entry.covers(WarningKind::kDroppedChannels, "models/chair.glb image 3 (wood.png)"));
  EXPECT_FALSE(entry.covers(WarningKind::kDroppedChannels, "models/chair.glb.png"));
  EXPECT_FALSE(entry.covers(WarningKind::kMergedNodes, "models/chair.glb"));
}

class Accepting : public Engine {
 protected:
  Accepting() {
    disk.put("assets/a.model", "warn one");
    disk.put("assets/sub/b.model", "warn two");
    disk.put("assets/c.pic", "odd");
  }
  static std::vector<std::string> said(const Report& report) {
    std::vector<std::string> files;
    for (const auto& d : report.diagnostics) files.push_back(d.what.file + ": " + std::string(to_string(*d.kind)));
    return files;
  }
  static std::vector<std::string> accepted(const Report& report) {
    std::vector<std::string> lines;
    for (const Accepted& a : report.accepted) lines.push_back(a.warning.what.file + ": " + a.reason);
    return lines;
  }
  static std::vector<std::string> unmatched(const Report& report) {
    std::vector<std::string> lines;
    for (const Error& error : report.unmatched) lines.push_back(error.to_string());
    return lines;
  }
};

constexpr const char* kModels = "accept: [{kind: dropped-content, reason: known}]\n";

TEST_F(Accepting, warnings_of_the_kind_are_accepted_and_others_are_not) {
  yaml = kModels;
  const Report report = build();
  EXPECT_THAT(said(report), ElementsAre("c.pic: damaged-picture"));
  EXPECT_THAT(accepted(report), ElementsAre("a.model: known", "sub/b.model: known"));
  EXPECT_THAT(unmatched(report), IsEmpty());
}

TEST_F(Accepting, a_path_bounds_what_is_accepted) {
  yaml = "accept: [{kind: dropped-content, path: \"sub/*\", reason: known}]\n";
  const Report report = build();
  EXPECT_THAT(said(report), ElementsAre("a.model: dropped-content", "c.pic: damaged-picture"));
  EXPECT_THAT(accepted(report), ElementsAre("sub/b.model: known"));
}

TEST_F(Accepting, kinds_are_remembered_and_accepting_builds_nothing_again) {
  build();
  yaml = kModels;
  Report report = build();
  EXPECT_TRUE(report.unchanged);
  EXPECT_EQ(report.totals.ran, 0u);
  EXPECT_THAT(accepted(report), SizeIs(2)) << "also if nothing changed";
  disk.put("assets/c.pic", "plain");
  report = build();
  EXPECT_THAT(why(report), ElementsAre("c.pic: input changed: c.pic"));
  EXPECT_THAT(accepted(report), SizeIs(2)) << "also if other sources changed";
  EXPECT_THAT(report.diagnostics, IsEmpty());
  yaml = "";
  report = build();
  EXPECT_EQ(report.totals.ran, 0u);
  EXPECT_THAT(said(report), ElementsAre("a.model: dropped-content", "sub/b.model: dropped-content"));
}

TEST_F(Accepting, kinds_come_back_from_a_store) {
  shares = true;
  build();
  disk.remove_all("runtime");
  yaml = kModels;
  const Report report = build();
  EXPECT_EQ(report.totals.ran, 0u);
  EXPECT_THAT(said(report), ElementsAre("c.pic: damaged-picture"));
  EXPECT_THAT(accepted(report), SizeIs(2));
}

TEST_F(Accepting, a_session_that_goes_on_accepts_what_it_had_said) {
  Session builds;
  session = &builds;
  yaml = kModels;
  build();
  builds.prepare(request, disk);
  disk.put("assets/a.model", "nothing to say");
  changes = std::vector<std::string>{"a.model"};
  const Report report = build();
  EXPECT_TRUE(builds.went_on());
  EXPECT_THAT(said(report), ElementsAre("c.pic: damaged-picture"));
  EXPECT_THAT(accepted(report), ElementsAre("sub/b.model: known"));
}

TEST_F(Accepting, an_entry_that_covers_nothing_any_more_is_told_with_its_line) {
  yaml =
      "accept:\n  - {kind: dropped-content, reason: known}\n  - {kind: dropped-content, path: \"old/*\", reason: x}\n"
      "  - {kind: merged-nodes, reason: x}\n";
  for (int i = 0; i < 2; ++i) {  // the first build, and an unchanged one
    EXPECT_THAT(
        unmatched(build()),
        ElementsAre("assetc.yml: line 3: accept: no warning is of the kind dropped-content and about \"old/*\"; "
                    "the entry matches nothing any more; remove it",
                    "assetc.yml: line 4: accept: no warning is of the kind merged-nodes; the entry matches "
                    "nothing any more; remove it"));
  }
}

TEST_F(Accepting, an_entry_of_use_beside_another_is_not_told) {
  yaml = "accept: [{kind: dropped-content, reason: known}, {kind: dropped-content, path: \"sub/*\", reason: more}]\n";
  EXPECT_THAT(unmatched(build()), IsEmpty());
}

TEST_F(Accepting, a_build_that_does_not_see_all_misses_nothing) {
  yaml = "accept: [{kind: merged-nodes, reason: x}]\n";
  request.dry_run = true;
  EXPECT_THAT(unmatched(build()), IsEmpty());
  request.dry_run = false;
  request.selects = [](std::string_view source) { return source == "a.model"; };
  EXPECT_THAT(unmatched(build()), IsEmpty());
  request.selects = nullptr;
  shares = true;
  request.shard = Shard{1, 2};
  EXPECT_THAT(unmatched(build()), IsEmpty());
  request.shard.reset();
  disk.put("assets/broken.pic", "broken");
  const auto failed = try_build();
  ASSERT_TRUE(failed);
  EXPECT_FALSE(failed->ok);
  EXPECT_THAT(unmatched(*failed), IsEmpty());
  disk.erase("assets/broken.pic");
  EXPECT_THAT(unmatched(build()), SizeIs(1));
}

}  // namespace
}  // namespace assetc::engine
