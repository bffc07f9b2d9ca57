// Levels of detail: fewer triangles over the same vertices.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scene/math.hpp"

namespace assetc::mesh {

struct SimplifyInput {
  std::span<const std::uint32_t> indices;
  std::span<const scene::Vec3> positions;
  std::span<const scene::Vec3> normals;    // as many as positions
  std::span<const scene::Vec2> texcoords;  // as many, or empty
  std::span<const std::uint8_t> locked;    // 1: the vertex stays where it is; as many, or empty
  std::size_t target_index_count = 0;
  // Of the whole mesh that this is a part of: what errors and weights are relative to, so that parts of one mesh
  // simplify alike.
  float mesh_extent = 0;
  float texcoord_extent = 0;  // the larger side of the box around its texture coordinates
};

// The largest distance a surface moves, as a fraction of mesh_extent; normals and texture coordinates count as
// distance by their weights.
inline constexpr float kMaxSimplifyError = 0.05f;

// At most about target_index_count indices, more where topology, locks or the error limit forbid it. Seams of normals
// and texture coordinates stay closed.
std::vector<std::uint32_t> simplify(const SimplifyInput& input);

}  // namespace assetc::mesh
