// Unit vectors in two 16-bit integers: project onto the octahedron |x|+|y|+|z| = 1, fold the lower half over the
// upper, and store the two coordinates left. Used by .hmesh vertices.
// Source: Cigolle et al., "A Survey of Efficient Representations for Independent Unit Vectors", JCGT 3(2), 2014.
//
// The worst error of a decoded unit vector is below 0.004 degrees; a tangent, which gives one bit of x away to
// handedness, stays below 0.008. The same input gives the same bits on every machine.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace assetc {

using OctahedralVector = std::array<std::int16_t, 2>;

// Any length; a zero or non-finite vector encodes as +z.
inline OctahedralVector encode_octahedral(float x, float y, float z) {
  const float length1 = std::fabs(x) + std::fabs(y) + std::fabs(z);
  if (!(length1 > 0.0f) || !std::isfinite(length1)) return {0, 0};
  float u = x / length1;
  float v = y / length1;
  if (z < 0.0f) {
    const float folded_u = std::copysign(1.0f - std::fabs(v), u);
    const float folded_v = std::copysign(1.0f - std::fabs(u), v);
    u = folded_u;
    v = folded_v;
  }
  // Nearest, halves away from zero. |c * 32767| + 0.5 < 32768, so the conversion is in range.
  const auto quantize = [](float c) {
    const float clamped = c < -1.0f ? -1.0f : (c > 1.0f ? 1.0f : c);
    return static_cast<std::int16_t>(clamped * 32767.0f + std::copysign(0.5f, clamped));
  };
  return {quantize(u), quantize(v)};
}

// Unit length. Every pair of integers decodes, -32768 as -1.
inline std::array<float, 3> decode_octahedral(std::int16_t qu, std::int16_t qv) {
  const auto unpack = [](std::int16_t q) { return std::fmax(static_cast<float>(q) / 32767.0f, -1.0f); };
  float x = unpack(qu);
  float y = unpack(qv);
  const float z = 1.0f - std::fabs(x) - std::fabs(y);
  if (z < 0.0f) {
    const float unfolded_x = std::copysign(1.0f - std::fabs(y), x);
    const float unfolded_y = std::copysign(1.0f - std::fabs(x), y);
    x = unfolded_x;
    y = unfolded_y;
  }
  const float length = std::sqrt(x * x + y * y + z * z);
  return {x / length, y / length, z / length};
}

// handedness: the w of a glTF tangent. Bit 0 of the first integer is 1 when it is negative.
inline OctahedralVector encode_octahedral_tangent(float x, float y, float z, float handedness) {
  OctahedralVector q = encode_octahedral(x, y, z);
  q[0] = static_cast<std::int16_t>((q[0] & ~1) | (handedness < 0.0f ? 1 : 0));
  return q;
}

// x, y, z of unit length and w, +1 or -1.
inline std::array<float, 4> decode_octahedral_tangent(std::int16_t qu, std::int16_t qv) {
  const auto direction = decode_octahedral(static_cast<std::int16_t>(qu & ~1), qv);
  return {direction[0], direction[1], direction[2], (qu & 1) != 0 ? -1.0f : 1.0f};
}

}  // namespace assetc
