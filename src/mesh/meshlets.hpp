// Meshlets: groups of neighboring triangles, small enough for one mesh shader workgroup and culled as one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assetc/formats/hmesh.hpp"
#include "scene/math.hpp"

namespace assetc::mesh {

struct MeshletLimits {
  std::uint32_t max_vertices = hmesh::kMeshletMaxVertices;    // 3..255
  std::uint32_t max_triangles = hmesh::kMeshletMaxTriangles;  // 1..255
  // 0: as compact as can be; 1: as flat as can be, for culling by normal cone.
  float cone_weight = 0.25f;
};

// Offsets count from the start of these vectors; bounds are parallel to meshlets.
struct Meshlets {
  std::vector<hmesh::Meshlet> meshlets;
  std::vector<std::uint32_t> vertices;
  std::vector<hmesh::MeshletTriangle> triangles;
  std::vector<hmesh::MeshletBounds> bounds;
};

// Every triangle of indices in exactly one meshlet, its corners in the same cyclic order.
// Requires every index < positions.size(), limits in range.
Meshlets build_meshlets(std::span<const std::uint32_t> indices, std::span<const scene::Vec3> positions,
                        const MeshletLimits& limits);

}  // namespace assetc::mesh
