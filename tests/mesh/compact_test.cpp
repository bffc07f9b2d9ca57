#include "mesh/compact.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "mesh/optimize.hpp"

namespace assetc::mesh {
namespace {

using scene::Primitive;

// Two triangles of a square, with six vertices: corner 3 equals corner 0, corner 4 equals corner 2.
Primitive square() {
  Primitive p;
  p.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {-0.0f, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  p.normals.assign(6, {0, 0, 1});
  p.indices = {0, 1, 2, 3, 4, 5};
  return p;
}

TEST(Compact, merges_equal_vertices_and_numbers_them_by_first_use) {
  Primitive p = square();
  p.positions.push_back({9, 9, 9});  // not used
  p.normals.push_back({0, 0, 1});
  compact_primitive(p, TriangleOrder::kStreams);
  EXPECT_EQ(p.positions.size(), 4u);
  EXPECT_EQ(p.normals.size(), 4u);
  std::uint32_t next = 0;
  for (const std::uint32_t index : p.indices) {
    EXPECT_LE(index, next);
    next = std::max(next, index + 1);
  }
  EXPECT_EQ(p.indices.size(), 6u);
}

TEST(Compact, a_vertex_of_many_triangles_is_one_vertex_of_all_of_them) {
  constexpr std::uint32_t kTriangles = 100'000;
  for (const TriangleOrder order : {TriangleOrder::kStreams, TriangleOrder::kDrawing}) {
    Primitive p;
    p.positions.resize(kTriangles + 2);
    for (std::uint32_t i = 1; i < p.positions.size(); ++i) p.positions[i] = {static_cast<float>(i), 1, 0};
    for (std::uint32_t i = 0; i < kTriangles; ++i) p.indices.insert(p.indices.end(), {0, i + 1, i + 2});
    compact_primitive(p, order);
    EXPECT_EQ(p.positions.size(), kTriangles + 2);
    ASSERT_EQ(p.indices.size(), 3 * kTriangles);
    std::uint32_t at_hub = 0;
    for (const std::uint32_t index : p.indices) at_hub += p.positions[index].x == 0 ? 1 : 0;
    EXPECT_EQ(at_hub, kTriangles);
  }
}

TEST(Compact, copies_take_the_triangles_of_crowded_vertices) {
  std::vector<std::uint32_t> indices(std::size_t{3} * kMaxTrianglesOfVertex);
  for (std::size_t i = 0; i < indices.size(); i += 3) indices[i] = 1;
  const std::vector<std::uint32_t> before = indices, originals = split_crowded(indices, 2);
  EXPECT_EQ(originals, std::vector<std::uint32_t>{0});
  std::vector<std::uint32_t> uses(3);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    ++uses[indices[i]];
    EXPECT_EQ(indices[i] == 2 ? 0 : indices[i], before[i]);
  }
  EXPECT_EQ(uses, (std::vector<std::uint32_t>{kMaxTrianglesOfVertex, kMaxTrianglesOfVertex, kMaxTrianglesOfVertex}));
  std::vector<std::uint32_t> few{0, 1, 0};
  EXPECT_TRUE(split_crowded(few, 2).empty());
}

TEST(Compact, keeps_vertices_that_differ_in_any_attribute) {
  const auto count_with = [](auto change) {
    Primitive p = square();
    change(p);
    compact_primitive(p, TriangleOrder::kStreams);
    return p.positions.size();
  };
  EXPECT_EQ(count_with([](Primitive& p) { p.normals[3] = {0, 1, 0}; }), 5u);
  EXPECT_EQ(count_with([](Primitive& p) { p.texcoords = {{{0, 0}, {1, 0}, {1, 1}, {2, 0}, {1, 1}, {0, 1}}}; }), 5u);
  EXPECT_EQ(count_with([](Primitive& p) { p.colors = {std::vector<scene::Vec4>(6)}, p.colors[0][4] = {1, 0, 0, 1}; }),
            5u);
  EXPECT_EQ(count_with([](Primitive& p) {
              p.influences.resize(1);
              p.influences[0].joints.resize(6);
              p.influences[0].weights.resize(6);
              p.influences[0].joints[3] = {1, 0, 0, 0};
            }),
            5u);
  EXPECT_EQ(count_with([](Primitive& p) {
              p.custom.push_back({"_ID", scene::ComponentType::kU8, false, 1, 1, ByteVector(6)});
              p.custom[0].values[3] = std::byte{7};
            }),
            5u);
}

TEST(Compact, keeps_vertices_that_a_morph_target_moves_apart) {
  Primitive p = square();
  p.morphs.resize(1);
  p.morphs[0].vertices = {3, 5};
  p.morphs[0].positions = {{0, 0, 1}, {0, 0, 2}};
  compact_primitive(p, TriangleOrder::kStreams);
  ASSERT_EQ(p.positions.size(), 5u);
  ASSERT_EQ(p.morphs[0].vertices.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const float height = p.morphs[0].positions[i].z;
    EXPECT_EQ(p.positions[p.morphs[0].vertices[i]], height == 1 ? (scene::Vec3{0, 0, 0}) : (scene::Vec3{0, 1, 0}));
  }
}

TEST(Compact, puts_points_next_to_their_neighbors) {
  Primitive p;
  p.topology = scene::Topology::kPoints;
  for (std::uint32_t i = 0; i < 64; ++i) {
    p.positions.push_back({i % 2 == 0 ? 0.0f : 100.0f, static_cast<float>(i), 0});
    p.indices.push_back(i);
  }
  compact_primitive(p, TriangleOrder::kStreams);
  ASSERT_EQ(p.positions.size(), 64u);
  int jumps = 0;
  for (std::size_t i = 1; i < 64; ++i) jumps += p.positions[i].x != p.positions[i - 1].x;
  EXPECT_LT(jumps, 8);
}

TEST(Compact, both_orders_keep_the_triangles) {
  for (const TriangleOrder order : {TriangleOrder::kDrawing, TriangleOrder::kStreams}) {
    Primitive p = square();
    compact_primitive(p, order);
    ASSERT_EQ(p.indices.size(), 6u);
    float area = 0;
    for (std::size_t i = 0; i < 6; i += 3) {
      const scene::Vec3 a = p.positions[p.indices[i]];
      area += cross(p.positions[p.indices[i + 1]] - a, p.positions[p.indices[i + 2]] - a).z / 2;
    }
    EXPECT_EQ(area, 1);
  }
}

TEST(Compact, keeps_the_order_of_lines) {
  Primitive p = square();
  p.topology = scene::Topology::kLines;
  p.indices = {5, 4, 3, 2, 1, 0};
  compact_primitive(p, TriangleOrder::kStreams);
  EXPECT_EQ(p.indices, (std::vector<std::uint32_t>{0, 1, 2, 1, 3, 2}));
  EXPECT_EQ(p.positions[0], (scene::Vec3{0, 1, 0}));
}

TEST(Compact, accepts_a_primitive_without_vertices) {
  Primitive p;
  compact_primitive(p, TriangleOrder::kStreams);
  EXPECT_TRUE(p.positions.empty());
}

}  // namespace
}  // namespace assetc::mesh
