// Quadrics of surfaces with attributes: the cost of moving a vertex, as squared distance to the planes of triangles
// and squared difference to their attributes, weighted by area.
// Source: Garland and Heckbert, "Surface Simplification Using Quadric Error Metrics", 1997; Hoppe, "New Quadric Metric
// for Simplifying Meshes with Appearance Attributes", 1999.
#pragma once

#include <array>
#include <cstddef>

#include "mesh/cluster/lanes.hpp"
#include "scene/math.hpp"

namespace assetc::mesh::cluster {

// Four attributes in one vector.
template <std::size_t kLanes>
using Attributes = std::array<Lanes, kLanes>;

template <std::size_t kLanes>
struct Quadric {
  // p'Ap + 2b'p + c, and the sum of weights.
  float a00 = 0, a11 = 0, a22 = 0, a10 = 0, a20 = 0, a21 = 0, b0 = 0, b1 = 0, b2 = 0, c = 0, weight = 0;
  // Of each attribute the weighted sum of the linear functions that triangles interpolate it by: gradient and offset.
  Attributes<kLanes> gx{}, gy{}, gz{}, g{};

  Quadric& operator+=(const Quadric& q) {
    a00 += q.a00, a11 += q.a11, a22 += q.a22, a10 += q.a10, a20 += q.a20, a21 += q.a21;
    b0 += q.b0, b1 += q.b1, b2 += q.b2, c += q.c, weight += q.weight;
    for (std::size_t i = 0; i < kLanes; ++i) gx[i] += q.gx[i], gy[i] += q.gy[i], gz[i] += q.gz[i], g[i] += q.g[i];
    return *this;
  }

  // Adds w * (n . p + d)^2.
  void add_plane(scene::Vec3 n, float d, float w) {
    a00 += w * n.x * n.x, a11 += w * n.y * n.y, a22 += w * n.z * n.z;
    a10 += w * n.x * n.y, a20 += w * n.x * n.z, a21 += w * n.y * n.z;
    b0 += w * n.x * d, b1 += w * n.y * d, b2 += w * n.z * d, c += w * d * d;
  }

  // The cost of the position p with the attributes s. Rounding can make it slightly negative.
  float cost(scene::Vec3 p, const Attributes<kLanes>& s) const {
    const float x = a00 * p.x + 2 * (a10 * p.y + a20 * p.z + b0);
    const float y = a11 * p.y + 2 * (a21 * p.z + b1);
    const float z = a22 * p.z + 2 * b2;
    Lanes attributes{};
    for (std::size_t i = 0; i < kLanes; ++i) {
      const Lanes value = gx[i] * p.x + gy[i] * p.y + gz[i] * p.z + g[i];
      attributes += s[i] * (s[i] * weight - 2 * value);
    }
    return x * p.x + y * p.y + z * p.z + c + sum(attributes);
  }
};

// The quadric of a triangle, weighted by its area. A triangle without area has none.
template <std::size_t kLanes>
Quadric<kLanes> triangle_quadric(const std::array<scene::Vec3, 3>& p, const std::array<Attributes<kLanes>, 3>& s) {
  Quadric<kLanes> q;
  const scene::Vec3 u = p[1] - p[0], v = p[2] - p[0];
  scene::Vec3 n = scene::cross(u, v);
  const float twice_area = scene::length(n);
  if (!(twice_area > 0)) return q;
  n = n * (1 / twice_area);
  const float area = twice_area * 0.5f;
  q.add_plane(n, -scene::dot(n, p[0]), area);
  q.weight = area;

  // Each attribute is s0 + gradient . (p - p0) on the triangle's plane.
  const float uu = scene::dot(u, u), uv = scene::dot(u, v), vv = scene::dot(v, v);
  const float determinant = uu * vv - uv * uv;
  if (!(determinant > 0)) return q;
  const float inverse = 1 / determinant;
  const scene::Vec3 along_u = (u * vv - v * uv) * inverse, along_v = (v * uu - u * uv) * inverse;
  Lanes squares_xx{}, squares_yy{}, squares_zz{}, squares_xy{}, squares_xz{}, squares_yz{};
  Lanes linear_x{}, linear_y{}, linear_z{}, constant{};
  for (std::size_t i = 0; i < kLanes; ++i) {
    const Lanes du = s[1][i] - s[0][i], dv = s[2][i] - s[0][i];
    const Lanes x = du * along_u.x + dv * along_v.x, y = du * along_u.y + dv * along_v.y,
                z = du * along_u.z + dv * along_v.z;
    const Lanes at_origin = s[0][i] - x * p[0].x - y * p[0].y - z * p[0].z;
    squares_xx += x * x, squares_yy += y * y, squares_zz += z * z;
    squares_xy += x * y, squares_xz += x * z, squares_yz += y * z;
    linear_x += x * at_origin, linear_y += y * at_origin, linear_z += z * at_origin, constant += at_origin * at_origin;
    q.gx[i] = x * area, q.gy[i] = y * area, q.gz[i] = z * area, q.g[i] = at_origin * area;
  }
  q.a00 += sum(squares_xx) * area, q.a11 += sum(squares_yy) * area, q.a22 += sum(squares_zz) * area;
  q.a10 += sum(squares_xy) * area, q.a20 += sum(squares_xz) * area, q.a21 += sum(squares_yz) * area;
  q.b0 += sum(linear_x) * area, q.b1 += sum(linear_y) * area, q.b2 += sum(linear_z) * area;
  q.c += sum(constant) * area;
  return q;
}

}  // namespace assetc::mesh::cluster
