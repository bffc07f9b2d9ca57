// The texels of a block, and what every candidate of the rate-distortion pass needs to know of them. Internal to the
// encoder.
#pragma once

#include <array>
#include <cstdint>

#include "assetc/codec/texel.hpp"

namespace assetc::codec {

struct RdoTexels {
  BlockTexels texels;
  alignas(64) std::array<std::array<std::int16_t, kBlockTexels>, 4> planes;  // [channel][texel]
  std::array<float, 4> weights;                                              // of a channel's squared error
  std::array<std::int32_t, 4> sums;                                          // of a channel
  std::array<std::int32_t, 4> squares;
  bool opaque;        // alpha is 255 in all texels
  bool gray;          // R = G = B in all texels
  unsigned channels;  // the first channels that scans compare: 3 or 4; 1 if the caller sets it

  RdoTexels() = default;
  RdoTexels(const BlockTexels& from, const std::array<float, 4>& channel_weights);
};

// The weighted squared error of decoded texels.
float measure_rdo_error(const RdoTexels& source, const BlockTexels& decoded);

// The factor by which the error of a block is more visible than the differences of its texels. The error of a flat
// block counts 1 + kSmoothGain times. The factor falls to 1 as the standard deviation of the channel that varies most
// rises to kSmoothDeviation.
inline constexpr float kSmoothGain = 9;
inline constexpr float kSmoothDeviation = 18;
float smooth_factor(const RdoTexels& source);

// The values of a channel at both ends of the line that fits the texels best, if their positions on it are given.
struct FittedEnds {
  float low = 0, high = 0;
};

// Fits lines to the texels of a block, or of a subset of them, by least squares.
class LineFit {
 public:
  // Adds a texel at a position from 0 (the first endpoint) to 64.
  void add(const RdoTexels& source, unsigned texel, std::int32_t position) {
    ++count_;
    sum_ += position;
    squares_ += position * position;
    for (unsigned c = 0; c < 4; ++c) {
      x_[c] += source.planes[c][texel];
      wx_[c] += position * source.planes[c][texel];
    }
  }
  FittedEnds ends(unsigned channel) const;
  // How much the error of a channel grows if its ends are off by these values.
  float growth(float off_low, float off_high) const;

 private:
  std::int32_t count_ = 0, sum_ = 0, squares_ = 0;
  std::array<std::int32_t, 4> x_{}, wx_{};
};

}  // namespace assetc::codec
