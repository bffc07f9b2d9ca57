#include "texture/filter.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/portable_math.hpp"

namespace assetc::texture {
namespace {

constexpr double kRadius = 3.0;  // of Kaiser and Lanczos, in target texels
constexpr double kKaiserAlpha = 4.0;

// sin(pi x) / (pi x)
double sinc(double x) { return x == 0.0 ? 1.0 : sin_pi(x) / (std::numbers::pi * x); }

// The modified Bessel function of the first kind, order zero, by its power series.
double bessel_i0(double x) {
  const double quarter_square = x * x / 4.0;
  double term = 1.0, sum = 1.0;
  for (int n = 1; n < 64; ++n) {
    term = term * quarter_square / (n * n);
    sum += term;
  }
  return sum;
}

// x is the distance in target texels from the center of the target texel.
double kernel(Filter filter, double x) {
  const double t = x / kRadius;
  if (t <= -1.0 || t >= 1.0) return 0.0;
  if (filter == Filter::kLanczos) return sinc(x) * sinc(t);
  return sinc(x) * bessel_i0(kKaiserAlpha * std::sqrt(1.0 - t * t)) / bessel_i0(kKaiserAlpha);
}

}  // namespace

Taps make_taps(Filter filter, std::uint32_t source_size, std::uint32_t target_size) {
  Taps taps;
  taps.source_size = source_size;
  taps.target_size = target_size;
  taps.halving = source_size == 2 * target_size;
  taps.first.resize(target_size);
  if (source_size == target_size) {
    taps.tap_count = 1;
    taps.weights.assign(target_size, 1.0f);
    for (std::uint32_t i = 0; i < target_size; ++i) taps.first[i] = static_cast<std::int32_t>(i);
    return taps;
  }

  const double scale = static_cast<double>(source_size) / target_size;
  const double radius = (filter == Filter::kBox ? 0.5 : kRadius) * scale;
  const std::uint32_t computed = taps.halving ? 1 : target_size;
  // The source texels that [center - radius, center + radius] touches.
  const auto first_of = [&](std::uint32_t i) {
    return static_cast<std::int32_t>(std::floor((i + 0.5) * scale - radius + 1e-9));
  };
  const auto end_of = [&](std::uint32_t i) {
    return static_cast<std::int32_t>(std::ceil((i + 0.5) * scale + radius - 1e-9));
  };
  for (std::uint32_t i = 0; i < computed; ++i) {
    taps.tap_count = std::max(taps.tap_count, static_cast<std::uint32_t>(end_of(i) - first_of(i)));
  }
  for (std::uint32_t i = 0; i < target_size; ++i) taps.first[i] = first_of(i);
  taps.weights.resize(std::size_t{computed} * taps.tap_count);

  std::vector<double> row(taps.tap_count);
  for (std::uint32_t i = 0; i < computed; ++i) {
    const double center = (i + 0.5) * scale;
    double sum = 0.0;
    for (std::uint32_t k = 0; k < taps.tap_count; ++k) {
      const double texel = taps.first[i] + static_cast<double>(k);
      if (filter == Filter::kBox) {
        row[k] = std::max(0.0, std::min(texel + 1.0, center + radius) - std::max(texel, center - radius));
      } else {
        row[k] = kernel(filter, (texel + 0.5 - center) / scale);
      }
      sum += row[k];
    }
    for (std::uint32_t k = 0; k < taps.tap_count; ++k) {
      taps.weights[std::size_t{i} * taps.tap_count + k] = static_cast<float>(row[k] / sum);
    }
  }
  return taps;
}

}  // namespace assetc::texture
