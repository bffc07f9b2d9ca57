// Where curves meet.
#pragma once

#include <cstdint>
#include <vector>

#include "font/curve.hpp"

namespace assetc::font {

// Points closer than this, in texels, are one point.
inline constexpr double kJoinDistance = 1.0 / 256;

// Cuts closed curves at all points where they cross or touch. Curves that share an end share it exactly afterwards.
std::vector<Curve> cut_at_crossings(const std::vector<Curve>& curves);

}  // namespace assetc::font
