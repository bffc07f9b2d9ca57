#include "export/unit_vectors.hpp"

#include <algorithm>
#include <cmath>

namespace assetc::exporter {
namespace {

using scene::Vec3;

// Khronos' validator accepts lengths within 0.00674 of 1.
bool is_unit(Vec3 v) { return std::fabs(scene::length(v) - 1.0f) <= 0.005f; }

bool has_direction(Vec3 v) {
  const float length = scene::length(v);
  return length > 0 && std::isfinite(length);
}

// The sum of the cross products of the triangles at each vertex, not normalized.
std::vector<Vec3> triangle_normals(const scene::Primitive& p) {
  std::vector<Vec3> sums(p.positions.size());
  for (std::size_t i = 0; i + 2 < p.indices.size(); i += 3) {
    const std::uint32_t* corner = &p.indices[i];
    const Vec3 a = p.positions[corner[0]];
    const Vec3 normal = scene::cross(p.positions[corner[1]] - a, p.positions[corner[2]] - a);
    for (int k = 0; k < 3; ++k) sums[corner[k]] = sums[corner[k]] + normal;
  }
  return sums;
}

}  // namespace

std::vector<Vec3> unit_normals(const scene::Primitive& primitive) {
  std::vector<Vec3> normals = primitive.normals;
  std::vector<Vec3> computed;
  for (std::size_t i = 0; i < normals.size(); ++i) {
    if (is_unit(normals[i])) continue;
    if (!has_direction(normals[i]) && i < primitive.positions.size()) {
      if (computed.empty()) computed = triangle_normals(primitive);
      normals[i] = computed[i];
    }
    normals[i] = scene::normalize_or(normals[i], {0, 0, 1});
  }
  return normals;
}

bool is_tangent(const scene::Vec4& t) { return is_unit({t.x, t.y, t.z}) && (t.w == 1.0f || t.w == -1.0f); }

}  // namespace assetc::exporter
