// Vertex normals where a source has none, or broken ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scene/math.hpp"

namespace assetc::mesh {

// The unit normal of every triangle; zero where it has no area.
std::vector<scene::Vec3> face_normals(std::span<const std::uint32_t> indices, std::span<const scene::Vec3> positions);

// One normal a corner. smoothing_groups: one a triangle; corners at one position in one group share a normal, the
// faces' weighted by their angle there; group 0 is flat. Empty: all flat, which is what glTF asks for.
// (0, 0, 1) where no triangle with area gives one.
// Requires every index < positions.size(), finite positions. Same bits on any number of threads.
std::vector<scene::Vec3> corner_normals(std::span<const std::uint32_t> indices, std::span<const scene::Vec3> positions,
                                        std::span<const std::uint32_t> smoothing_groups);

// Whether a normal points somewhere: finite, and of some length.
bool has_direction(scene::Vec3 normal);

// Replaces the normals that point nowhere by smooth ones, where a triangle says one. How many there were.
// Requires normals.size() == positions.size(), every index below it, finite positions.
std::size_t repair_normals(std::span<const std::uint32_t> indices, std::span<const scene::Vec3> positions,
                           std::span<scene::Vec3> normals);

// A vertex for every pair of a vertex and one of its corners' normals.
struct SplitVertices {
  std::vector<std::uint32_t> indices;
  std::vector<std::uint32_t> sources;  // of the vertices before
  std::vector<scene::Vec3> normals;
};
// corner_normals, with corners that agree made one again. The same requirements.
SplitVertices split_by_normal(std::span<const std::uint32_t> indices, std::span<const scene::Vec3> positions,
                              std::span<const std::uint32_t> smoothing_groups);

}  // namespace assetc::mesh
