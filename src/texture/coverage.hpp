// Alpha-tested coverage: foliage must not thin out in the distance.
#pragma once

#include <array>
#include <cstdint>

namespace assetc::texture {

// How often each alpha occurs, in steps fine enough to place a threshold.
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
  // What to multiply alpha by so that the fraction that passes is as near to `wanted` as this histogram allows; 1 when
  // that already is.
  float scale_for(double wanted, float cutoff) const;

 private:
  static std::uint32_t step_of(float alpha) {
    const float clamped = alpha > 0.0f ? (alpha < 1.0f ? alpha : 1.0f) : 0.0f;
    return static_cast<std::uint32_t>(clamped * static_cast<float>(kSteps));
  }
  std::array<std::uint64_t, kSteps + 1> count_{};
};

// The least alpha that rounds to an 8-bit code which passes `alpha >= cutoff`.
float least_passing_alpha(float cutoff);

}  // namespace assetc::texture
