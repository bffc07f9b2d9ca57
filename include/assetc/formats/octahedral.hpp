// Stores unit vectors in two 16-bit integers: project onto the octahedron |x|+|y|+|z| = 1, fold the lower half over the
// upper, and store the two remaining coordinates. .hmesh vertices use this encoding.
//
// The error of a decoded unit vector is below 0.004 degrees. A tangent uses one bit of x for handedness; its error is
// below 0.008 degrees. The same input gives the same bits on every machine.
// Source: Cigolle et al., "A Survey of Efficient Representations for Independent Unit Vectors", JCGT 3(2), 2014.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace assetc {

using OctahedralVector = std::array<std::int16_t, 2>;

// Encodes the direction of a vector of any length. A zero or non-finite vector is encoded as +z.
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
  // Round to nearest, halves away from zero. |c * 32767| + 0.5 < 32768, so the conversion is in range.
  const auto quantize = [](float c) {
    const float clamped = c < -1.0f ? -1.0f : (c > 1.0f ? 1.0f : c);
    return static_cast<std::int16_t>(clamped * 32767.0f + std::copysign(0.5f, clamped));
  };
  return {quantize(u), quantize(v)};
}

// Returns a vector of unit length. Every pair of integers is valid; -32768 decodes as -1.
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

// Encodes a tangent. handedness is the w of a glTF tangent. If it is negative, bit 0 of the first integer is 1.
inline OctahedralVector encode_octahedral_tangent(float x, float y, float z, float handedness) {
  OctahedralVector q = encode_octahedral(x, y, z);
  q[0] = static_cast<std::int16_t>((q[0] & ~1) | (handedness < 0.0f ? 1 : 0));
  return q;
}

// Returns x, y, z of unit length, and w, which is +1 or -1.
inline std::array<float, 4> decode_octahedral_tangent(std::int16_t qu, std::int16_t qv) {
  const auto direction = decode_octahedral(static_cast<std::int16_t>(qu & ~1), qv);
  return {direction[0], direction[1], direction[2], (qu & 1) != 0 ? -1.0f : 1.0f};
}

}  // namespace assetc
