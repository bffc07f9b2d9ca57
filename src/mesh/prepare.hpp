// The first half of building a mesh: one submesh's triangles as unique vertices.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assetc/base/result.hpp"
#include "mesh/build.hpp"

namespace assetc::mesh {

inline constexpr std::uint32_t kMaxTrianglesOfVertex = 1024;

struct PreparedSubmesh {
  // Of the input, which must outlive this: a large mesh is held once while it is built.
  std::span<const scene::Vec3> positions;
  std::span<const scene::Vec2> texcoords;  // repaired; empty where the input has none
  std::vector<scene::Vec2> own_texcoords;  // those, where some had to be repaired

  // Streams of vertices: no two alike (channels included) but copies of those past kMaxTrianglesOfVertex; some may be
  // unused.
  std::vector<std::uint32_t> sources;  // vertices of the input
  std::vector<scene::Vec3> normals;
  std::vector<scene::Vec4> tangents;   // where the options ask for them
  std::vector<std::uint32_t> indices;  // no triangle with two equal corners, unless all are so
  bool has_tangents = false;
  std::vector<Repair> repairs;

  std::size_t vertex_count() const { return sources.size(); }
  scene::Vec3 position(std::size_t vertex) const { return positions[sources[vertex]]; }
};

// Of the options counts what is said of vertices: tangents, exact_frames.
Result<PreparedSubmesh> prepare_submesh(const SubmeshInput& input, const MeshOptions& options);

}  // namespace assetc::mesh
