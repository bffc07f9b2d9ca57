// Downscaling filters, as one table of weights for each axis.
#pragma once

#include <cstdint>
#include <vector>

namespace assetc::texture {

enum class Filter : std::uint8_t { kKaiser, kBox, kLanczos };
enum class Wrap : std::uint8_t { kRepeat, kClamp };

// Target texel i is the sum over k < tap_count of weights[i * tap_count + k] * source[first[i] + k]. Source indices may
// be outside the axis; the reader wraps them. The weights of each texel sum to 1 (in float, within an ulp or two).
struct Taps {
  std::uint32_t source_size = 0;
  std::uint32_t target_size = 0;
  std::uint32_t tap_count = 0;
  bool halving =
      false;  // source_size == 2 * target_size: all texels have the same weights and first[i] == first[0] + 2 i
  std::vector<std::int32_t> first;
  std::vector<float> weights;  // target_size x tap_count; only tap_count if halving

  const float* weights_of(std::uint32_t target) const {
    return weights.data() + (halving ? 0 : std::size_t{target} * tap_count);
  }
};

// Weights to resample an axis from source_size to target_size texels. Requires 1 <= target_size <= source_size.
// - Kaiser: sinc with Kaiser's window (alpha 4), over three target texels on each side
// - Lanczos: three lobes
// - box: the exact mean of the source texels that a target texel covers
//
// Computed in double with + - * / alone, so the bits are the same everywhere.
Taps make_taps(Filter filter, std::uint32_t source_size, std::uint32_t target_size);

// The source texel at index i of an axis of `size` texels, after wrapping.
inline std::uint32_t wrap_index(std::int64_t i, std::uint32_t size, Wrap wrap) {
  if (i >= 0 && i < size) return static_cast<std::uint32_t>(i);
  if (wrap == Wrap::kClamp) return i < 0 ? 0 : size - 1;
  const std::int64_t m = i % size;
  return static_cast<std::uint32_t>(m < 0 ? m + size : m);
}

}  // namespace assetc::texture
