// Computes vertex normals that a source lacks or that are broken.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scene/math.hpp"

namespace assetc::mesh {

// The unit normal of each triangle; zero if it has no area.
std::vector<scene::Vec3> face_normals(std::span<const std::uint32_t> indices, std::span<const scene::Vec3> positions);

// One normal for each corner. Corners at one position and in one smoothing group share a normal: the mean of their
// faces' normals, weighted by the angle of the face at the corner. If no triangle with area contributes, it is (0, 0,
// 1). Same bits on any number of threads.
// smoothing_groups: one for each triangle. Group 0 is flat. An empty list means all flat, as glTF requires.
// Requires every index < positions.size(), finite positions.
std::vector<scene::Vec3> corner_normals(std::span<const std::uint32_t> indices, std::span<const scene::Vec3> positions,
                                        std::span<const std::uint32_t> smoothing_groups);

// Whether a normal is finite and not of zero length.
bool has_direction(scene::Vec3 normal);

// Replaces broken normals (see has_direction) by smooth ones where a triangle defines one. Returns how many were
// broken. Requires normals.size() == positions.size(), every index below that, finite positions.
std::size_t repair_normals(std::span<const std::uint32_t> indices, std::span<const scene::Vec3> positions,
                           std::span<scene::Vec3> normals);

// One vertex for each pair of an input vertex and the normal of one of its corners.
struct SplitVertices {
  std::vector<std::uint32_t> indices;
  std::vector<std::uint32_t> sources;  // the input vertex of each vertex
  std::vector<scene::Vec3> normals;
};
// Like corner_normals, but corners with the same vertex and normal become one vertex. The same requirements.
SplitVertices split_by_normal(std::span<const std::uint32_t> indices, std::span<const scene::Vec3> positions,
                              std::span<const std::uint32_t> smoothing_groups);

}  // namespace assetc::mesh
