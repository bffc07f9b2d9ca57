// Meshlets: groups of neighboring triangles, each small enough for one mesh shader workgroup and culled as a unit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/mesh.hpp"

namespace assetc::mesh {

struct MeshletLimits {
  std::uint32_t max_vertices = 64;    // 3..255
  std::uint32_t max_triangles = 124;  // 1..255
  // 0: as compact as possible; 1: as flat as possible, for culling by normal cone.
  float cone_weight = 0.25f;
};

// Offsets count from the start of these vectors; bounds are parallel to meshlets.
struct Meshlets {
  std::vector<hmesh::Meshlet> meshlets;
  std::vector<std::uint32_t> vertices;
  std::vector<hmesh::MeshletTriangle> triangles;
  std::vector<hmesh::MeshletBounds> bounds;
};

// Puts every triangle of indices into exactly one meshlet. Corners keep their cyclic order. Requires every index <
// positions.size(), limits in range.
Meshlets build_meshlets(std::span<const std::uint32_t> indices, std::span<const scene::Vec3> positions,
                        const MeshletLimits& limits);

// Puts the triangles that the meshlets were built from into their order, and numbers vertices by first use in it.
// vertices: what each vertex stands for; reordered too.
void order_by_meshlets(Meshlets& meshlets, std::span<std::uint32_t> indices, std::vector<std::uint32_t>& vertices);

}  // namespace assetc::mesh
