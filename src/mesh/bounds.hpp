// Bounding boxes and bounding spheres of points.
#pragma once

#include <span>

#include "assetc/formats/mesh_bounds.hpp"
#include "scene/math.hpp"

namespace assetc::mesh {

struct Box {
  scene::Vec3 low, high;
  bool operator==(const Box&) const = default;
};
struct Sphere {
  scene::Vec3 center;
  float radius = 0;
  bool operator==(const Sphere&) const = default;
};

// The same as the file has them.
inline scene::Vec3 vector_of(const float (&v)[3]) { return {v[0], v[1], v[2]}; }
inline Box box_of(const hmesh::MeshBounds& b) { return {vector_of(b.aabb_min), vector_of(b.aabb_max)}; }
inline hmesh::MeshBounds bounds_of(const Box& b, const Sphere& s) {
  return {{b.low.x, b.low.y, b.low.z}, {b.high.x, b.high.y, b.high.z}, {s.center.x, s.center.y, s.center.z}, s.radius};
}

// The smallest box. Requires points not empty and finite.
Box bounding_box(std::span<const scene::Vec3> points);

// The smallest sphere, to within a millionth of its radius. It is never too small: length(p - center) <= radius,
// computed in float, for every point. Same bits on any number of threads. Requires points not empty and finite.
// Source: Gärtner, "Fast and Robust Smallest Enclosing Balls", 1999 (farthest point first), with Welzl, 1991, inside.
Sphere bounding_sphere(std::span<const scene::Vec3> points);

// The smallest box and the smallest sphere.
hmesh::MeshBounds bounds_of(std::span<const scene::Vec3> points);

}  // namespace assetc::mesh
