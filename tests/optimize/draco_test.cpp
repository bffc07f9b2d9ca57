// Triangles as Draco: what a reader gets, and when a file has it.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "optimize/support.hpp"

namespace assetc::optimize {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kName = "KHR_draco_mesh_compression";

OptimizeOptions as_draco() {
  OptimizeOptions options = usual();
  options.coding = Coding::kDraco;
  return options;
}

// A source whose positions have so many bits, as another encoder would write it.
Bytes draco_of(const scene::Scene& scene, std::uint32_t bits) {
  exporter::GlbOptions options{.packs = true, .coding = exporter::GlbCoding::kDraco};
  options.position_bits = options.texcoord_bits = bits;
  options.normal_bits = 10;
  auto glb = exporter::write_glb(scene, nullptr, options);
  EXPECT_TRUE(glb);
  return Bytes(std::move(*glb));
}

class Draco : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto glb =
        exporter::write_glb(sheet(2, 1, false), nullptr, {.packs = true, .coding = exporter::GlbCoding::kDraco});
    if (!glb && glb.error().code == ErrorCode::kUnsupported) GTEST_SKIP() << "built without Draco";
  }
};

TEST_F(Draco, shows_the_same_as_the_source_without_quantized_vertices) {
  const Pair pair = pair_of(sheet(24, 1, true), as_draco());
  expect_same(pair);
  EXPECT_THAT(pair.text, HasSubstr(kName));
  EXPECT_THAT(pair.text, Not(HasSubstr("KHR_mesh_quantization")));
  EXPECT_THAT(pair.text, Not(HasSubstr("EXT_meshopt_compression")));
  const scene::Primitive& made = pair.made.meshes[0].primitives[0];
  ASSERT_EQ(made.texcoords.size(), 2u);
  ASSERT_EQ(made.tangents.size(), made.positions.size());
  for (const scene::Vec4& tangent : made.tangents) EXPECT_EQ(std::fabs(tangent.w), 1.0f);
  EXPECT_EQ(pair.made.nodes[0].transform, pair.source.nodes[0].transform);
}

TEST_F(Draco, is_smaller_than_meshopt) {
  EXPECT_LT(pair_of(sheet(40, 1, false), as_draco()).text.size(), pair_of(sheet(40, 1, false)).text.size());
}

TEST_F(Draco, models_of_the_corpus_show_the_same) {
  std::size_t encoded = 0;
  for_corpus(as_draco(), [&](const Pair& pair) {
    expect_same(pair);
    encoded += pair.text.contains(kName);
  });
  EXPECT_GT(encoded, 2u);
}

TEST_F(Draco, of_a_source_stays_if_it_is_smaller) {
  Files files;
  files.put("in.glb", draco_of(sheet(40, 1, false), 14));
  EXPECT_THAT(pair_of(files, "in.glb").text, HasSubstr(kName));
  OptimizeOptions meshopt = usual();
  meshopt.coding = Coding::kMeshopt;
  EXPECT_THAT(pair_of(files, "in.glb", meshopt).text, Not(HasSubstr(kName)));
  meshopt.coding = Coding::kUsual;
  meshopt.settings.mesh.compress = recipes::MeshCompression::kNone;
  EXPECT_THAT(pair_of(files, "in.glb", meshopt).text, Not(HasSubstr(kName)));
  EXPECT_THAT(pair_of(sheet(40, 1, false)).text, Not(HasSubstr(kName)));  // its readers need not know Draco
  OptimizeOptions smallest = usual();
  smallest.coding = Coding::kSmallest;
  EXPECT_THAT(pair_of(sheet(40, 1, false), smallest).text, HasSubstr(kName));
}

TEST_F(Draco, keeps_the_bits_of_positions_that_have_fewer) {
  for (std::uint32_t bits = 7; bits <= 11; ++bits) {
    SCOPED_TRACE(bits);
    Files files;
    files.put("in.glb", draco_of(sheet(40, 1, false), bits));
    const Pair pair = pair_of(files, "in.glb", as_draco());
    EXPECT_LE(pair.text.size(), draco_of(sheet(40, 1, false), bits).size());
    const auto points = [](const scene::Scene& scene) {
      std::vector<std::array<float, 3>> out;
      for (const scene::Vec3& p : scene.meshes[0].primitives[0].positions) out.push_back({p.x, p.y, p.z});
      std::ranges::sort(out);
      const auto [last, end] = std::ranges::unique(out);
      out.erase(last, end);
      return out;
    };
    EXPECT_EQ(points(pair.made), points(pair.source));
  }
}

TEST_F(Draco, of_equal_primitives_is_in_the_file_once) {
  scene::Scene scene = sheet(20, 1, false);
  const std::size_t of_one = pair_of(scene, as_draco()).text.size();
  scene.meshes.push_back(scene.meshes[0]);
  scene.meshes.back().name = "Second";
  scene.nodes.push_back(scene.nodes[0]);
  scene.nodes.back().name = "Second";
  scene.nodes.back().mesh = static_cast<std::uint32_t>(scene.meshes.size() - 1);
  const Pair pair = pair_of(scene, as_draco());
  expect_same(pair);
  EXPECT_LT(pair.text.size(), of_one + 400);
}

TEST_F(Draco, is_not_used_for_what_it_cannot_hold) {
  const auto refused = [](int line, const auto& change) {
    SCOPED_TRACE(line);
    scene::Scene scene = sheet(4, 1, false);
    change(scene.meshes[0].primitives[0]);
    const auto glb = exporter::write_glb(scene, nullptr,
                                         {.packs = true, .coding = exporter::GlbCoding::kDraco, .position_bits = 14});
    ASSERT_TRUE(glb) << glb.error().to_string();
    EXPECT_FALSE(as_text(*glb).contains(kName));
  };
  refused(__LINE__, [](scene::Primitive& p) { p.positions[0].x = std::numeric_limits<float>::quiet_NaN(); });
  refused(__LINE__, [](scene::Primitive& p) { std::ranges::fill(p.indices, 0u); });
  refused(__LINE__, [](scene::Primitive& p) { p.topology = scene::Topology::kPoints; });
  refused(__LINE__, [](scene::Primitive& p) {
    p.morphs.resize(1);
    p.morphs[0].vertices = {0};
    p.morphs[0].positions = {{1, 0, 0}};
  });
}

}  // namespace
}  // namespace assetc::optimize
