#include "texture/coverage.hpp"

#include <cmath>

namespace assetc::texture {

float least_passing_alpha(float cutoff) {
  // Code c passes if c / 255 >= cutoff. A value is rounded to code c from (c - 0.5) / 255 upwards.
  float code = std::ceil(cutoff * 255.0f);
  if (code < 1.0f) code = 1.0f;
  return (code - 0.5f) / 255.0f;
}

std::uint64_t AlphaHistogram::total() const {
  std::uint64_t sum = 0;
  for (std::uint64_t n : count_) sum += n;
  return sum;
}

double AlphaHistogram::coverage(float cutoff) const {
  const auto first = static_cast<std::uint32_t>(std::ceil(least_passing_alpha(cutoff) * static_cast<float>(kSteps)));
  std::uint64_t passing = 0;
  for (std::uint32_t i = first; i <= kSteps; ++i) passing += count_[i];
  const std::uint64_t all = total();
  return all == 0 ? 0.0 : static_cast<double>(passing) / static_cast<double>(all);
}

float AlphaHistogram::scale_for(double wanted, float cutoff) const {
  const double all = static_cast<double>(total());
  const auto error_of = [&](std::uint64_t passing) { return std::abs(static_cast<double>(passing) - wanted * all); };
  const float border = least_passing_alpha(cutoff);
  const auto border_step = static_cast<std::uint32_t>(std::ceil(border * static_cast<float>(kSteps)));

  std::uint64_t passing = 0;
  for (std::uint32_t i = border_step; i <= kSteps; ++i) passing += count_[i];
  double best_error = error_of(passing);
  std::uint32_t best_step = border_step;
  // Try every threshold: texels of this step and above pass. Below 1/255, scaling would only amplify noise.
  passing = 0;
  for (std::uint32_t step = kSteps; step >= kSteps / 255; --step) {
    passing += count_[step];
    if (count_[step] != 0 && error_of(passing) < best_error) {
      best_error = error_of(passing);
      best_step = step;
    }
  }
  return best_step == border_step ? 1.0f : border / (static_cast<float>(best_step) / static_cast<float>(kSteps));
}

}  // namespace assetc::texture
