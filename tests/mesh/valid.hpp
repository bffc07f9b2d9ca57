// Properties of every mesh that build_mesh makes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "mesh/bounds.hpp"
#include "mesh/mesh.hpp"

namespace assetc::mesh {

inline bool holds(const hmesh::MeshBounds& bounds, scene::Vec3 p) {
  const Box box = box_of(bounds);
  return p.x >= box.low.x && p.y >= box.low.y && p.z >= box.low.z && p.x <= box.high.x && p.y <= box.high.y &&
         p.z <= box.high.z && scene::length(p - vector_of(bounds.sphere_center)) <= bounds.sphere_radius;
}

inline void expect_valid_streams(const Mesh& m) {
  const std::size_t count = m.positions.size();
  EXPECT_EQ(m.normals.size(), count);
  const auto complete_or_empty = [&](const auto& stream) { return stream.empty() || stream.size() == count; };
  EXPECT_TRUE(complete_or_empty(m.tangents));
  EXPECT_TRUE(complete_or_empty(m.skin));
  for (const auto& set : m.texcoords) EXPECT_TRUE(complete_or_empty(set));
  for (const auto& set : m.colors) EXPECT_TRUE(complete_or_empty(set));
  for (const scene::Vec3& n : m.normals) ASSERT_TRUE(std::isfinite(n.x + n.y + n.z) && scene::length(n) > 0);
  for (const scene::Vec4& t : m.tangents) ASSERT_TRUE(std::isfinite(t.x + t.y + t.z) && (t.w == 1 || t.w == -1));
  for (const scene::Vec3& p : m.positions) ASSERT_TRUE(holds(m.bounds, p));
}

inline void expect_valid_meshlets(const Mesh& m) {
  ASSERT_EQ(m.meshlet_bounds.size(), m.meshlets.size());
  std::size_t vertices = 0, triangles = 0;
  for (std::size_t l = 0; l < m.meshlets.size(); ++l) {
    const hmesh::Meshlet& meshlet = m.meshlets[l];
    ASSERT_EQ(meshlet.vertex_offset, vertices);
    ASSERT_EQ(meshlet.triangle_offset, triangles);
    ASSERT_LE(meshlet.vertex_count, m.meshlet_max_vertices);
    ASSERT_LE(meshlet.triangle_count, m.meshlet_max_triangles);
    vertices += meshlet.vertex_count;
    triangles += meshlet.triangle_count;
    ASSERT_LE(vertices, m.meshlet_vertices.size());
    ASSERT_LE(triangles, m.meshlet_triangles.size());
    const scene::Vec3 center = vector_of(m.meshlet_bounds[l].center);
    const float radius = m.meshlet_bounds[l].radius;
    const float far = std::max({radius, std::fabs(center.x), std::fabs(center.y), std::fabs(center.z)});
    for (const std::uint32_t v : std::span(m.meshlet_vertices).subspan(meshlet.vertex_offset, meshlet.vertex_count))
      ASSERT_LE(scene::length(m.positions[v] - center), radius + 2e-5f * far);
    for (const hmesh::MeshletTriangle& t :
         std::span(m.meshlet_triangles).subspan(meshlet.triangle_offset, meshlet.triangle_count))
      ASSERT_LT(std::ranges::max(t.corners), meshlet.vertex_count);
  }
  EXPECT_EQ(vertices, m.meshlet_vertices.size());
  EXPECT_EQ(triangles, m.meshlet_triangles.size());
  for (const std::uint32_t v : m.meshlet_vertices) ASSERT_LT(v, m.positions.size());
}

// Submeshes are consecutive. Each uses a range of vertices in the order of their first use. The same holds for levels.
inline void expect_valid_submeshes(const Mesh& m) {
  std::uint32_t index = 0, meshlet = 0, vertex = 0;
  ASSERT_EQ(m.submesh_vertices.size(), m.submeshes.size());
  for (std::size_t number = 0; number < m.submeshes.size(); ++number) {
    const hmesh::SubMesh& s = m.submeshes[number];
    const DrawVertices& vertices = m.submesh_vertices[number];
    ASSERT_EQ(s.first_index, index);
    ASSERT_EQ(s.first_meshlet, meshlet);
    ASSERT_EQ(vertices.first_vertex, vertex);
    index += s.index_count;
    meshlet += s.meshlet_count;
    ASSERT_LE(index, m.indices.size());
    std::uint32_t next = vertex;
    for (const std::uint32_t i : std::span(m.indices).subspan(s.first_index, s.index_count)) {
      ASSERT_TRUE(i >= vertex && i <= next);
      next = std::max(next, i + 1);
    }
    vertex += vertices.vertex_count;
    ASSERT_EQ(next, vertex);
    ASSERT_LE(vertex, m.positions.size());
    for (const scene::Vec3& p : std::span(m.positions).subspan(vertices.first_vertex, vertices.vertex_count))
      ASSERT_TRUE(holds(s.bounds, p));
  }
  EXPECT_EQ(index, m.indices.size());
  EXPECT_EQ(meshlet, m.meshlets.size());
  ASSERT_EQ(m.lods.size(), std::size_t{m.lod_count} * m.submeshes.size());
  std::uint32_t level_index = 0;
  for (const hmesh::MeshLod& range : m.lods) {
    ASSERT_EQ(range.first_index, level_index);
    level_index += range.index_count;
  }
  EXPECT_EQ(level_index, m.lod_indices.size());
  for (const std::uint32_t i : m.lod_indices) ASSERT_LT(i, m.positions.size());
}

inline void expect_valid(const Mesh& m) {
  expect_valid_streams(m);
  expect_valid_submeshes(m);
  expect_valid_meshlets(m);
}

}  // namespace assetc::mesh
