// How much is spent on fitting a ramp of colours: see ramp_fit-inl.hpp. Internal to the encoders.
#pragma once

namespace assetc::codec {

inline constexpr int kMaxStarts = 32;
inline constexpr int kMaxTrials = 16;

struct RampEffort {
  int starts =
      5;  // ways to lay the indices over a subset's texels that are compared along its axis, at most kMaxStarts
  int trials = 1;  // the best of them, at most kMaxTrials, that are fitted
  int passes = 2;  // least-squares passes, at most, on the best of these
};

// How far from the ends of a fit better ones are looked for, in steps of their grid.
struct EndReach {
  int each = 0;  // of one end, at most
  int both = 0;  // of the two together, at most
};

}  // namespace assetc::codec
