#include "shader/bindings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "shader/hlsl_attributes.hpp"
#include "shader/shader.hpp"

namespace assetc::shader {
namespace {

using Kind = spirv::BindingKind;
using Place = std::pair<std::uint32_t, std::uint32_t>;

const ReadFile kNoFiles = [](std::string_view) -> Result<Bytes> { return fail(ErrorCode::kNotFound, "no file"); };

Result<Compiled> compile_hlsl(std::string_view text, Options options = {}) {
  if (options.stage == Stage::kVertex) options.stage = Stage::kFragment;
  options.language = Language::kHlsl;
  options.hlsl = HlslCompiler::kGlslang;
  options.debug = true;
  return compile("a.shader/fragment.hlsl", as_bytes(text), options, kNoFiles);
}

// The places of a module by the names of its variables.
std::vector<std::pair<std::string, Place>> places_of(std::string_view text, Options options = {}) {
  const auto compiled = compile_hlsl(text, options);
  EXPECT_TRUE(compiled) << compiled.error().to_string();
  if (!compiled) return {};
  const auto wants = spirv::reflect(compiled->spirv);
  EXPECT_TRUE(wants);
  std::vector<std::pair<std::string, Place>> places;
  for (const spirv::Binding& b : wants->bindings) places.emplace_back(b.name, Place{b.set, b.binding});
  return places;
}

std::string error_of(const Result<void>& result) { return result ? "good" : result.error().to_string(); }

using Places = std::vector<std::pair<std::string, Place>>;

constexpr const char* kRegisters =
    "Texture2D tex : register(t0);\n"
    "SamplerState smp : register(s0);\n"
    "cbuffer C : register(b0) { float4 tint; };\n"
    "RWTexture2D<float4> image : register(u0);\n"
    "Texture2D other : register(t2, space1);\n"
    "Buffer<float4> texels : register(t5);\n"
    "float4 main(float2 uv : TEXCOORD0) : SV_Target {\n"
    "  image[uint2(0, 0)] = tint;\n"
    "  return tex.Sample(smp, uv) * tint + other.Sample(smp, uv) + texels[1];\n"
    "}\n";

TEST(Registers, each_kind_begins_at_its_first_binding_of_the_set_that_the_space_names) {
  EXPECT_EQ(places_of(kRegisters), (Places{{"C", {0, 0}},
                                           {"smp", {0, 16}},
                                           {"tex", {0, 32}},
                                           {"texels", {0, 37}},
                                           {"image", {0, 160}},
                                           {"other", {1, 34}}}));
  EXPECT_EQ(places_of(kRegisters, {.registers = {.b = 40, .s = 30, .t = 20, .u = 10}}), (Places{{"image", {0, 10}},
                                                                                                {"tex", {0, 20}},
                                                                                                {"texels", {0, 25}},
                                                                                                {"smp", {0, 30}},
                                                                                                {"C", {0, 40}},
                                                                                                {"other", {1, 22}}}));
}

TEST(Registers, buffers_are_read_with_t_and_written_with_u) {
  constexpr const char* kText =
      "StructuredBuffer<float4> from : register(t1);\nByteAddressBuffer bytes : register(t2);\n"
      "RWStructuredBuffer<float4> to : register(u1);\nRWByteAddressBuffer raw : register(u2);\n"
      "RWBuffer<float> texels : register(u3);\n"
      "[numthreads(1, 1, 1)] void main() { to[0] = from[1] + asfloat(bytes.Load4(0)); raw.Store(0, 1u); texels[0] = 1; "
      "}\n";
  std::vector<Place> places;
  for (const auto& [name, place] : places_of(kText, {.stage = Stage::kCompute})) places.push_back(place);
  EXPECT_EQ(places, (std::vector<Place>{{0, 33}, {0, 34}, {0, 161}, {0, 162}, {0, 163}}));
}

TEST(Registers, without_one_a_variable_gets_the_first_unused_binding_of_its_kind) {
  EXPECT_EQ(places_of("Texture2D a : register(t0);\nTexture2D b;\nSamplerState s;\ncbuffer C { float4 tint; };\n"
                      "float4 main(float2 uv : TEXCOORD0) : SV_Target { return a.Sample(s, uv) + b.Sample(s, uv) + "
                      "tint; }\n"),
            (Places{{"C", {0, 0}}, {"s", {0, 16}}, {"a", {0, 32}}, {"b", {0, 33}}}));
}

TEST(Registers, a_binding_of_vulkan_is_used_as_written_and_wins_over_the_register) {
  constexpr const char* kText =
      "#define AT(b, s) [[vk::binding(b, s)]]\n"
      "AT(7, 1) Texture2D a : register(t0, space3);\n"
      "[[ vk::binding( 2 ) ]] Texture2D b : register(t1);\n"
      "[[vk::binding(3, 1 + 1)]] cbuffer C : register(b1) { float4 tint; };\n"
      "SamplerState s : register(s2);\n"
      "float4 main(float2 uv : TEXCOORD0) : SV_Target { return a.Sample(s, uv) + b.Sample(s, uv) + tint; }\n";
  const Places wanted{{"b", {0, 2}}, {"s", {0, 18}}, {"a", {1, 7}}, {"C", {2, 3}}};
  EXPECT_EQ(places_of(kText), wanted);
  EXPECT_EQ(places_of(kText, {.optimize = false}), wanted);
}

TEST(Registers, push_constants_are_no_uniform_buffer_in_any_form) {
  for (const char* declared : {"struct PC { float a; float4 tint; }; [[vk::push_constant]] PC pc;",
                               "struct PC { float a; float4 tint; };\n[[vk::push_constant]]\nconst PC pc;",
                               "[[vk::push_constant]] struct { float a; float4 tint; } pc;",
                               "struct PC { float a; float4 tint; }; [[vk::push_constant]] ConstantBuffer<PC> pc;"}) {
    const auto compiled = compile_hlsl(std::string(declared) +
                                       "\ncbuffer C : register(b0) { float4 more; };\n"
                                       "float4 main() : SV_Target { return pc.tint * pc.a + more; }\n");
    ASSERT_TRUE(compiled) << declared << ": " << compiled.error().to_string();
    const auto wants = spirv::reflect(compiled->spirv);
    ASSERT_TRUE(wants);
    EXPECT_EQ(wants->push_constant_bytes, 32u) << declared;
    EXPECT_EQ(wants->bindings.size(), 1u) << declared;
  }
  // The struct as a value.
  EXPECT_TRUE(
      compile_hlsl("struct PC { float4 tint; }; [[vk::push_constant]] PC pc;\nfloat4 f(PC p) { return p.tint; }\n"
                   "float4 main() : SV_Target { PC copy = pc; return f(pc) + f(copy); }\n"));
}

TEST(Registers, an_error_keeps_its_line_beside_attributes) {
  const auto compiled = compile_hlsl(
      "struct PC { float4 tint; };\n/* two\nlines */ [[vk::push_constant]] PC pc;\n[[vk::binding(1)]]\nTexture2D t : "
      "register(t0);\nfloat4 main() : SV_Target { return pc.tint + x; }\n");
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().place, "line 6") << compiled.error().to_string();
  EXPECT_EQ(compiled.error().file, "a.shader/fragment.hlsl");
}

TEST(Registers, a_space_that_no_set_can_stand_for_is_refused) {
  const auto rewritten = rewrite_attributes("[[vk::binding(0)]] Texture2D a; Texture2D b : register(t0, space32);\n");
  ASSERT_FALSE(rewritten);
  EXPECT_EQ(rewritten.error().to_string(),
            "found register space32 beside [[vk::binding]], expected space0 to space31; use a lower space, or install "
            "dxc, which compiles the stage without this limit");
  EXPECT_TRUE(rewrite_attributes("Texture2D b : register(t0, space32);\n"));
}

TEST(Attributes, every_prefix_of_a_text_is_rewritten_within_its_bounds) {
  constexpr std::string_view kText =
      "# line 1 \"a\"\n[[vk::binding(f(1, 2), (3))]] [[x]] Texture2D a : register(t0), b : reg;\n\"[[\\\"\" "
      "[[vk::push_constant, y]] const PC pc; [[vk::binding]] [[ [[vk::binding(]] } ) ;";
  for (std::size_t size = 0; size <= kText.size(); ++size) {
    const std::string exact(kText.substr(0, size));
    const auto rewritten = rewrite_attributes(exact);
    ASSERT_TRUE(rewritten);
    EXPECT_EQ(std::count(rewritten->text.begin(), rewritten->text.end(), '\n'),
              std::count(exact.begin(), exact.end(), '\n'));
  }
}

// Attributes in a row, and brackets without an end: each must be left after a bounded search, without a deep stack.
TEST(Attributes, of_hostile_texts_come_to_an_end_and_keep_their_lines) {
  for (const std::string_view part :
       {"[[vk::push_constant]]\n", "[[vk::binding(0\n)]]", "[", "[[", "[[a(", "[[\"", "[shader(\n"}) {
    std::string text;
    while (text.size() < 200'000) text += part;
    const auto rewritten = rewrite_attributes(text);
    ASSERT_TRUE(rewritten) << part;
    EXPECT_EQ(std::ranges::count(rewritten->text, '\n'), std::ranges::count(text, '\n')) << part;
  }
}

TEST(Bindings, two_descriptors_at_one_place_are_an_error_that_names_both) {
  const auto compiled = compile(
      "a.shader/fragment.glsl",
      as_bytes(std::string_view("#version 450\nlayout(set=0, binding=1) uniform texture2D tex;\n"
                                "layout(set=0, binding=1) uniform sampler smp;\nlayout(location=0) out vec4 c;\n"
                                "void main() { c = texture(sampler2D(tex, smp), vec2(0)); }\n")),
      {.stage = Stage::kFragment}, kNoFiles);
  ASSERT_FALSE(compiled);
  EXPECT_EQ(
      compiled.error().to_string(),
      "a.shader/fragment.glsl: set 0, binding 1: found a sampled image \"tex\" and a sampler \"smp\", expected one "
      "descriptor; give each a register, binding or set of its own; for HLSL, shader.registers says where "
      "registers begin");
  const auto zero = compile_hlsl(kRegisters, {.registers = {.b = 0, .s = 0, .t = 0, .u = 0}});
  ASSERT_FALSE(zero);
  EXPECT_EQ(zero.error().code, ErrorCode::kConflict) << zero.error().to_string();
}

TEST(Bindings, variables_that_one_descriptor_can_serve_may_share_a_place) {
  const auto check = [](spirv::Binding a, spirv::Binding b, bool allows_combined = false) {
    return error_of(check_bindings(std::vector{a, b}, allows_combined));
  };
  const auto of = [](Kind kind, std::uint32_t count = 1) { return spirv::Binding{2, 3, kind, count, 0, {}}; };
  EXPECT_EQ(check(of(Kind::kStorageBuffer), of(Kind::kStorageBuffer)), "good");
  EXPECT_EQ(check(of(Kind::kStorageImage), of(Kind::kStorageImage)), "good");
  EXPECT_EQ(check(of(Kind::kSampledImage, 0), of(Kind::kSampledImage, 0)), "good");
  EXPECT_EQ(check(of(Kind::kSampledImage), of(Kind::kSampler), true), "good");
  const std::string hint =
      "expected one descriptor; give each a register, binding or set of its own; for HLSL, shader.registers says "
      "where registers begin";
  EXPECT_EQ(check(of(Kind::kSampledImage), of(Kind::kSampler)),
            "set 2, binding 3: found a sampled image and a sampler, " + hint);
  EXPECT_EQ(check(of(Kind::kSampledImage), of(Kind::kSampledImage)),
            "set 2, binding 3: found a sampled image and a sampled image, " + hint);
  EXPECT_EQ(check(of(Kind::kUniformBuffer), of(Kind::kUniformBuffer)),
            "set 2, binding 3: found a uniform buffer and a uniform buffer, " + hint);
  EXPECT_EQ(check(of(Kind::kStorageBuffer), of(Kind::kUniformBuffer), true),
            "set 2, binding 3: found a storage buffer and a uniform buffer, " + hint);
  spirv::Binding first, second;
  second.set = 1;
  EXPECT_EQ(error_of(check_bindings(std::vector{first, second}, false)), "good");
}

TEST(Bindings, the_stages_of_a_pipeline_agree_on_the_kind_at_a_place) {
  const std::vector<spirv::Binding> camera{{0, 0, Kind::kUniformBuffer, 1, 64, "Camera"}};
  const std::vector<spirv::Binding> texture{{0, 0, Kind::kCombinedImageSampler, 1, 0, "albedo"}};
  const auto check = [&](const std::vector<spirv::Binding>& fragment) {
    return check_pipeline(std::vector{StageBindings{"vertex", camera}, StageBindings{"fragment", fragment}});
  };
  const auto differs = check(texture);
  ASSERT_FALSE(differs);
  EXPECT_EQ(
      differs.error().to_string(),
      "set 0, binding 0: found a uniform buffer \"Camera\" in the vertex stage and a combined image sampler "
      "\"albedo\" in the fragment stage, expected one descriptor; give each a register, binding or set of its own; "
      "for HLSL, shader.registers says where registers begin");
  const auto same = check(camera);
  ASSERT_TRUE(same);
  EXPECT_TRUE(same->empty());
  const auto sizes = check({{0, 0, Kind::kUniformBuffer, 1, 16, "Material"}});
  ASSERT_TRUE(sizes);
  ASSERT_EQ(sizes->size(), 1u);
  EXPECT_EQ(
      sizes->front().to_string(),
      "set 0, binding 0: the vertex stage has a uniform buffer \"Camera\" of 64 B, the fragment stage a uniform "
      "buffer \"Material\" of 16 B; give each a register, binding or set of its own, or declare the same block in "
      "both");
  // t0 of two stages: heights and colors.
  const auto textures = [](std::string_view vertex, std::string_view fragment) {
    const std::vector<spirv::Binding> a{{0, 0, Kind::kSampledImage, 1, 0, vertex}};
    const std::vector<spirv::Binding> b{{0, 0, Kind::kSampledImage, 1, 0, fragment}};
    return check_pipeline(std::vector{StageBindings{"vertex", a}, StageBindings{"fragment", b}});
  };
  ASSERT_EQ(textures("heights", "colors")->size(), 1u);
  EXPECT_EQ(textures("heights", "colors")->front().to_string(),
            "set 0, binding 0: the vertex stage has a sampled image \"heights\", the fragment stage a sampled image "
            "\"colors\", and both are one descriptor; give each a register, binding or set of its own, or the same "
            "name");
  EXPECT_TRUE(textures("colors", "colors")->empty());
  EXPECT_TRUE(textures("colors", "")->empty()) << "names are debug information";
}

}  // namespace
}  // namespace assetc::shader
