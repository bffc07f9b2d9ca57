// Polygons of any shape into triangles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scene/math.hpp"

namespace assetc::importer {

// Corner numbers (into `corners`), three a triangle, in the polygon's winding; corners.size() - 2 triangles.
// Concave and slightly warped polygons are cut by ears, seen along their mean normal; one that crosses itself still
// gives that many triangles. Polygons over kMaxEarCorners are cut as a fan. Requires corners.size() >= 3.
void triangulate(std::span<const scene::Vec3> corners, std::vector<std::uint32_t>& triangles);

// Cutting ears takes time in the square of the corners.
inline constexpr std::size_t kMaxEarCorners = 4096;

}  // namespace assetc::importer
