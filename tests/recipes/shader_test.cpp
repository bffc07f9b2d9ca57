#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recipes/fake_inputs.hpp"

namespace assetc::recipes {
namespace {

constexpr const char* kVertex =
    "#version 450\nlayout(location=0) in vec3 p;\nvoid main() { gl_Position = vec4(p, 1); }\n";
constexpr const char* kFragment =
    "#version 450\n#include \"light.glsl\"\nlayout(location=0) out vec4 c;\nvoid main() { c = vec4(light()); }\n";
constexpr const char* kLight = "float light() { return 0.5; }\n";

Step shader_step() {
  Step step;
  step.recipe = find_recipe("shader");
  step.source = step.input_path = step.stem = "fx/lit.shader";
  return step;
}

TEST(ShaderRecipe, writes_one_file_a_stage) {
  FakeInputs inputs;
  inputs.files = {{"fx/lit.shader/vertex.glsl", kVertex},
                  {"fx/lit.shader/fragment.glsl", kFragment},
                  {"fx/lit.shader/light.glsl", kLight}};
  const auto product = shader_step().recipe->cook(shader_step(), inputs);
  ASSERT_TRUE(product) << product.error().to_string();
  ASSERT_EQ(product->outputs.size(), 2u);
  EXPECT_EQ(product->outputs[0].suffix, "/vertex.spv");
  EXPECT_EQ(product->outputs[1].suffix, "/fragment.spv");
  EXPECT_EQ(product->outputs[0].descriptor.kind, AssetKind::kShader);
  EXPECT_THAT(inputs.asked, ::testing::Contains("fx/lit.shader/light.glsl"));
}

TEST(ShaderRecipe, asks_for_the_include_it_did_not_find_so_that_adding_it_rebuilds) {
  FakeInputs inputs;
  inputs.files = {{"fx/lit.shader/fragment.glsl", kFragment}, {"light.glsl", kLight}};
  const auto product = shader_step().recipe->cook(shader_step(), inputs);
  ASSERT_TRUE(product) << product.error().to_string();
  EXPECT_THAT(inputs.asked,
              ::testing::ElementsAre("fx/lit.shader/fragment.glsl", "fx/lit.shader/light.glsl", "light.glsl"));
}

TEST(ShaderRecipe, every_setting_changes_the_bytes) {
  FakeInputs inputs;
  inputs.files = {{"fx/lit.shader/fragment.glsl", kFragment}, {"light.glsl", kLight}};
  const auto bytes_with = [&](auto change) {
    Step step = shader_step();
    change(step.settings.shader);
    auto product = step.recipe->cook(step, inputs);
    EXPECT_TRUE(product);
    return product ? std::string(as_text(product->outputs.at(0).bytes)) : std::string();
  };
  const std::string base = bytes_with([](ShaderSettings&) {});
  EXPECT_EQ(base, bytes_with([](ShaderSettings&) {}));
  EXPECT_NE(base, bytes_with([](ShaderSettings& s) { s.optimize = false; }));
  EXPECT_NE(base, bytes_with([](ShaderSettings& s) { s.debug = true; }));
  EXPECT_NE(base, bytes_with([](ShaderSettings& s) { s.target = shader::Target::kVulkan10; }));
}

TEST(ShaderRecipe, reserves_what_its_compilers_may_take) {
  FakeInputs inputs;
  inputs.files = {{"fx/lit.shader/vertex.glsl", kVertex}};
  const Step step = shader_step();
  const auto estimate = [&] { return step.recipe->estimate_peak_bytes(step, inputs); };
  EXPECT_EQ(estimate(), shader::memory_of(shader::Language::kGlsl).usual_bytes);
  inputs.files["fx/lit.shader/fragment.slang"] = "";
  EXPECT_EQ(estimate(), shader::memory_of(shader::Language::kSlang).usual_bytes);
  inputs.files.clear();
  EXPECT_EQ(estimate(), 0u);
}

TEST(ShaderRecipe, two_files_for_one_stage_are_a_conflict_that_names_both) {
  FakeInputs inputs;
  inputs.files = {{"fx/lit.shader/vertex.glsl", kVertex}, {"fx/lit.shader/lit.vert", kVertex}};
  const auto product = shader_step().recipe->cook(shader_step(), inputs);
  ASSERT_FALSE(product);
  EXPECT_EQ(product.error().to_string(), "both lit.vert and vertex.glsl are the vertex stage; keep one of them");
}

TEST(ShaderRecipe, a_folder_without_a_stage_says_what_to_add) {
  FakeInputs inputs;
  inputs.files = {{"fx/lit.shader/readme.txt", ""}};
  const auto product = shader_step().recipe->cook(shader_step(), inputs);
  ASSERT_FALSE(product);
  EXPECT_EQ(product.error().to_string(),
            "no stage in this folder; add vertex.glsl, fragment.glsl, compute.glsl, mesh.glsl or task.glsl (or .hlsl, "
            ".slang)");
}

}  // namespace
}  // namespace assetc::recipes
