// Keeps alpha-tested coverage across mip levels, so that foliage does not thin out in the distance.
#pragma once

#include <array>
#include <cstdint>

namespace assetc::texture {

// A histogram of alpha, in steps fine enough to place a threshold.
class AlphaHistogram {
 public:
  static constexpr std::uint32_t kSteps = 4096;

  void add(float alpha) { ++count_[step_of(alpha)]; }
  void add(const AlphaHistogram& other) {
    for (std::uint32_t i = 0; i <= kSteps; ++i) count_[i] += other.count_[i];
  }
  std::uint64_t total() const;
  // The fraction of texels whose alpha, rounded to 8 bits, passes a test against cutoff.
  double coverage(float cutoff) const;
  // The factor for alpha that brings the passing fraction as close to `wanted` as this histogram allows; 1 if it is
  // that close already.
  float scale_for(double wanted, float cutoff) const;

 private:
  static std::uint32_t step_of(float alpha) {
    const float clamped = alpha > 0.0f ? (alpha < 1.0f ? alpha : 1.0f) : 0.0f;
    return static_cast<std::uint32_t>(clamped * static_cast<float>(kSteps));
  }
  std::array<std::uint64_t, kSteps + 1> count_{};
};

// The smallest alpha that rounds to an 8-bit code which passes `alpha >= cutoff`.
float least_passing_alpha(float cutoff);

}  // namespace assetc::texture
