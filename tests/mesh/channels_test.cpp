#include "mesh/channels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mesh/built.hpp"
#include "mesh/valid.hpp"

namespace assetc::mesh {
namespace {

using scene::Vec2;
using scene::Vec4;

TEST(Channels, keeps_vertices_apart_that_differ_in_other_attributes) {
  Shape s = one_triangle();
  s.positions.insert(s.positions.end(), s.positions.begin(), s.positions.end());
  s.normals.resize(6, {0, 0, 1});
  s.texcoords.insert(s.texcoords.end(), s.texcoords.begin(), s.texcoords.end());
  s.indices = {0, 1, 2, 3, 4, 5};
  SubmeshInput in = input_of(s);
  EXPECT_EQ(build({in}).mesh.positions.size(), 3u);
  std::vector<Vec4> colors;
  for (const float red : {0.0f, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f}) colors.push_back({red, 0, 0, 1});
  in.color_sets = {colors};
  const Mesh m = build({in}).mesh;
  ASSERT_EQ(m.colors.size(), 1u);
  EXPECT_THAT(m.colors[0], testing::UnorderedElementsAreArray(colors));
  expect_valid(m);
}

TEST(Channels, keeps_the_sets_of_each_vertex) {
  const Shape s = sphere(30, 20);
  std::vector<Vec2> numbers;
  std::vector<Vec4> colors;
  for (std::size_t v = 0; v < s.positions.size(); ++v) {
    const auto number = static_cast<float>(v);
    numbers.push_back({number, -number});
    colors.push_back({number, 0, 0, 0.5f});
  }
  SubmeshInput in = input_of(s);
  in.texcoord_sets = {s.texcoords, {}, numbers};
  in.color_sets = {colors};
  const Mesh m = build({in}).mesh;
  ASSERT_EQ(m.texcoords.size(), 3u);
  EXPECT_TRUE(m.texcoords[1].empty());
  EXPECT_EQ(m.submesh_vertices[0].texcoord_sets, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(m.submesh_vertices[0].color_sets, std::vector<bool>{true});
  for (std::size_t v = 0; v < m.positions.size(); ++v) {
    const auto source = static_cast<std::size_t>(m.texcoords[2][v].x);
    EXPECT_EQ(m.positions[v], s.positions[source]);
    EXPECT_EQ(m.texcoords[0][v], s.texcoords[source]);
    EXPECT_EQ(m.colors[0][v], colors[source]);
  }
  expect_valid(m);
}

TEST(Channels, without_sets_keeps_the_texture_coordinates_that_tangents_follow) {
  const Shape s = wavy_grid(9, 9);
  const Mesh m = build(s).mesh;
  ASSERT_EQ(m.texcoords.size(), 1u);
  for (std::size_t v = 0; v < m.positions.size(); ++v) {
    const auto source = static_cast<std::size_t>(std::ranges::find(s.positions, m.positions[v]) - s.positions.begin());
    EXPECT_EQ(m.texcoords[0][v], s.texcoords[source]);
  }
  SubmeshInput in = input_of(s);
  const std::vector<Vec2> other(s.positions.size(), Vec2{7, 7});
  in.texcoord_sets = {other};
  EXPECT_EQ(build({in}).mesh.texcoords, (std::vector<std::vector<Vec2>>{other}))
      << "coordinates that only tangents need are dropped";
}

TEST(Channels, fills_sets_that_a_submesh_lacks) {
  const Shape a = one_triangle();
  const std::vector<Vec4> colors(3, Vec4{0, 0.5f, 0, 1});
  SubmeshInput plain = input_of(a), colored = input_of(a);
  plain.texcoords = {};
  colored.color_sets = {colors};
  const Mesh m = build({plain, colored, plain}).mesh;
  ASSERT_EQ(m.positions.size(), 9u);
  expect_valid(m);
  for (std::size_t v = 0; v < 9; ++v) {
    const bool is_colored = v / 3 == 1;
    EXPECT_EQ(m.colors[0][v], is_colored ? colors[0] : (Vec4{1, 1, 1, 1}));
    EXPECT_EQ(m.texcoords[0][v] == Vec2{}, !is_colored || a.texcoords[v - 3] == Vec2{});
  }
  EXPECT_EQ(m.submesh_vertices[0].color_sets, std::vector<bool>{});
  EXPECT_EQ(m.submesh_vertices[1].color_sets, std::vector<bool>{true});
}

TEST(Channels, levels_of_the_source_bring_their_sets) {
  const Shape a = wavy_grid(20, 20), coarse = wavy_grid(3, 3);
  const std::vector<Vec4> red(a.positions.size(), Vec4{1, 0, 0, 1}), blue(coarse.positions.size(), Vec4{0, 0, 1, 1});
  SubmeshInput in = input_of(a);
  in.color_sets = {red};
  in.levels = {input_of(coarse)};
  in.levels[0].color_sets = {blue};
  const Mesh m = build({in}).mesh;
  ASSERT_EQ(m.positions.size(), red.size() + blue.size());
  expect_valid(m);
  for (std::size_t v = 0; v < m.positions.size(); ++v) EXPECT_EQ(m.colors[0][v], v < red.size() ? red[0] : blue[0]);
}

TEST(Channels, repairs_the_set_that_tangents_follow_and_keeps_others_as_they_are) {
  Shape s = one_triangle();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  s.texcoords[1].x = nan;
  std::vector<Vec2> other(3, Vec2{nan, 2});
  SubmeshInput in = input_of(s);
  in.texcoord_sets = {s.texcoords, other};
  const BuiltMesh built = build({in});
  EXPECT_EQ(built.repairs.size(), 1u);
  EXPECT_EQ(std::ranges::count(built.mesh.texcoords[0], Vec2{}), 2) << "the repaired one, and one that was zero before";
  EXPECT_TRUE(std::ranges::all_of(built.mesh.texcoords[1], [](Vec2 uv) { return std::isnan(uv.x) && uv.y == 2; }));
}

}  // namespace
}  // namespace assetc::mesh
