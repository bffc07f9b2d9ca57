// Simplification for levels of detail: fewer triangles over the same vertices.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scene/math.hpp"

namespace assetc::mesh {

// The numbers that SimplifyInput::shapes has for each vertex: three for each of nine morph targets.
inline constexpr std::size_t kShapeFloats = 27;

struct SimplifyInput {
  std::span<const std::uint32_t> indices;
  std::span<const scene::Vec3> positions;
  std::span<const scene::Vec3> normals;    // as many as positions
  std::span<const scene::Vec2> texcoords;  // as many as positions, or empty
  // kShapeFloats for each position, or empty: offsets by morph targets. Differences count as distances, so that the
  // result also fits the shapes that the targets make.
  std::span<const float> shapes;
  std::span<const std::uint8_t> locked;  // 1: the vertex must not move; as many as positions, or empty
  std::size_t target_index_count = 0;
  // The extent of the whole mesh that this is a part of. Errors and weights are relative to it, so that all parts of a
  // mesh are simplified alike.
  float mesh_extent = 0;
  float texcoord_extent = 0;  // the longer side of the box around the whole mesh's texture coordinates
};

// The largest distance that the surface may move, as a fraction of mesh_extent. Changes of normals and texture
// coordinates count as distance, by their weights.
inline constexpr float kMaxSimplifyError = 0.05f;

// Returns at most about target_index_count indices, or more if topology, locks or the error limit prevent that. Seams
// of normals and texture coordinates stay closed.
std::vector<std::uint32_t> simplify(const SimplifyInput& input);

}  // namespace assetc::mesh
