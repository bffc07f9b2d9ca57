// The first half of building a mesh: one submesh's triangles as unique, packed vertices.
#pragma once

#include <cstdint>
#include <vector>

#include "assetc/base/result.hpp"
#include "mesh/build.hpp"

namespace assetc::mesh {

inline constexpr std::uint32_t kMaxTrianglesOfVertex = 1024;

struct PreparedSubmesh {
  // No two alike (skin and extra included) but copies of those past kMaxTrianglesOfVertex; some may be unused.
  std::vector<hmesh::GpuVertex> vertices;
  std::vector<std::uint32_t> sources;  // of the input's vertices, with source_vertices
  std::vector<scene::Vec3> normals;    // unpacked, for simplification
  std::vector<scene::Vec4> tangents;   // unpacked, with exact_frames and tangents
  std::vector<std::uint32_t> indices;  // no triangle with two equal corners, unless all are so
  bool has_tangents = false;
  std::vector<Repair> repairs;
};

// Of the options counts what is said of vertices: tangents, exact_frames, source_vertices.
Result<PreparedSubmesh> prepare_submesh(const SubmeshInput& input, const MeshOptions& options);

}  // namespace assetc::mesh
