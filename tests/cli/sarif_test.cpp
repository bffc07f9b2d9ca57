#include "cli/report/sarif.hpp"

#include <gtest/gtest.h>

#include "parsed_json.hpp"

namespace assetc::cli {
namespace {

Json run_of(std::span<const Finding> findings, const std::string& root, const std::string& here) {
  const Json log = parsed_json(sarif_log("check", findings, root, here));
  EXPECT_EQ(log["version"], "2.1.0");
  return log["runs"][0];
}

Json run_of(const std::vector<Error>& errors, const std::string& root, const std::string& here) {
  return run_of(findings_of(errors), root, here);
}

TEST(Sarif, files_are_named_from_the_root_wherever_the_command_ran) {
  const std::vector<Error> errors{
      {ErrorCode::kInvalidData, "../run time/a.ktx2", {}, "bad", {}},
      {ErrorCode::kInvalidData, "b.ktx2", {}, "bad", {}},
      {ErrorCode::kInvalidData, "/home/me/game/runtime/c.ktx2", {}, "bad", {}},
      {ErrorCode::kInvalidData, "../../elsewhere/d.ktx2", {}, "bad", {}},
      {ErrorCode::kInvalidData, "../../game2/e.ktx2", {}, "bad", {}},
      {ErrorCode::kLimit, {}, {}, "of no file", {}},
  };
  const Json run = run_of(errors, "/home/me/game", "/home/me/game/tools");
  EXPECT_EQ(run["originalUriBaseIds"]["SRCROOT"]["uri"], "file:///home/me/game/");
  const auto location = [&](std::size_t i) { return run["results"][i]["locations"][0]["physicalLocation"]; };
  const char* const inside[] = {"run%20time/a.ktx2", "tools/b.ktx2", "runtime/c.ktx2"};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(location(i)["artifactLocation"], (Json{{"uri", inside[i]}, {"uriBaseId", "SRCROOT"}}));
  }
  EXPECT_EQ(location(3)["artifactLocation"], (Json{{"uri", "file:///home/me/elsewhere/d.ktx2"}}));
  EXPECT_EQ(location(4)["artifactLocation"], (Json{{"uri", "file:///home/me/game2/e.ktx2"}}));
  EXPECT_FALSE(run["results"][5].contains("locations"));
  EXPECT_EQ(run_of(errors, "/", "/x")["results"][1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "x/b.ktx2");
}

// Code hosts do not show results without a line.
TEST(Sarif, a_line_is_a_region_and_any_other_place_a_part_of_the_message) {
  const std::vector<Error> errors{
      {ErrorCode::kInvalidData, "a.yml", "line 7, column 5", "bad", "mend it"},
      {ErrorCode::kInvalidData, "a.yml", "line 7", "bad", {}},
      {ErrorCode::kInvalidData, "a.ktx2", "byte 0", "bad", {}},
      {ErrorCode::kInvalidData, "a.hman", "entry 3", "bad", {}},
  };
  const Json run = run_of(errors, "/p", "/p");
  const auto region = [&](std::size_t i) { return run["results"][i]["locations"][0]["physicalLocation"]["region"]; };
  const auto text = [&](std::size_t i) { return run["results"][i]["message"]["text"]; };
  EXPECT_EQ(region(0), (Json{{"startLine", 7}, {"startColumn", 5}}));
  EXPECT_EQ(text(0), "bad; mend it");
  EXPECT_EQ(region(1), (Json{{"startLine", 7}}));
  EXPECT_EQ(region(2), (Json{{"startLine", 1}}));
  EXPECT_EQ(text(2), "byte 0: bad");
  EXPECT_EQ(region(3), (Json{{"startLine", 1}}));
  EXPECT_EQ(text(3), "entry 3: bad");
}

TEST(Sarif, a_warning_is_a_result_of_its_kind_and_one_that_is_accepted_is_suppressed) {
  const Error merged{ErrorCode::kInvalidData, "a.gltf", "/nodes/1", "3 nodes become one", {}};
  const std::vector<Finding> findings{
      {recipes::Severity::kWarning, WarningKind::kMergedNodes, merged, std::nullopt},
      {recipes::Severity::kWarning, WarningKind::kMergedNodes, merged, "they do not move"},
      {recipes::Severity::kWarning, WarningKind::kDroppedExtras, merged, std::nullopt},
      {recipes::Severity::kError, std::nullopt, merged, std::nullopt},
  };
  const Json run = run_of(findings, "/p", "/p");
  const Json& results = run["results"];
  EXPECT_EQ(results[0]["ruleId"], "merged-nodes");
  EXPECT_EQ(results[0]["level"], "warning");
  EXPECT_FALSE(results[0].contains("suppressions"));
  EXPECT_EQ(results[1]["suppressions"],
            Json::array({Json{{"kind", "external"}, {"justification", "they do not move"}}}));
  EXPECT_EQ(results[3]["ruleId"], "invalid_data");
  EXPECT_EQ(results[3]["level"], "error");
  const Json& rules = run["tool"]["driver"]["rules"];
  ASSERT_EQ(rules.size(), 3u) << "each rule once, and no others";
  for (const Json& result : results.items()) EXPECT_EQ(rules[result["ruleIndex"].as_uint()]["id"], result["ruleId"]);
}

TEST(Sarif, every_rule_says_what_it_means_and_what_to_do) {
  std::vector<Finding> findings;
  for (const WarningRow& row : warning_rows())
    findings.push_back({recipes::Severity::kWarning, row.kind, {ErrorCode::kLimit, "a", {}, "b", {}}, std::nullopt});
  for (int code = 0; code <= static_cast<int>(ErrorCode::kCanceled); ++code)
    findings.push_back(
        {recipes::Severity::kError, std::nullopt, {static_cast<ErrorCode>(code), "a", {}, "b", {}}, std::nullopt});
  const Json driver = run_of(findings, "/p", "/p")["tool"]["driver"];
  const std::string about = driver["informationUri"].as_string();
  EXPECT_NE(about.find(':'), std::string::npos) << "an absolute URI";
  EXPECT_EQ(driver["rules"].size(), findings.size());
  for (const Json& rule : driver["rules"].items()) {
    for (const char* const text : {"shortDescription", "fullDescription", "help"})
      EXPECT_FALSE(rule[text]["text"].as_string().empty()) << rule;
    EXPECT_EQ(rule["helpUri"], about + "#" + rule["id"].as_string());
  }
}

}  // namespace
}  // namespace assetc::cli
