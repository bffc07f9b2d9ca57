#include "mesh/tangents.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <iterator>
#include <span>

#include "assetc/base/bytes.hpp"
#include "mesh/shapes.hpp"
#include "parallel/parallel.hpp"
#include "places.hpp"

namespace assetc::mesh {
namespace {

using scene::Vec2;
using scene::Vec3;
using scene::Vec4;

// Two triangles in the xy plane, facing +z, texture upright: u along x, v down along -y.
struct Quad {
  std::vector<Vec3> positions{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  std::vector<Vec3> normals{4, Vec3{0, 0, 1}};
  std::vector<Vec2> texcoords{{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  std::vector<std::uint32_t> indices{0, 1, 2, 0, 2, 3};
  TangentInput input() const { return {indices, positions, normals, texcoords}; }
};

Vec4 at(const Tangents& t, std::span<const std::uint32_t> indices, std::size_t corner) {
  const auto further = std::ranges::find(t.corners, corner, &Tangents::Corner::corner);
  return t.values[further == t.corners.end() ? indices[corner] : further->value];
}

TEST(Tangents, follow_u_and_bitangents_oppose_v) {
  const Quad quad;
  const Tangents t = generate_tangents(quad.input());
  for (std::size_t c = 0; c < 6; ++c) EXPECT_EQ(at(t, quad.indices, c), (Vec4{1, 0, 0, 1}));
}

TEST(Tangents, of_a_mirrored_texture_change_hand) {
  Quad quad;
  for (Vec2& uv : quad.texcoords) uv.x = -uv.x;
  const Tangents t = generate_tangents(quad.input());
  for (std::size_t c = 0; c < 6; ++c) EXPECT_EQ(at(t, quad.indices, c), (Vec4{-1, 0, 0, -1}));
}

TEST(Tangents, split_a_vertex_where_the_texture_mirrors) {
  // A third triangle across the edge 1-2, with a reversed texture direction.
  Quad quad;
  quad.positions.push_back({2, 0, 0});
  quad.normals.push_back({0, 0, 1});
  quad.texcoords.push_back({0, 1});
  quad.indices.insert(quad.indices.end(), {1, 4, 2});
  const Tangents t = generate_tangents(quad.input());
  EXPECT_EQ(at(t, quad.indices, 1), (Vec4{1, 0, 0, 1}));
  EXPECT_EQ(at(t, quad.indices, 6), (Vec4{-1, 0, 0, -1}));
  EXPECT_EQ(t.values.size(), 7u) << "vertices 1 and 2 have two values each";
}

TEST(Tangents, do_not_depend_on_how_equal_vertices_are_indexed) {
  const Quad shared;
  Quad split;
  for (std::uint32_t c = 0; c < 6; ++c) {
    const std::uint32_t v = shared.indices[c];
    split.positions.push_back(shared.positions[v]);
    split.normals.push_back(shared.normals[v]);
    split.texcoords.push_back({shared.texcoords[v].x, shared.texcoords[v].y == 0 ? -0.0f : shared.texcoords[v].y});
    split.indices[c] = 4 + c;
  }
  const Tangents a = generate_tangents(shared.input()), b = generate_tangents(split.input());
  for (std::size_t c = 0; c < 6; ++c) EXPECT_EQ(at(a, shared.indices, c), at(b, split.indices, c));
}

TEST(Tangents, of_a_degenerate_triangle_come_from_its_neighbor) {
  Quad quad;
  quad.texcoords = {{0, 0}, {0, 1}, {-1, 1}, {-1, 0}};
  quad.indices.insert(quad.indices.end(), {1, 1, 2});
  const Tangents t = generate_tangents(quad.input());
  EXPECT_EQ(at(t, quad.indices, 6), at(t, quad.indices, 1));
  EXPECT_EQ(at(t, quad.indices, 8), at(t, quad.indices, 2));
}

TEST(Tangents, without_texture_area_are_a_fixed_direction) {
  Quad quad;
  quad.texcoords.assign(4, Vec2{0.5f, 0.5f});
  const Tangents t = generate_tangents(quad.input());
  for (std::size_t c = 0; c < 6; ++c) EXPECT_EQ(at(t, quad.indices, c), (Vec4{1, 0, 0, 1}));
}

TEST(Tangents, are_unit_and_finite_whatever_the_scale) {
  for (float scale : {1e-30f, 1e-12f, 1.0f, 1e12f, 1e30f}) {
    Quad quad;
    for (Vec3& p : quad.positions) p = p * scale;
    const Tangents t = generate_tangents(quad.input());
    for (const Vec4& v : t.values) {
      EXPECT_NEAR(v.x * v.x + v.y * v.y + v.z * v.z, 1.0f, 1e-6f);
      EXPECT_EQ(std::fabs(v.w), 1.0f);
    }
  }
}

TEST(Tangents, equal_the_reference_on_a_soup_of_hard_cases) {
  std::ifstream file(std::string(places::kSource) + "/tests/mesh/data/tangents_golden.bin", std::ios::binary);
  const std::vector<char> data((std::istreambuf_iterator<char>(file)), {});
  const ByteSpan bytes = std::as_bytes(std::span(data));
  ASSERT_GE(bytes.size(), 8u);
  std::size_t offset = 8;
  const auto read = [&]<class T>(std::vector<T>& out, std::size_t count) {
    ASSERT_LE(offset + count * sizeof(T), bytes.size());
    for (std::size_t i = 0; i < count; ++i, offset += sizeof(T)) out.push_back(load<T>(bytes, offset));
  };
  const auto vertices = load<std::uint32_t>(bytes, 0), corners = load<std::uint32_t>(bytes, 4);
  std::vector<Vec3> positions, normals;
  std::vector<Vec2> texcoords;
  std::vector<std::uint32_t> indices;
  std::vector<Vec4> expected;
  read(positions, vertices);
  read(normals, vertices);
  read(texcoords, vertices);
  read(indices, corners);
  read(expected, corners);
  const Tangents t = generate_tangents({indices, positions, normals, texcoords});
  for (std::size_t c = 0; c < corners; ++c) {
    // If tangents cancel out, the reference gives no direction at all, but a vertex needs one.
    const Vec4 e = expected[c];
    EXPECT_EQ(at(t, indices, c), (e.x == 0 && e.y == 0 && e.z == 0 ? Vec4{1, 0, 0, e.w} : e)) << "corner " << c;
  }
}

TEST(Tangents, are_the_same_on_one_thread) {
  const Shape shape = wavy_grid(90, 70);
  const TangentInput input{shape.indices, shape.positions, shape.normals, shape.texcoords};
  const Tangents many = generate_tangents(input);
  const ThreadLimit one(1);
  const Tangents single = generate_tangents(input);
  EXPECT_EQ(many.values, single.values);
  EXPECT_EQ(many.corners, single.corners);
}

TEST(Tangents, of_a_fan_of_thousands_of_triangles_take_no_time_by_its_square) {
  // Alternating texture directions around one vertex, so that every pair would be compared.
  std::vector<Vec3> positions{{0, 0, 0}};
  std::vector<Vec2> texcoords{{0, 0}};
  std::vector<std::uint32_t> indices;
  constexpr std::uint32_t kSpokes = 60000;
  for (std::uint32_t i = 0; i < kSpokes; ++i) {
    const double angle = 6.283185307179586 * i / kSpokes;
    positions.push_back({static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)), 0});
    texcoords.push_back({static_cast<float>(i), i % 2 ? 1.0f : 0.5f});
    indices.insert(indices.end(), {0, i + 1, (i + 1) % kSpokes + 1});
  }
  const std::vector<Vec3> normals(positions.size(), Vec3{0, 0, 1});
  const Tangents t = generate_tangents({indices, positions, normals, texcoords});
  EXPECT_GE(t.values.size(), positions.size());
}

}  // namespace
}  // namespace assetc::mesh
