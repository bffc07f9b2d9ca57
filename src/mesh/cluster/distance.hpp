// Distances between points, segments and triangles in a space of positions and attributes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "mesh/cluster/lanes.hpp"

namespace assetc::mesh::cluster {

// A position, then attributes that are scaled to lengths.
template <std::size_t kLanes>
using Joint = std::array<Lanes, 1 + kLanes>;

template <std::size_t kLanes>
float joint_dot(const Joint<kLanes>& a, const Joint<kLanes>& b) {
  Lanes total = a[0] * b[0];
  for (std::size_t i = 1; i <= kLanes; ++i) total += a[i] * b[i];
  return sum(total);
}
template <std::size_t kLanes>
Joint<kLanes> joint_difference(const Joint<kLanes>& a, const Joint<kLanes>& b) {
  Joint<kLanes> result;
  for (std::size_t i = 0; i <= kLanes; ++i) result[i] = a[i] - b[i];
  return result;
}

// The squared distance of v from the point s * u + t * w.
template <std::size_t kLanes>
float residual2(const Joint<kLanes>& v, const Joint<kLanes>& u, float s, const Joint<kLanes>& w, float t) {
  Joint<kLanes> rest;
  for (std::size_t i = 0; i <= kLanes; ++i) rest[i] = v[i] - u[i] * s - w[i] * t;
  return joint_dot<kLanes>(rest, rest);
}

inline float clamped_ratio(float numerator, float denominator) {
  return denominator > 0 ? std::clamp(numerator / denominator, 0.0f, 1.0f) : 0.0f;
}

template <std::size_t kLanes>
float segment_distance2(const Joint<kLanes>& p, const Joint<kLanes>& a, const Joint<kLanes>& b) {
  const auto u = joint_difference<kLanes>(b, a), v = joint_difference<kLanes>(p, a);
  const float s = clamped_ratio(joint_dot<kLanes>(v, u), joint_dot<kLanes>(u, u));
  return residual2<kLanes>(v, u, s, u, 0);
}

// Edges of a triangle whose squared sine is below this are nearly parallel: their determinant is mostly rounding.
inline constexpr float kThin = 0.01f;

// The squared distance of v from a point inside of the triangle (0, u, w) with nearly parallel edges; less than 0 if
// the nearest point is not inside. First takes from w what is along u. Requires |u| <= |w|.
template <std::size_t kLanes>
float thin_inside2(const Joint<kLanes>& u, const Joint<kLanes>& w, const Joint<kLanes>& v) {
  const auto without = [](const Joint<kLanes>& from, const Joint<kLanes>& along, float amount) {
    Joint<kLanes> rest;
    for (std::size_t i = 0; i <= kLanes; ++i) rest[i] = from[i] - along[i] * amount;
    return rest;
  };
  const float uu = joint_dot<kLanes>(u, u);
  if (!(uu > 0)) return -1;
  const auto height = without(w, u, joint_dot<kLanes>(u, w) / uu);
  const float hh = joint_dot<kLanes>(height, height);
  if (!(hh > 0)) return -1;
  const float t = joint_dot<kLanes>(v, height) / hh;
  const auto rest = without(v, w, t);
  const float s = joint_dot<kLanes>(rest, u) / uu;
  return s >= 0 && t >= 0 && s + t <= 1 ? residual2<kLanes>(rest, u, s, u, 0) : -1;
}

template <std::size_t kLanes>
float triangle_distance2(const Joint<kLanes>& p, const Joint<kLanes>& a, const Joint<kLanes>& b,
                         const Joint<kLanes>& c) {
  const auto u = joint_difference<kLanes>(b, a), w = joint_difference<kLanes>(c, a), v = joint_difference<kLanes>(p, a);
  const float uu = joint_dot<kLanes>(u, u), uw = joint_dot<kLanes>(u, w), ww = joint_dot<kLanes>(w, w);
  const float vu = joint_dot<kLanes>(v, u), vw = joint_dot<kLanes>(v, w);
  const float determinant = uu * ww - uw * uw;
  const float s = vu * ww - vw * uw, t = vw * uu - vu * uw;
  if (determinant < kThin * uu * ww) {
    const float inside = uu <= ww ? thin_inside2<kLanes>(u, w, v) : thin_inside2<kLanes>(w, u, v);
    if (inside >= 0) return inside;
  } else if (determinant > 0 && s >= 0 && t >= 0 && s + t <= determinant) {
    return residual2<kLanes>(v, u, s / determinant, w, t / determinant);
  }
  // The nearest point is on an edge.
  const float along_u = clamped_ratio(vu, uu), along_w = clamped_ratio(vw, ww);
  const float across = clamped_ratio((vw - vu) - (uw - uu), uu - 2 * uw + ww);
  return std::min({residual2<kLanes>(v, u, along_u, w, 0), residual2<kLanes>(v, u, 0, w, along_w),
                   residual2<kLanes>(v, u, 1 - across, w, across)});
}

}  // namespace assetc::mesh::cluster
