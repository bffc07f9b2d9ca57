// Interpolation of rotations, for sampling and blending.
#pragma once

#include <array>
#include <cmath>

namespace assetc::runtime {

using Quaternion = std::array<float, 4>;  // x y z w

// Returns no rotation if the length of q is almost 0, or is not finite: q then has no direction.
inline Quaternion unit(const Quaternion& q) {
  const float length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(length > 1e-12f) || !std::isfinite(length)) return {0, 0, 0, 1};
  return {q[0] / length, q[1] / length, q[2] / length, q[3] / length};
}

inline Quaternion weighted(const Quaternion& a, float wa, const Quaternion& b, float wb) {
  return unit({wa * a[0] + wb * b[0], wa * a[1] + wb * b[1], wa * a[2] + wb * b[2], wa * a[3] + wb * b[3]});
}

inline float cosine_of(const Quaternion& a, const Quaternion& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

// On the shorter arc: q and -q are the same rotation.
inline Quaternion nlerp(const Quaternion& a, const Quaternion& b, float t) {
  return weighted(a, 1 - t, b, cosine_of(a, b) < 0 ? -t : t);
}

inline Quaternion slerp(const Quaternion& a, const Quaternion& b, float t) {
  const float cosine = std::fabs(cosine_of(a, b));
  // Beyond this cosine, linear interpolation is exact to float precision.
  if (!(cosine < 0.9995f)) return nlerp(a, b, t);
  const float angle = std::acos(cosine), sine = std::sin(angle);
  const float wb = std::sin(t * angle) / sine;
  return weighted(a, std::sin((1 - t) * angle) / sine, b, cosine_of(a, b) < 0 ? -wb : wb);
}

}  // namespace assetc::runtime
