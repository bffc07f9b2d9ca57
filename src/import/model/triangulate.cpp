#include "import/model/triangulate.hpp"

#include <cmath>

namespace assetc::importer {
namespace {

using scene::Vec2;
using scene::Vec3;

// Twice the signed area. In double, so that a thin ear does not vanish at large coordinates.
double area2(Vec2 a, Vec2 b, Vec2 c) {
  return (double{b.x} - a.x) * (double{c.y} - a.y) - (double{b.y} - a.y) * (double{c.x} - a.x);
}

bool inside(Vec2 p, Vec2 a, Vec2 b, Vec2 c) {
  return area2(a, b, p) >= 0 && area2(b, c, p) >= 0 && area2(c, a, p) >= 0;
}

// Projects the polygon onto two of its axes, chosen by its normal (Newell's method), counter-clockwise.
std::vector<Vec2> flatten(std::span<const Vec3> corners) {
  double nx = 0, ny = 0, nz = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    // Relative to the first corner, so that a small face far from the origin keeps its precision.
    const Vec3 a = corners[i] - corners[0], b = corners[(i + 1) % corners.size()] - corners[0];
    nx += (double{a.y} - b.y) * (double{a.z} + b.z);
    ny += (double{a.z} - b.z) * (double{a.x} + b.x);
    nz += (double{a.x} - b.x) * (double{a.y} + b.y);
  }
  std::vector<Vec2> flat;
  flat.reserve(corners.size());
  const double ax = std::fabs(nx), ay = std::fabs(ny), az = std::fabs(nz);
  for (const Vec3 corner : corners) {
    const Vec3 p = corner - corners[0];
    Vec2 q;
    if (az >= ax && az >= ay) {
      q = nz >= 0 ? Vec2{p.x, p.y} : Vec2{p.y, p.x};
    } else if (ax >= ay) {
      q = nx >= 0 ? Vec2{p.y, p.z} : Vec2{p.z, p.y};
    } else {
      q = ny >= 0 ? Vec2{p.z, p.x} : Vec2{p.x, p.z};
    }
    flat.push_back(q);
  }
  return flat;
}

// corners_left: how many more corners it may test.
bool is_ear(const std::vector<Vec2>& flat, const std::vector<std::uint32_t>& left, std::size_t i,
            std::uint64_t& corners_left) {
  const std::size_t n = left.size();
  const Vec2 a = flat[left[(i + n - 1) % n]], b = flat[left[i]], c = flat[left[(i + 1) % n]];
  if (area2(a, b, c) <= 0) return false;
  for (std::size_t k = 2; k + 1 < n; ++k) {
    if (corners_left == 0) return false;
    --corners_left;
    const Vec2 p = flat[left[(i + k) % n]];
    if (p == a || p == b || p == c) continue;
    if (inside(p, a, b, c)) return false;
  }
  return true;
}

}  // namespace

bool triangulate(std::span<const Vec3> corners, std::vector<std::uint32_t>& triangles) {
  const std::size_t count = corners.size();
  triangles.clear();
  const auto fan = [&](const std::vector<std::uint32_t>& left) {
    for (std::size_t i = 1; i + 1 < left.size(); ++i)
      triangles.insert(triangles.end(), {left[0], left[i], left[i + 1]});
    return count == 3;
  };
  std::vector<std::uint32_t> left(count);
  for (std::size_t i = 0; i < count; ++i) left[i] = static_cast<std::uint32_t>(i);
  if (count == 3 || count > kMaxEarCorners) return fan(left);

  const std::vector<Vec2> flat = flatten(corners);
  if (count == 4) {
    // Uses the usual diagonal, unless only the other one is inside.
    const bool first = area2(flat[0], flat[1], flat[2]) > 0 && area2(flat[0], flat[2], flat[3]) > 0;
    const bool second = area2(flat[1], flat[2], flat[3]) > 0 && area2(flat[1], flat[3], flat[0]) > 0;
    if (first || !second) {
      triangles.assign({0, 1, 2, 0, 2, 3});
    } else {
      triangles.assign({1, 2, 3, 1, 3, 0});
    }
    return true;
  }
  std::uint64_t corners_left = kMaxEarLooks * count;
  std::size_t at = 0, tried = 0;
  while (left.size() > 3) {
    const std::size_t n = left.size();
    at %= n;
    // After a full round without an ear, the rest crosses itself or has no area, and any cut is equally good.
    const bool ear = is_ear(flat, left, at, corners_left);
    if (corners_left == 0) return fan(left);
    if (!ear && tried < n) {
      ++at, ++tried;
      continue;
    }
    triangles.insert(triangles.end(), {left[(at + n - 1) % n], left[at], left[(at + 1) % n]});
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
    tried = 0;
  }
  triangles.insert(triangles.end(), {left[0], left[1], left[2]});
  return true;
}

}  // namespace assetc::importer
