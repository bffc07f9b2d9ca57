// Cubic splines as straight pieces, for formats whose keys have no tangents.
#pragma once

#include <cstdint>

#include "scene/scene.hpp"

namespace assetc::scene {

// How far a straight piece may be from its spline: a translation or scale by this fraction of what the channel moves, a
// component of a unit quaternion by half of it (0.03 degrees).
inline constexpr float kSplineTolerance = 1.0f / 2048;
// Between two keys; where they do not suffice the pieces are as near as they can be.
inline constexpr std::uint32_t kMaxSplinePieces = 64;

// The channel with linear keys: its own, and as many between them as the tolerance asks for. Rotations become unit.
// Deterministic on every machine: adds, multiplies, divides and takes roots alone.
// Requires a kCubicSpline of translations, rotations or scales with as many values as its keys ask for.
// Source: glTF 2.0 specification, appendix C.
Channel straighten(const Channel& spline);

}  // namespace assetc::scene
