// Cuts polygons of any shape into triangles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scene/math.hpp"

namespace assetc::importer {

// Ear clipping takes cubic time for the worst shapes. This limits the tests against other corners, for each corner of a
// polygon.
inline constexpr std::uint64_t kMaxEarLooks = 16384;

// Returns corner numbers (into `corners`), three per triangle, in the winding of the polygon; corners.size() - 2
// triangles. Concave and slightly warped polygons are cut by ear clipping, projected along their mean normal. A polygon
// that crosses itself still gives that many triangles.
//
// If kMaxEarLooks is used up, the rest is cut as a fan, and the result is false. Requires 3 corners or more, less than
// 2^32.
bool triangulate(std::span<const scene::Vec3> corners, std::vector<std::uint32_t>& triangles);

}  // namespace assetc::importer
