// The first half of building a mesh: one submesh's triangles as unique vertices.
#pragma once

#include <cstdint>
#include <vector>

#include "assetc/base/result.hpp"
#include "mesh/build.hpp"

namespace assetc::mesh {

inline constexpr std::uint32_t kMaxTrianglesOfVertex = 1024;

struct PreparedSubmesh {
  // Streams of vertices: no two alike (channels included) but copies of those past kMaxTrianglesOfVertex; some may be
  // unused.
  std::vector<scene::Vec3> positions;
  std::vector<scene::Vec3> normals;
  std::vector<scene::Vec4> tangents;   // where the options ask for them
  std::vector<scene::Vec2> texcoords;  // where the input has them
  std::vector<std::uint32_t> sources;  // vertices of the input, where it has channels
  std::vector<std::uint32_t> indices;  // no triangle with two equal corners, unless all are so
  bool has_tangents = false;
  std::vector<Repair> repairs;
};

// Of the options counts what is said of vertices: tangents, exact_frames.
Result<PreparedSubmesh> prepare_submesh(const SubmeshInput& input, const MeshOptions& options);

}  // namespace assetc::mesh
