// Random meshes: any finite positions and any indices in range give a valid mesh.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "mesh/build.hpp"
#include "mesh/prepare.hpp"
#include "mesh/valid.hpp"

namespace assetc::mesh {
namespace {

using scene::Vec2;
using scene::Vec3;
using scene::Vec4;

class Random {
 public:
  explicit Random(std::uint32_t seed) : state_(seed) {}
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>((next() >> 8) * std::uint64_t{n} >> 24); }
  // Small integers, fractions, and sometimes a value near the limits of floats.
  float number() {
    constexpr std::array kEdges{0.0f, -0.0f, 1e-38f, 1e-20f, 1e18f, -1e18f, 1e-3f, 65504.0f};
    if (below(16) == 0) return kEdges[below(kEdges.size())];
    return below(2) == 0 ? static_cast<float>(below(5)) : static_cast<float>(below(1000)) / 997.0f;
  }
  Vec3 vector() { return {number(), number(), number()}; }

 private:
  std::uint32_t next() { return state_ = state_ * 1664525u + 1013904223u; }
  std::uint32_t state_;
};

TEST(Soup, of_any_triangles_becomes_a_valid_mesh) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  for (std::uint32_t seed = 1; seed <= 150; ++seed) {
    Random random(seed);
    const std::uint32_t submeshes = 1 + random.below(3);
    struct Arrays {
      std::vector<std::uint32_t> indices, groups;
      std::vector<Vec3> positions, normals;
      std::vector<Vec4> tangents;
      std::vector<Vec2> texcoords;
    };
    std::vector<Arrays> arrays(submeshes);
    std::vector<SubmeshInput> inputs(submeshes);
    for (std::uint32_t s = 0; s < submeshes; ++s) {
      Arrays& a = arrays[s];
      const std::uint32_t vertices = 1 + random.below(200), triangles = 1 + random.below(500);
      for (std::uint32_t v = 0; v < vertices; ++v) {
        a.positions.push_back(random.vector());
        a.normals.push_back(random.below(20) == 0 ? Vec3{kNan, 0, 0} : random.vector());
        a.tangents.push_back({random.number(), random.number(), 1, random.below(2) == 0 ? 1.0f : -1.0f});
        a.texcoords.push_back({random.number(), random.below(50) == 0 ? kNan : random.number()});
      }
      for (std::uint32_t i = 0; i < triangles * 3; ++i) a.indices.push_back(random.below(vertices));
      for (std::uint32_t t = 0; t < triangles; ++t) a.groups.push_back(random.below(3));
      inputs[s].indices = a.indices;
      inputs[s].positions = a.positions;
      if (random.below(3) != 0) inputs[s].normals = a.normals;
      if (random.below(3) != 0) inputs[s].texcoords = a.texcoords;
      if (random.below(3) == 0) inputs[s].tangents = a.tangents;
      if (random.below(2) == 0) inputs[s].smoothing_groups = a.groups;
    }
    MeshOptions options;
    options.lods = random.below(4);
    options.meshlets.max_vertices = 3 + random.below(253);
    options.meshlets.max_triangles = 1 + random.below(255);
    options.meshlets.cone_weight = static_cast<float>(random.below(5)) / 4;
    const auto built = build_mesh(inputs, options);
    ASSERT_TRUE(built.has_value()) << "seed " << seed << ": " << built.error().to_string();
    expect_valid(built->mesh);
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
}

// Duplicates, and a fan: the work for a triangle grows with the number of triangles at its vertices.
TEST(Soup, no_vertex_has_more_triangles_than_its_copies_fraction) {
  constexpr std::uint32_t kTriangles = 3 * kMaxTrianglesOfVertex + 100;
  std::vector<Vec3> positions{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  std::vector<std::uint32_t> repeated, fan;
  for (std::uint32_t t = 0; t < kTriangles; ++t) {
    repeated.insert(repeated.end(), {0, 1, 2});
    positions.push_back({std::cos(static_cast<float>(t) * 1e-3f), std::sin(static_cast<float>(t) * 1e-3f), 1});
    fan.insert(fan.end(), {0, t + 2, t + 3});
  }
  const std::vector<Vec3> normals(positions.size(), Vec3{0, 0, 1});
  for (const auto& [indices, copies] : {std::pair(repeated, 3 * 3u), std::pair(fan, 3u)}) {
    SubmeshInput input;
    input.indices = indices;
    input.positions = positions;
    input.normals = normals;
    MeshOptions options;
    options.tangents = false;
    const auto prepared = prepare_submesh(input, options);
    ASSERT_TRUE(prepared) << prepared.error().to_string();
    ASSERT_EQ(prepared->indices.size(), indices.size());
    std::vector<std::uint32_t> triangles(prepared->vertex_count());
    for (std::size_t i = 0; i < indices.size(); ++i) {
      EXPECT_LE(++triangles[prepared->indices[i]], kMaxTrianglesOfVertex);
      EXPECT_EQ(positions[prepared->sources[prepared->indices[i]]], positions[indices[i]]);
    }
    EXPECT_EQ(prepared->vertex_count(), prepared->normals.size());
    EXPECT_LE(prepared->vertex_count(), positions.size() + copies);
    EXPECT_TRUE(build_mesh(std::span(&input, 1)));
  }
}

}  // namespace
}  // namespace assetc::mesh
