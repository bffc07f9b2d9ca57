// Boxes and spheres around points.
#pragma once

#include <span>

#include "mesh/mesh.hpp"

namespace assetc::mesh {

// The least box. Requires points not empty and finite.
Box bounding_box(std::span<const scene::Vec3> points);

// The least sphere, to within a millionth of its radius, and never less: length(p - center) <= radius in float for
// every point. Same bits on any number of threads. Requires points not empty and finite.
// Source: Gärtner, "Fast and Robust Smallest Enclosing Balls", 1999 (farthest point first); Welzl, 1991, inside.
Sphere bounding_sphere(std::span<const scene::Vec3> points);

// Both.
Bounds bounds_of(std::span<const scene::Vec3> points);

}  // namespace assetc::mesh
