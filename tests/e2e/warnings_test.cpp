// Warnings about sources: grouped, accepted by the project, and as JSON for programs.
#include <gmock/gmock.h>

#include "e2e/project.hpp"
#include "parsed_json.hpp"

namespace assetc::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;
using Parsed = Json;

class Warnings : public Project {
 protected:
  void put_materials(int count) const {
    for (int i = 0; i < count; ++i) write("assets/m" + std::to_string(i) + ".mat", "name: c\nnot_a_key: 1\n");
  }
  static std::vector<Parsed> diagnostics(const std::string& out) {
    std::vector<Parsed> found;
    for (const std::string& line : lines_after(out, "{\"event\":\"diagnostic\""))
      found.push_back(parsed_json("{\"event\":\"diagnostic\"" + line));
    return found;
  }
  static Parsed summary(const std::string& out) { return parsed_json(lines_after(out, "").back()); }
};

TEST_F(Warnings, one_or_two_of_a_kind_are_said_in_full) {
  put_materials(2);
  EXPECT_EQ(build().err,
            "warning: m0.mat: line 2: found the unknown key \"not_a_key\"; it is ignored [unknown-key]\n"
            "warning: m1.mat: line 2: found the unknown key \"not_a_key\"; it is ignored [unknown-key]\n");
}

TEST_F(Warnings, many_of_a_kind_are_one_line_with_their_count_and_the_first_subjects) {
  put_materials(5);
  write("assets/.hidden.png", "");
  const std::string said = build().err;
  EXPECT_EQ(said,
            "warning: unknown-key: 5 files: m0.mat (line 2), m1.mat (line 2), m2.mat (line 2) and 2 more: found the "
            "unknown key \"not_a_key\"; it is ignored\n"
            "warning: .hidden.png: is hidden and ignored; rename it without the dot, or list it under ignore: "
            "[hidden-file]\n"
            "6 warnings; --warnings lists all\n");
  const std::string all = build("--warnings").err;
  for (int i = 0; i < 5; ++i) EXPECT_THAT(all, HasSubstr("warning: m" + std::to_string(i) + ".mat: line 2: found"));
  write("assets/m0.mat", "name: c\nnot_a_key: 1\nnor_this: 2\n");
  EXPECT_THAT(build().err, HasSubstr("warning: unknown-key: 6 warnings in 5 files: m0.mat (line 2), m0.mat (line 3), "
                                     "m1.mat (line 2) and 3 more: found"));
}

TEST_F(Warnings, an_accepted_one_is_counted_and_no_reason_for_strict_to_fail) {
  put_materials(3);
  EXPECT_EQ(run("--strict").exit_code, 1);
  write("assetc.yml", "accept: [{kind: unknown-key, path: \"m*\", reason: of another engine}]\n");
  for (int i = 0; i < 2; ++i) {  // the second build has no changes
    const Finished strict = build("--strict");
    EXPECT_EQ(strict.err, "");
    EXPECT_THAT(strict.out, HasSubstr(", 3 warnings accepted"));
    EXPECT_THAT(strict.out, HasSubstr(" 0 built")) << "accepting a warning rebuilds nothing";
  }
  EXPECT_THAT(build("--warnings").err,
              HasSubstr("warning: m0.mat: line 2: found the unknown key \"not_a_key\"; it is ignored; accepted: of "
                        "another engine [unknown-key]\n"));
  write("assets/n.mat", "name: c\nnot_a_key: 1\n");
  const Finished other = run("--strict --report report.json");
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.err, HasSubstr("n.mat"));
  EXPECT_THAT(other.err, HasSubstr("1 warning, which --strict treats as errors"));
  const Parsed report = parsed_json(read("report.json"));
  EXPECT_EQ(report["warnings"], 1);
  EXPECT_EQ(report["accepted"], 3);
}

TEST_F(Warnings, an_entry_that_matches_nothing_fails_whole_builds_alone) {
  put_materials(1);
  write("assetc.yml", "accept:\n  - {kind: unknown-key, reason: known}\n  - {kind: merged-nodes, reason: known}\n");
  EXPECT_EQ(run("-n").exit_code, 0) << "a dry run";
  for (int i = 0; i < 2; ++i) {
    const Finished done = run();
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_EQ(
        done.err,
        "error: assetc.yml: line 3: accept: no warning is of the kind merged-nodes; the entry matches nothing any "
        "more; remove it\n");
    EXPECT_TRUE(exists("runtime/assets.hman")) << "all was built";
  }
  EXPECT_EQ(summary(run("--json").out)["ok"], false);
  write("assets/broken.mat", "roughness: [\n");
  EXPECT_THAT(run().err, Not(HasSubstr("accept:"))) << "a step that failed may have had the warning";
  write("assetc.yml", "accept: [{kind: unknown-keys, reason: known}]\n");
  const Finished wrong = run();
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean \"unknown-key\"?"));
}

TEST_F(Warnings, programs_get_the_kind_and_what_is_accepted) {
  put_materials(2);
  write("assetc.yml", "accept: [{kind: unknown-key, path: m0.mat, reason: known}]\n");
  const std::string out = build("--json").out;
  const auto found = diagnostics(out);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0]["file"], "m1.mat");
  EXPECT_EQ(found[0]["kind"], "unknown-key");
  EXPECT_FALSE(found[0].contains("accepted"));
  EXPECT_EQ(found[1]["file"], "m0.mat");
  EXPECT_EQ(found[1]["accepted"], "known");
  EXPECT_EQ(summary(out)["warnings"], 1);
  EXPECT_EQ(summary(out)["accepted"], 1);
}

TEST_F(Warnings, a_build_writes_them_as_sarif) {
  put_materials(2);
  write("assets/broken.mat", "roughness: [\n");
  write("assetc.yml", "accept: [{kind: unknown-key, path: m0.mat, reason: known}]\n");
  EXPECT_EQ(run("--sarif build.sarif").exit_code, 1);
  const Parsed log = parsed_json(read("build.sarif"))["runs"][0];
  std::map<std::string, Parsed> results;
  for (const Parsed& result : log["results"].items())
    results[result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_string()] = result;
  ASSERT_EQ(results.size(), 3u) << log["results"];
  EXPECT_EQ(results["assets/m0.mat"]["suppressions"][0]["justification"], "known");
  EXPECT_EQ(results["assets/m1.mat"]["ruleId"], "unknown-key");
  EXPECT_EQ(results["assets/m1.mat"]["level"], "warning");
  EXPECT_EQ(results["assets/m1.mat"]["locations"][0]["physicalLocation"]["region"]["startLine"], 2);
  EXPECT_EQ(results["assets/broken.mat"]["level"], "error");
}

TEST_F(Warnings, many_conflicts_with_one_remedy_are_one_error) {
  for (int i = 0; i < 20; ++i) {
    write("assets/t" + std::to_string(i) + ".png", png(8, 8, static_cast<std::uint32_t>(i)));
    write("assets/t" + std::to_string(i) + ".webp", "RIFF");
  }
  const Finished done = run("");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.out, HasSubstr("40 failed"));
  std::size_t errors = 0;
  for (std::size_t at = done.err.find("error: "); at != std::string::npos; at = done.err.find("error: ", at + 1))
    ++errors;
  EXPECT_EQ(errors, 1u) << done.err;
  EXPECT_THAT(done.err,
              HasSubstr("; and 39 other sources with the same remedy; --warnings lists all; rename one of them, "
                        "leave one out with ignore:, or let the first suffix win with prefer: [png, webp]"));
  EXPECT_THAT(run("--warnings").err, HasSubstr("t9.webp: would write"));
  write("assetc.yml", "prefer: [png, webp]\n");
  EXPECT_THAT(build("").out, HasSubstr("20 built"));
}

TEST_F(Warnings, a_cook_accepts_them_too) {
  write("Assets/Mats/a.mat", "name: c\nnot_a_key: 1\n");
  write("assetc.yml",
        "platforms: [Linux, Win64]\n"
        "accept:\n"
        "  - {kind: unknown-key, path: \"Assets/Mats/*\", reason: known}\n"
        "  - {kind: merged-nodes, platform: Win64, reason: known}\n");
  const Finished done = build("cook --platform Linux --strict --sarif cook.sarif");
  EXPECT_THAT(done.out, HasSubstr("1 warning accepted"));
  const Parsed result = parsed_json(read("cook.sarif"))["runs"][0]["results"][0];
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "Assets/Mats/a.mat");
  EXPECT_TRUE(result.contains("suppressions"));
  const Finished other = run("cook --platform Win64");
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.err, HasSubstr("assetc.yml: line 4: accept: no warning is of the kind merged-nodes"));
}

}  // namespace
}  // namespace assetc::e2e
