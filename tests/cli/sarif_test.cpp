#include "cli/sarif.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace assetc::cli {
namespace {

using Json = nlohmann::json;

Json run_of(std::span<const Error> errors, const std::string& root, const std::string& here) {
  const Json log = Json::parse(sarif_log("check", errors, root, here), nullptr, false);
  EXPECT_EQ(log["version"], "2.1.0");
  return log["runs"][0];
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

// Code hosts show no result that has no line.
TEST(Sarif, a_line_is_a_region_and_any_other_place_a_part_of_the_message) {
  const std::vector<Error> errors{
      {ErrorCode::kInvalidData, "a.yml", "line 7, column 5", "bad", "mend it"},
      {ErrorCode::kInvalidData, "a.yml", "line 7", "bad", {}},
      {ErrorCode::kInvalidData, "a.ktx2", "byte 0", "bad", {}},
      {ErrorCode::kInvalidData, "a.hman", "entry 3", "bad", {}},
  };
  const Json run = run_of(errors, "/p", "/p");
  const auto region = [&](std::size_t i) {
    return run["results"][i]["locations"][0]["physicalLocation"].value("region", Json());
  };
  const auto text = [&](std::size_t i) { return run["results"][i]["message"]["text"]; };
  EXPECT_EQ(region(0), (Json{{"startLine", 7}, {"startColumn", 5}}));
  EXPECT_EQ(text(0), "bad; mend it");
  EXPECT_EQ(region(1), (Json{{"startLine", 7}}));
  EXPECT_EQ(region(2), (Json{{"startLine", 1}}));
  EXPECT_EQ(text(2), "byte 0: bad");
  EXPECT_EQ(region(3), (Json{{"startLine", 1}}));
  EXPECT_EQ(text(3), "entry 3: bad");
}

}  // namespace
}  // namespace assetc::cli
