#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assetc/formats/spirv.hpp"
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

TEST(ShaderRecipe, registers_of_hlsl_begin_where_the_setting_says) {
  FakeInputs inputs;
  inputs.files = {{"fx/lit.shader/fragment.hlsl",
                   "Texture2D t : register(t2);\nfloat4 main() : SV_Target { return t.Load(int3(0, 0, 0)); }\n"}};
  Step step = shader_step();
  const auto binding = [&] {
    const auto product = step.recipe->cook(step, inputs);
    EXPECT_TRUE(product) << product.error().to_string();
    const auto wants = spirv::reflect(product->outputs.at(0).bytes);
    EXPECT_TRUE(wants && wants->bindings.size() == 1);
    return wants->bindings.at(0).binding;
  };
  EXPECT_EQ(binding(), 34u);
  ASSERT_TRUE(find_setting("shader.registers")->set(step.settings, " t7 b0  s1 u2 "));
  EXPECT_EQ(binding(), 9u);
  for (const char* wrong : {"", "b0", "b0 s16 t32", "b0 s16 t32 u160 b1", "b0 s16 t32 x160", "b0 s16 t32 u-1",
                            "b0 s16 t32 u30001", "b s16 t32 u160", "b0,s16,t32,u160", "b0 s16 t32 u160x"}) {
    const auto set = find_setting("shader.registers")->set(step.settings, wrong);
    ASSERT_FALSE(set) << wrong;
    EXPECT_EQ(set.error().to_string(), "shader.registers: found \"" + std::string(wrong) +
                                           "\", expected b, s, t and u, each with a number up to 30000, e.g. b0 s16 "
                                           "t32 u160");
  }
}

TEST(ShaderRecipe, the_stages_of_a_folder_have_one_descriptor_at_each_place) {
  const auto vertex = [](std::string_view declared) {
    return "#version 450\n" + std::string(declared) + "void main() { gl_Position = A[0]; }\n";
  };
  FakeInputs inputs;
  inputs.files = {{"fx/lit.shader/vertex.glsl", vertex("layout(set=1, binding=2) uniform Camera { vec4 A[4]; };\n")},
                  {"fx/lit.shader/fragment.glsl",
                   "#version 450\nlayout(set=1, binding=2) uniform sampler2D t;\nlayout(location=0) out vec4 c;\n"
                   "void main() { c = texture(t, vec2(0)); }\n"}};
  const auto cooked = [&] { return shader_step().recipe->cook(shader_step(), inputs); };
  const auto conflict = cooked();
  ASSERT_FALSE(conflict);
  EXPECT_EQ(conflict.error().to_string(),
            "set 1, binding 2: found a uniform buffer in the vertex stage and a combined image sampler in the fragment "
            "stage, expected one descriptor; give each a register, binding or set of its own; for HLSL, "
            "shader.registers says where registers begin");
  inputs.files["fx/lit.shader/fragment.glsl"] =
      "#version 450\nlayout(set=1, binding=2) uniform Material { vec4 tint; };\nlayout(location=0) out vec4 c;\n"
      "void main() { c = tint; }\n";
  const auto sizes = cooked();
  ASSERT_TRUE(sizes) << sizes.error().to_string();
  ASSERT_EQ(sizes->diagnostics.size(), 1u);
  EXPECT_EQ(sizes->diagnostics[0].kind, WarningKind::kSharedBinding);
  EXPECT_EQ(sizes->diagnostics[0].what.place, "set 1, binding 2");
  // A compute stage is a pipeline of its own.
  inputs.files.erase("fx/lit.shader/fragment.glsl");
  inputs.files["fx/lit.shader/compute.glsl"] =
      "#version 450\nlayout(set=1, binding=2) buffer B { vec4 b; };\nvoid main() { b = vec4(1); }\n";
  EXPECT_TRUE(cooked());
}

constexpr const char* kTwoEntries =
    "#include \"light.hlsli\"\n"
    "Texture2D t : register(t0);\n"
    "[shader(\"vertex\")] float4 VSMain(uint i : SV_VertexID) : SV_Position { return i; }\n"
    "[shader(\"pixel\")]\nfloat4 PSMain() : SV_Target { return t.Load(int3(0, 0, 0)) * light(); }\n"
    "[shader(\"pixel\")]\nfloat4 PSShadow() : SV_Target { return 1; }\n";

TEST(ShaderRecipe, marked_functions_of_one_file_are_stages_with_their_names) {
  FakeInputs inputs;
  inputs.files = {{"fx/lit.shader/lit.hlsl", kTwoEntries},
                  {"fx/lit.shader/light.hlsli", "float light() { return 0.5; }\n"},
                  {"fx/lit.shader/common.hlsl", "float unused() { return 1; }\n"}};
  Step step = shader_step();
  step.settings.shader.hlsl = shader::HlslCompiler::kGlslang;
  const auto product = step.recipe->cook(step, inputs);
  ASSERT_TRUE(product) << product.error().to_string();
  std::vector<std::string> suffixes, entries;
  for (const Output& output : product->outputs) {
    suffixes.push_back(output.suffix);
    const auto wants = spirv::reflect(output.bytes);
    ASSERT_TRUE(wants);
    entries.emplace_back(wants->entry_point);
  }
  EXPECT_TRUE(product->diagnostics.empty());
  EXPECT_THAT(suffixes, ::testing::ElementsAre("/VSMain.spv", "/PSMain.spv", "/PSShadow.spv"));
  EXPECT_THAT(entries, ::testing::ElementsAre("VSMain", "PSMain", "PSShadow"));
  inputs.files["fx/lit.shader/b.hlsl"] = "[shader(\"compute\")] [numthreads(1, 1, 1)] void PSMain() {}\n";
  const auto twice = step.recipe->cook(step, inputs);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().to_string(),
            "PSMain of lit.hlsl and PSMain of b.hlsl would both become PSMain; rename one of the functions");
}

TEST(ShaderRecipe, marked_functions_of_a_file_in_a_plain_folder_are_outputs_below_its_name) {
  FakeInputs inputs;
  inputs.files = {{"fx/lit.hlsl", kTwoEntries},
                  {"fx/light.hlsli", "float light() { return 0.5; }\n"},
                  {"fx/common.hlsl", "float unused() { return 1; }\n"},
                  {"fx/twice.hlsl", "[shader(\"pixel\")] void f(int a) {}\n[shader(\"pixel\")] void f() {}\n"}};
  Step step = shader_step();
  step.settings.shader.hlsl = shader::HlslCompiler::kGlslang;
  const auto cooked = [&](const char* path) {
    step.source = step.input_path = step.stem = path;
    return step.recipe->cook(step, inputs);
  };
  const auto product = cooked("fx/lit.hlsl");
  ASSERT_TRUE(product) << product.error().to_string();
  std::vector<std::string> suffixes;
  for (const Output& output : product->outputs) suffixes.push_back(output.suffix);
  EXPECT_THAT(suffixes, ::testing::ElementsAre("/VSMain.spv", "/PSMain.spv", "/PSShadow.spv"));
  // A file for others to include.
  const auto none = cooked("fx/common.hlsl");
  ASSERT_TRUE(none) << none.error().to_string();
  EXPECT_TRUE(none->outputs.empty());
  EXPECT_EQ(cooked("fx/twice.hlsl").error().to_string(),
            "f of this file and f of this file would both become f; rename one of the functions");
}

TEST(ShaderRecipe, a_stage_in_a_plain_folder_is_a_source_of_its_own) {
  FakeInputs inputs;
  inputs.files = {{"fx/lit.frag", kFragment}, {"fx/light.glsl", kLight}};
  Step step = shader_step();
  step.source = step.input_path = step.stem = "fx/lit.frag";
  const auto product = step.recipe->cook(step, inputs);
  ASSERT_TRUE(product) << product.error().to_string();
  ASSERT_EQ(product->outputs.size(), 1u);
  EXPECT_EQ(product->outputs[0].suffix, ".spv");
  for (const char* name : {"fx/lit.vert", "fx/lit.frag.hlsl", "fx/lit.comp.slang", "fx/lit.mesh.glsl", "fx/a.rchit"}) {
    const auto asset = asset_of(all_recipes(), name);
    ASSERT_TRUE(asset) << name;
    EXPECT_EQ(asset->recipe, step.recipe) << name;
    EXPECT_EQ(asset->stem, name);
  }
  // Models of other programs, and files that shaders include.
  for (const char* name : {"fx/lit.mesh", "fx/lit.task", "fx/lit.glsl", "fx/lit.hlsli"})
    EXPECT_FALSE(asset_of(all_recipes(), name)) << name;
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
            ".slang), or mark the entry points of a .hlsl or .slang with [shader(\"vertex\")]");
}

}  // namespace
}  // namespace assetc::recipes
