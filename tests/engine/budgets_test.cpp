#include "engine/look/budgets.hpp"

#include <gmock/gmock.h>

#include "engine/config/config.hpp"
#include "engine/config/platforms.hpp"

namespace assetc::engine {
namespace {

using testing::HasSubstr;

std::vector<BudgetItem> items() {
  return {{"ui/a.ktx2", "texture", 10, 300, 64},
          {"ui/b.ktx2", "texture", 20, 100, 128},
          {"rocks/a.ktx2", "texture", 40, 100, 256},
          {"rocks/a.hmesh", "mesh", 1000, 1000, 0}};
}

std::vector<Budget> budgets(const std::string& yaml, const std::string& preset = {}) {
  const auto config = parse_config("presets: {mobile: {}, desktop: {}}\nbudgets:\n" + yaml, "assetc.yml");
  EXPECT_TRUE(config) << config.error().to_string();
  Overrides overrides;
  if (!preset.empty()) overrides.preset = preset;
  return resolve(*config, overrides)->budgets;
}

std::string held(const std::string& yaml, const std::string& preset = {}) {
  const std::vector<Budget> all = budgets(yaml, preset);
  std::string text;
  for (const Error& problem : hold_budgets(all, items(), "assetc.yml").problems) text += problem.to_string() + "\n";
  return text;
}

TEST(Budgets, sum_what_they_match) {
  EXPECT_EQ(held("- {bytes: 1070}\n- {kind: texture, bytes: 70, memory: 500}\n- {match: ui/*, memory: 400}\n"), "");
  EXPECT_EQ(
      held("- {bytes: 1070}\n- {kind: texture, memory: 499}\n"),
      "assetc.yml: line 4: textures take 500 B of video memory, but 499 B are allowed; the largest: ui/a.ktx2 (300 B), "
      "rocks/a.ktx2 (100 B), ui/b.ktx2 (100 B); make the largest smaller, or raise the budget\n");
  EXPECT_THAT(held("- {match: rocks/*, bytes: 1039}\n"), HasSubstr("files of rocks/* take 1.0 KiB, but 1.0 KiB are"));
}

TEST(Budgets, say_no_pattern_that_takes_all) {
  for (const char* match : {"'**'", "'*'", "'**/*'"})
    EXPECT_THAT(held(std::string("- {match: ") + match + ", kind: mesh, bytes: 1}\n"),
                HasSubstr("line 3: meshes take 1000 B"))
        << match;
}

TEST(Budgets, bound_each_texture) {
  EXPECT_EQ(held("- {texture_size: 256}\n"), "");
  EXPECT_EQ(held("- {match: '*a.*', texture_size: 63}\n"),
            "assetc.yml: line 3: textures of *a.* have sides longer than the allowed 63 texels: rocks/a.ktx2 "
            "(256 texels), ui/a.ktx2 (64 texels); give them a texture.max_size, or raise the budget\n");
}

TEST(Budgets, are_for_all_presets_or_for_one) {
  EXPECT_EQ(held("- {preset: mobile, bytes: 1}\n"), "");
  EXPECT_EQ(held("- {preset: mobile, bytes: 1}\n", "desktop"), "");
  EXPECT_NE(held("- {preset: mobile, bytes: 1}\n", "mobile"), "");
  EXPECT_NE(held("- {bytes: 1}\n", "desktop"), "");
}

TEST(Budgets, name_five_and_count_the_others) {
  std::vector<BudgetItem> many;
  many.reserve(9);
  for (int i = 0; i < 9; ++i) many.push_back({std::to_string(i), "mesh", static_cast<std::uint64_t>(i), 0, 0});
  const auto all = budgets("- {kind: mesh, bytes: 35}\n");
  const BudgetReport report = hold_budgets(all, many, "");
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_THAT(report.problems[0].what, HasSubstr("8 (8 B), 7 (7 B), 6 (6 B), 5 (5 B), 4 (4 B) and 3 more"));
  ASSERT_EQ(report.uses.size(), 1u);
  EXPECT_EQ(report.uses[0].used, 36u);
}

TEST(Budgets, that_say_nothing_or_nonsense_are_errors_with_a_line) {
  const auto fault = [](const std::string& yaml) {
    const auto config = parse_config("input: a\nbudgets:\n" + yaml, "assetc.yml");
    return config ? "parsed" : config.error().to_string();
  };
  EXPECT_THAT(fault("- {match: a}\n"), HasSubstr("line 3: a budget: found a block of keys, expected bytes:"));
  EXPECT_THAT(fault("- {bytes: much}\n"), HasSubstr("line 3: bytes: found \"much\", expected a size"));
  EXPECT_THAT(fault("- {kind: textures, bytes: 1}\n"), HasSubstr("line 3: kind: found \"textures\""));
  EXPECT_THAT(fault("- {texture_size: 0}\n"), HasSubstr("expected a number of texels"));
  EXPECT_THAT(fault("- {preset: mobil, bytes: 1}\n"),
              HasSubstr("line 3: is for \"mobil\", which is neither a preset nor a platform"));
  EXPECT_THAT(fault("{bytes: 1}\n"), HasSubstr("expected a list"));
}

TEST(Budgets, are_the_same_in_the_json_of_a_cook) {
  const auto config = parse_pipeline_json(
      R"({"Budgets": [{"Match": "UI/*", "Kind": "texture", "Platform": "Mobile", "Memory": "64M", "TextureSize": 512}]})",
      "AssetPipeline.json", ".");
  ASSERT_TRUE(config) << config.error().to_string();
  ASSERT_EQ(config->budgets.size(), 1u);
  const Budget& budget = config->budgets[0];
  EXPECT_EQ(budget.match, "UI/*");
  EXPECT_EQ(budget.kind, "texture");
  EXPECT_EQ(budget.preset, "Mobile");
  EXPECT_EQ(budget.memory_bytes, 64u << 20);
  EXPECT_EQ(budget.texture_size_texels, 512u);
  EXPECT_EQ(budget.place, "/Budgets/0");
  for (const auto& [text, what] : {std::pair{R"({"Budgets": [{"Kind": "mesh"}]})", "Bytes, Memory or TextureSize"},
                                   std::pair{R"({"Budgets": [{"Bytes": -1}]})", "/Budgets/0/Bytes"},
                                   std::pair{R"({"Budgets": 3})", "an array of objects"}}) {
    const auto wrong = parse_pipeline_json(text, "AssetPipeline.json", ".");
    ASSERT_FALSE(wrong) << text;
    EXPECT_THAT(wrong.error().to_string(), HasSubstr(what));
  }
}

}  // namespace
}  // namespace assetc::engine
