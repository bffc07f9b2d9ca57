// The first half of building a mesh: turns the triangles of one submesh into unique vertices.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assetc/base/result.hpp"
#include "mesh/build.hpp"
#include "mesh/morph_index.hpp"
#include "mesh/optimize.hpp"

namespace assetc::mesh {

struct PreparedSubmesh {
  // Vertex streams. All other attributes stay in the input, so that a large mesh is in memory only once. No two
  // vertices are alike (channels included), except the copies of vertices with more than kMaxTrianglesOfVertex
  // triangles. Some vertices may be unused.
  std::vector<std::uint32_t> sources;  // the input vertex of each vertex
  std::vector<scene::Vec3> normals;
  std::vector<scene::Vec4> tangents;   // if the options ask for them
  std::vector<std::uint32_t> indices;  // no degenerate triangle, unless all are degenerate
  bool has_tangents = false;
  MorphIndex morphs;  // of the input's vertices
  std::vector<Repair> repairs;

  std::size_t vertex_count() const { return sources.size(); }
};

// Checks what concerns all inputs together, and the options. Errors: those of build_mesh.
Result<void> check_inputs(std::span<const SubmeshInput> submeshes, const MeshOptions& options);
// Checks one input without its levels of detail. Errors: those of build_mesh.
Result<void> check_submesh(const SubmeshInput& input);
// The texture coordinates of the input, with (0, 0) in place of those that are not finite. Empty stream if all are
// finite.
Stream<scene::Vec2> repaired_texcoords(const SubmeshInput& input, std::vector<Repair>& repairs);
// Replaces the texture coordinates, also where they are one of the sets. repaired: empty if they are not broken.
void replace_texcoords(SubmeshInput& input, const Stream<scene::Vec2>& repaired);
// Whether all tangents are finite, have a length, and a w of 1 or -1.
bool usable_tangents(std::span<const scene::Vec4> tangents);
// A tangent for a surface without texture coordinates: an arbitrary direction along it.
scene::Vec4 any_tangent(scene::Vec3 normal);

// Of the options, only those about vertices matter: tangents, exact_frames. Repairs the texture coordinates of the
// input.
// Requires an input of triangles.
Result<PreparedSubmesh> prepare_submesh(SubmeshInput& input, const MeshOptions& options);

}  // namespace assetc::mesh
