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

}  // namespace assetc::mesh
