// Converts cubic splines to linear pieces, for formats whose keys have no tangents.
#pragma once

#include <cstdint>

#include "scene/scene.hpp"

namespace assetc::scene {

// The largest distance of a linear piece from its spline. For a translation or scale: this fraction of the range of the
// channel. For a component of a unit quaternion: half of this (0.03 degrees).
inline constexpr float kSplineTolerance = 1.0f / 2048;
// The most pieces between two keys. If more would be needed, the tolerance is exceeded.
inline constexpr std::uint32_t kMaxSplinePieces = 64;

// The channel with linear keys: its own, and as many between them as the tolerance requires. Rotations become unit
// quaternions. Deterministic on every machine: uses only addition, multiplication, division and square roots. Requires
// a kCubicSpline of translations, rotations or scales, with as many values as its keys need.
// Source: glTF 2.0 specification, appendix C.
Channel straighten(const Channel& spline);

}  // namespace assetc::scene
