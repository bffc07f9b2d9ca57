// Distances between surfaces, sampled.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <unordered_map>
#include <vector>

#include "scene/math.hpp"

namespace assetc::mesh {

struct Distances {
  double largest = 0, rms = 0;
  double normal_rms = 0;  // of the difference of unit normals at nearest points
};

// Triangles in a grid of cells, for questions after the nearest point. Spans must outlive it.
class SampledSurface {
 public:
  SampledSurface(std::span<const scene::Vec3> positions, std::span<const scene::Vec3> normals,
                 std::span<const std::uint32_t> indices)
      : positions_(positions), normals_(normals), indices_(indices) {
    scene::Vec3 low = positions[indices[0]], high = low;
    double edges = 0;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const scene::Vec3 p = positions[indices[i]], q = positions[indices[i % 3 == 2 ? i - 2 : i + 1]];
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
      edges += scene::length(p - q);
    }
    low_ = low;
    const float extent = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
    cell_ = std::max(static_cast<float>(edges / static_cast<double>(indices.size())) * 1.5f, extent / 1000);
    for (std::size_t t = 0; t < indices.size() / 3; ++t) {
      const auto [a, b, c] = corners(t);
      const auto from =
          cell(scene::Vec3{std::min({a.x, b.x, c.x}), std::min({a.y, b.y, c.y}), std::min({a.z, b.z, c.z})});
      const auto to =
          cell(scene::Vec3{std::max({a.x, b.x, c.x}), std::max({a.y, b.y, c.y}), std::max({a.z, b.z, c.z})});
      for (int x = from[0]; x <= to[0]; ++x) {
        for (int y = from[1]; y <= to[1]; ++y) {
          for (int z = from[2]; z <= to[2]; ++z) cells_[key(x, y, z)].push_back(static_cast<std::uint32_t>(t));
        }
      }
    }
  }

  struct Nearest {
    double distance = std::numeric_limits<double>::infinity();
    scene::Vec3 normal;
  };
  Nearest nearest(scene::Vec3 p) const {
    const auto at = cell(p);
    Nearest least;
    for (int ring = 0; ring < 2000; ++ring) {
      if (least.distance <= (ring - 1) * static_cast<double>(cell_)) break;
      for (int x = -ring; x <= ring; ++x) {
        for (int y = -ring; y <= ring; ++y) {
          const bool edge = std::abs(x) == ring || std::abs(y) == ring;
          for (int z = -ring; z <= ring; z += edge || ring == 0 ? 1 : 2 * ring) {
            const auto found = cells_.find(key(at[0] + x, at[1] + y, at[2] + z));
            if (found == cells_.end()) continue;
            for (const std::uint32_t t : found->second) consider(p, t, least);
          }
        }
      }
    }
    return least;
  }

  // How far points of the other surface are from this one: count points, evenly over its area.
  Distances distances_from(const SampledSurface& other, std::size_t count) const {
    std::vector<double> areas;
    double total = 0;
    for (std::size_t t = 0; t < other.indices_.size() / 3; ++t) {
      const auto [a, b, c] = other.corners(t);
      total += static_cast<double>(scene::length(scene::cross(b - a, c - a)));
      areas.push_back(total);
    }
    std::mt19937 random(1);
    std::uniform_real_distribution<double> unit(0, 1);
    Distances result;
    double squares = 0, turns = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double at = total * (static_cast<double>(i) + unit(random)) / static_cast<double>(count);
      const auto t = static_cast<std::size_t>(
          std::min(std::ranges::lower_bound(areas, at) - areas.begin(), static_cast<std::ptrdiff_t>(areas.size()) - 1));
      const auto [a, b, c] = other.corners(t);
      double s = unit(random), r = unit(random);
      if (s + r > 1) s = 1 - s, r = 1 - r;
      const auto mix = [&](scene::Vec3 x, scene::Vec3 y, scene::Vec3 z) {
        return x + (y - x) * static_cast<float>(s) + (z - x) * static_cast<float>(r);
      };
      const Nearest found = nearest(mix(a, b, c));
      result.largest = std::max(result.largest, found.distance);
      squares += found.distance * found.distance;
      const auto [na, nb, nc] = other.normals(t);
      const scene::Vec3 turn = scene::normalize_or(mix(na, nb, nc), {}) - scene::normalize_or(found.normal, {});
      turns += static_cast<double>(scene::dot(turn, turn));
    }
    result.rms = std::sqrt(squares / static_cast<double>(count));
    result.normal_rms = std::sqrt(turns / static_cast<double>(count));
    return result;
  }

 private:
  std::array<scene::Vec3, 3> corners(std::size_t t) const {
    return {positions_[indices_[3 * t]], positions_[indices_[3 * t + 1]], positions_[indices_[3 * t + 2]]};
  }
  std::array<int, 3> cell(scene::Vec3 p) const {
    return {static_cast<int>(std::floor((p.x - low_.x) / cell_)), static_cast<int>(std::floor((p.y - low_.y) / cell_)),
            static_cast<int>(std::floor((p.z - low_.z) / cell_))};
  }
  static std::uint64_t key(int x, int y, int z) {
    const auto part = [](int v) { return static_cast<std::uint64_t>(v + (1 << 20)) & 0x1FFFFF; };
    return part(x) | part(y) << 21 | part(z) << 42;
  }
  std::array<scene::Vec3, 3> normals(std::size_t t) const {
    return {normals_[indices_[3 * t]], normals_[indices_[3 * t + 1]], normals_[indices_[3 * t + 2]]};
  }
  void consider(scene::Vec3 p, std::uint32_t t, Nearest& best) const {
    const auto [a, b, c] = corners(t);
    using D = std::array<double, 3>;
    const auto sub = [](scene::Vec3 x, scene::Vec3 y) {
      return D{double(x.x) - y.x, double(x.y) - y.y, double(x.z) - y.z};
    };
    const auto dot = [](const D& x, const D& y) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; };
    const D u = sub(b, a), w = sub(c, a), v = sub(p, a);
    const double uu = dot(u, u), uw = dot(u, w), ww = dot(w, w), vu = dot(v, u), vw = dot(v, w);
    const auto offer = [&](double s, double r) {
      const D d{v[0] - s * u[0] - r * w[0], v[1] - s * u[1] - r * w[1], v[2] - s * u[2] - r * w[2]};
      const double distance = std::sqrt(dot(d, d));
      if (distance >= best.distance) return;
      const auto [na, nb, nc] = normals(t);
      best = {distance, na + (nb - na) * static_cast<float>(s) + (nc - na) * static_cast<float>(r)};
    };
    const auto ratio = [](double n, double d) { return d > 0 ? std::clamp(n / d, 0.0, 1.0) : 0.0; };
    const double det = uu * ww - uw * uw, s = vu * ww - vw * uw, r = vw * uu - vu * uw;
    if (det > 0 && s >= 0 && r >= 0 && s + r <= det) return offer(s / det, r / det);
    const double across = ratio((vw - vu) - (uw - uu), uu - 2 * uw + ww);
    offer(ratio(vu, uu), 0), offer(0, ratio(vw, ww)), offer(1 - across, across);
  }

  std::span<const scene::Vec3> positions_, normals_;
  std::span<const std::uint32_t> indices_;
  scene::Vec3 low_;
  float cell_ = 1;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> cells_;
};

}  // namespace assetc::mesh
