// Polygons of any shape into triangles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scene/math.hpp"

namespace assetc::importer {

// Cutting ears takes time in the square of the corners, and of shapes made to be slow in the cube.
inline constexpr std::size_t kMaxEarCorners = 4096;
inline constexpr std::uint64_t kMaxEarLooks = 16384;  // at other corners, for each corner of a polygon

// Corner numbers (into `corners`), three a triangle, in the polygon's winding; corners.size() - 2 triangles.
// Concave and slightly warped polygons are cut by ears, seen along their mean normal; one that crosses itself still
// gives that many triangles. Polygons over kMaxEarCorners, and what is left of one after kMaxEarLooks, are cut as a
// fan, and false is returned. Requires corners.size() >= 3.
bool triangulate(std::span<const scene::Vec3> corners, std::vector<std::uint32_t>& triangles);

}  // namespace assetc::importer
