// Cuts polygons of any shape into triangles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scene/math.hpp"

namespace assetc::importer {

// Ear clipping takes quadratic time in the number of corners, and cubic time for the worst shapes.
inline constexpr std::size_t kMaxEarCorners = 4096;
inline constexpr std::uint64_t kMaxEarLooks = 16384;  // tests against other corners, per corner of a polygon

// Returns corner numbers (into `corners`), three per triangle, in the winding of the polygon; corners.size() - 2
// triangles. Concave and slightly warped polygons are cut by ear clipping, projected along their mean normal. A polygon
// that crosses itself still gives that many triangles.
//
// A polygon with more than kMaxEarCorners is cut as a fan. If kMaxEarLooks is used up, the rest is cut as a fan. In
// both cases, the result is false. Requires corners.size() >= 3.
bool triangulate(std::span<const scene::Vec3> corners, std::vector<std::uint32_t>& triangles);

}  // namespace assetc::importer
