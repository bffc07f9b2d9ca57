// --json: one event per line, with the names documented in docs/guide/json.md.
#include <gmock/gmock.h>

#include <set>

#include "e2e/project.hpp"
#include "parsed_json.hpp"
#include "places.hpp"

namespace assetc::e2e {
namespace {

class JsonEvents : public Project {
 protected:
  // Parses every line; the event must be the first member.
  std::vector<Json> events(const std::string& arguments, int exit_code = 0) {
    const Finished done = run(arguments + " --json");
    EXPECT_EQ(done.exit_code, exit_code) << done.out << done.err;
    EXPECT_EQ(done.err, "");
    std::vector<Json> parsed;
    for (const std::string& line : lines_after(done.out, "")) {
      EXPECT_TRUE(line.starts_with("{\"event\":")) << line;
      parsed.push_back(parsed_json(line));
    }
    return parsed;
  }
  static std::vector<Json> only(const std::vector<Json>& all, const std::string& name) {
    std::vector<Json> found;
    for (const Json& event : all) {
      if (event["event"] == name) found.push_back(event);
    }
    return found;
  }
  static std::set<std::string> keys(const Json& object) {
    std::set<std::string> names;
    for (const auto& [name, value] : object.members()) names.insert(name);
    return names;
  }
};

TEST_F(JsonEvents, a_build_tells_every_step_and_a_summary_last) {
  write("assets/a.png", png(8, 8, 1));
  write("assets/b.png", "broken");
  const auto all = events("", 1);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(only(all, "build_planned").at(0)["steps_to_run"], 2);
  EXPECT_EQ(only(all, "step_started").size(), 2u);
  const Json finished = only(all, "step_finished").at(0);
  EXPECT_EQ(finished["source"], "a.png");
  EXPECT_EQ(finished["recipe"], "texture");
  EXPECT_EQ(finished["reason"]["kind"], "no_record");
  EXPECT_EQ(only(all, "step_failed").at(0)["source"], "b.png");
  const Json diagnostic = only(all, "diagnostic").at(0);
  EXPECT_EQ(keys(diagnostic),
            (std::set<std::string>{"event", "severity", "code", "file", "place", "what", "hint", "kind", "ignore"}));
  EXPECT_EQ(diagnostic["severity"], "error");
  EXPECT_EQ(diagnostic["file"], "b.png");
  const Json& summary = all.back();
  EXPECT_EQ(
      keys(summary),
      (std::set<std::string>{
          "event",         "ok",          "dry_run",    "preset",    "shard",        "input",         "output",
          "pack",          "sources",     "taken",      "unclaimed", "steps",        "ran",           "copied",
          "restored",      "cached",      "failed",     "outputs",   "output_bytes", "files_written", "bytes_written",
          "files_removed", "not_started", "incomplete", "dependent", "to_run",       "warnings",      "accepted",
          "seconds"}));
  EXPECT_EQ(summary["event"], "summary");
  EXPECT_EQ(summary["ok"], false);
  EXPECT_EQ(summary["failed"], 1);
}

TEST_F(JsonEvents, steps_say_what_rdo_gave_and_cost) {
  write("assets/a.png", png(64, 64, 1));
  write("assets/same.png", png(64, 64, 1));
  write("assetc.yml", "default:\n  texture: {rdo: 20}\n  rules:\n    - match: same.png\n      texture: {rdo: 0}\n");
  const auto finished = only(events(""), "step_finished");
  ASSERT_EQ(finished.size(), 2u);
  for (const Json& step : finished) {
    if (step["source"] == "same.png") {
      EXPECT_FALSE(step.contains("rdo"));
      continue;
    }
    EXPECT_EQ(keys(step["rdo"]), (std::set<std::string>{"uncompressed_bytes", "compressed_bytes", "psnr_db"}));
    EXPECT_EQ(step["rdo"]["uncompressed_bytes"], 4096 + 1024 + 256 + 64 + 16 + 16 + 16);
    EXPECT_LT(step["rdo"]["compressed_bytes"].as_number(), step["rdo"]["uncompressed_bytes"].as_number());
    EXPECT_GT(step["rdo"]["psnr_db"].as_number(), 20);
    EXPECT_LT(step["rdo"]["psnr_db"].as_number(), 60);
    EXPECT_LT(step["rdo"]["compressed_bytes"].as_number(), step["bytes"].as_number());
  }
}

TEST_F(JsonEvents, a_verbose_build_says_what_rdo_gave_and_cost) {
  write("assets/a.png", png(64, 64, 1));
  write("assetc.yml", "default:\n  texture: {rdo: 20}\n");
  EXPECT_THAT(build("-v").err, ::testing::ContainsRegex(
                                   R"(built a.png \(texture\) .*, [0-9.]+ dB, [0-7]\.[0-9][0-9] of 8 bits per texel)"));
}

TEST_F(JsonEvents, reasons_are_typed) {
  write("assets/a.png", png(8, 8, 1));
  build();
  write("assets/a.png", png(8, 8, 2));
  const auto planned = only(events("-n"), "step_planned");
  ASSERT_EQ(planned.size(), 1u);
  EXPECT_EQ(planned[0]["reason"]["kind"], "input_changed");
  EXPECT_EQ(planned[0]["reason"]["subject"], "a.png");
  EXPECT_EQ(planned[0]["reason"]["text"], "input changed: a.png");
}

TEST_F(JsonEvents, an_error_that_stops_the_command_is_an_event) {
  const auto all = events("", 2);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0]["event"], "error");
  EXPECT_EQ(all[0]["code"], "not_found");
}

TEST_F(JsonEvents, a_wrong_command_line_is_an_event) {
  for (const char* words : {"--nope", "--jobs 0", "info -j 4", "pack", "check a -o b", "render a.glb"}) {
    const auto all = events(words, 2);
    ASSERT_EQ(all.size(), 1u) << words;
    EXPECT_EQ(all[0]["event"], "error");
    EXPECT_EQ(all[0]["code"], "usage");
    EXPECT_NE(all[0]["what"], "");
    EXPECT_THAT(all[0]["hint"].as_string(), testing::MatchesRegex("run `assetc.* --help` for its options"));
  }
}

TEST_F(JsonEvents, info_check_and_pack_info) {
  write("assets/a.png", png(8, 8, 1));
  build("--pack");
  const auto info = events("info");
  EXPECT_EQ(only(info, "file").size(), 2u);
  const Json texture = only(info, "file").at(0);
  EXPECT_EQ(texture["path"], "a.ktx2");
  EXPECT_EQ(texture["kind"], "texture");
  EXPECT_EQ(texture["width"], 8);
  EXPECT_EQ(texture["colorspace"], "srgb");
  EXPECT_EQ(only(info, "totals").at(0)["files"], 2);

  const auto check = events("check");
  ASSERT_EQ(check.size(), 1u);
  EXPECT_EQ(check[0]["event"], "check_summary");
  EXPECT_EQ(check[0]["ok"], true);

  const auto pack = events("pack info");
  EXPECT_EQ(only(pack, "entry").size(), 2u);
  EXPECT_EQ(only(pack, "pack").at(0)["entries"], 2);
}

// The guide has every event and member that the program prints.
TEST_F(JsonEvents, the_guide_names_everything) {
  const std::string guide = read_file(fs::path(places::kSource) / "docs/guide/json.md");
  fs::copy(fs::path(places::kSource) / "examples/demo/assets", root_ / "assets", fs::copy_options::recursive);
  write("assetc.yml", "presets:\n  a: {}\n");
  std::vector<Json> all;
  const auto gather = [&](const std::string& arguments) {
    for (Json& event : events(arguments)) all.push_back(std::move(event));
  };
  gather("--pack");
  remove("assets/decals");
  gather("-n");
  gather("");
  gather("info");
  for (const Json& file : only(all, "file"))
    EXPECT_NE(file["kind"], "other") << file["path"] << " has no row in filetypes";
  gather("check");
  gather("pack info");
  gather("--list-presets");
  for (const Json& event : all) {
    const std::string name = event["event"].as_string();
    EXPECT_NE(guide.find("`" + name + "`"), std::string::npos) << name;
    for (const std::string& key : keys(event))
      EXPECT_NE(guide.find("`" + key + "`"), std::string::npos) << name << "." << key;
  }
}

}  // namespace
}  // namespace assetc::e2e
