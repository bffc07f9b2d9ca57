#include "shader/entry_points.hpp"

#include <gtest/gtest.h>

#include <string>

namespace assetc::shader {
namespace {

std::string found(std::string_view text) {
  const auto entries = entry_points_of(text);
  if (!entries) return entries.error().to_string();
  std::string out;
  for (const EntryPoint& entry : *entries)
    out.append(out.empty() ? "" : " ").append(to_string(entry.stage)).append(":").append(entry.name);
  return out;
}

TEST(EntryPoints, are_the_functions_that_an_attribute_marks) {
  EXPECT_EQ(found("[shader(\"vertex\")] float4 a(uint i : SV_VertexID) : SV_Position { return f(i); }\n"
                  "// [shader(\"pixel\")] float4 no() {}\n/* [shader(\"pixel\")] float4 no() {} */\n"
                  "[ shader ( \"pixel\" ) ]\n[earlydepthstencil] [[vk::location(f(0))]]\nfloat4 b () : SV_Target {}\n"
                  "[shader(\"compute\")][numthreads(8, 8, 1)] void c_2(uint3 id : SV_DispatchThreadID) {}\n"
                  "struct S { float4 x[4]; }; [unroll] \"[shader(\\\"pixel\\\")] void no()\"\n"
                  "[shader(\"closesthit\")] void hit(inout P p, in A a) {}"),
            "vertex:a fragment:b compute:c_2 closest_hit:hit");
  EXPECT_EQ(found("void main() {}\n"), "");
  EXPECT_EQ(found("\n[shader(\"node\")] void f() {}"),
            "line 2: found [shader(\"node\")], an unknown stage; name vertex, hull, domain, geometry, pixel, compute, "
            "amplification, mesh or a stage of ray tracing");
  const std::string longest(EntryName::kMaxBytes, 'a');
  EXPECT_EQ(found("[shader(\"vertex\")] void " + longest + "() {}"), "vertex:" + longest);
  EXPECT_EQ(EntryName::of(longest).view(), longest);
  EXPECT_EQ(found("[shader(\"vertex\")] void " + longest + "a() {}"),
            "line 1: the name of an entry point has 128 bytes, expected at most 127; shorten it");
}

TEST(EntryPoints, of_every_prefix_of_a_text_are_found_within_its_bounds) {
  constexpr std::string_view kText = "[shader(\"vertex\")] [x(1)] V /* */ a(\"\\\"\") [[ shader(\"pixel\")] b";
  for (std::size_t size = 0; size <= kText.size(); ++size) {
    const std::string exact(kText.substr(0, size));
    const auto entries = entry_points_of(exact);
    ASSERT_TRUE(entries) << entries.error().to_string();
    EXPECT_EQ(entries->size(), size >= kText.find("a(\"") + 2 ? 1u : 0u) << exact;
  }
}

}  // namespace
}  // namespace assetc::shader
