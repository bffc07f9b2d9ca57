// The effort of fitting a ramp of colors: see ramp_fit-inl.hpp. Internal to the encoders.
#pragma once

namespace assetc::codec {

inline constexpr int kMaxRampSeeds = 32;
inline constexpr int kMaxFittedSeeds = 16;

struct RampEffort {
  int seeds = 5;         // seeds that are compared along the texels' axis, at most kMaxRampSeeds
  int fitted_seeds = 1;  // the best of them, which are fitted, at most kMaxFittedSeeds
  int passes = 2;        // of least squares, at most, on the best fit
};

// How far from the endpoints of a fit better ones are searched, in steps of their grid.
struct EndReach {
  int each = 0;  // of one endpoint, at most
  int both = 0;  // of both endpoints together, at most
};

}  // namespace assetc::codec
