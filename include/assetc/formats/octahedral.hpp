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

// Folds the lower half of the octahedron over the upper half, and back.
inline std::array<float, 2> fold_octahedral(float u, float v) {
  return {std::copysign(1.0f - std::fabs(v), u), std::copysign(1.0f - std::fabs(u), v)};
}

// Returns the coordinates of the direction of a vector of any length, from -1 to 1. A zero or non-finite vector has
// those of +z, (0, 0).
inline std::array<float, 2> octahedral_coordinates(float x, float y, float z) {
  const float length1 = std::fabs(x) + std::fabs(y) + std::fabs(z);
  if (!(length1 > 0.0f) || !std::isfinite(length1)) return {0, 0};
  const float u = x / length1, v = y / length1;
  return z < 0.0f ? fold_octahedral(u, v) : std::array<float, 2>{u, v};
}

// Returns the vector of unit length with these coordinates. Requires finite coordinates.
inline std::array<float, 3> octahedral_direction(float u, float v) {
  const float z = 1.0f - std::fabs(u) - std::fabs(v);
  const auto [x, y] = z < 0.0f ? fold_octahedral(u, v) : std::array<float, 2>{u, v};
  const float length = std::sqrt(x * x + y * y + z * z);
  return {x / length, y / length, z / length};
}

// Encodes the direction of a vector of any length. A zero or non-finite vector is encoded as +z.
inline OctahedralVector encode_octahedral(float x, float y, float z) {
  // Round to nearest, halves away from zero. |c * 32767| + 0.5 < 32768, so the conversion is in range.
  const auto quantize = [](float c) {
    const float clamped = c < -1.0f ? -1.0f : (c > 1.0f ? 1.0f : c);
    return static_cast<std::int16_t>(clamped * 32767.0f + std::copysign(0.5f, clamped));
  };
  const auto [u, v] = octahedral_coordinates(x, y, z);
  return {quantize(u), quantize(v)};
}

// Returns a vector of unit length. Every pair of integers is valid; -32768 decodes as -1.
inline std::array<float, 3> decode_octahedral(std::int16_t qu, std::int16_t qv) {
  const auto unpack = [](std::int16_t q) { return std::fmax(static_cast<float>(q) / 32767.0f, -1.0f); };
  return octahedral_direction(unpack(qu), unpack(qv));
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
