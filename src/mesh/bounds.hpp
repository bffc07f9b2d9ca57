// Bounding boxes and bounding spheres of points.
#pragma once

#include <span>

#include "mesh/mesh.hpp"

namespace assetc::mesh {

// The smallest box. Requires points not empty and finite.
Box bounding_box(std::span<const scene::Vec3> points);

// The smallest sphere, to within a millionth of its radius. It is never too small: length(p - center) <= radius,
// computed in float, for every point. Same bits on any number of threads. Requires points not empty and finite.
// Source: Gärtner, "Fast and Robust Smallest Enclosing Balls", 1999 (farthest point first), with Welzl, 1991, inside.
Sphere bounding_sphere(std::span<const scene::Vec3> points);

// The smallest box and the smallest sphere.
Bounds bounds_of(std::span<const scene::Vec3> points);

}  // namespace assetc::mesh
