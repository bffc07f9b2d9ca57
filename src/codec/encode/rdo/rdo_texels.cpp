#include "codec/encode/rdo/rdo_texels.hpp"

#include <algorithm>
#include <cmath>

#include "codec/encode/common/encode_tiles.hpp"

namespace assetc::codec {

RdoTexels::RdoTexels(const BlockTexels& from, const std::array<float, 4>& channel_weights)
    : texels(from), weights(channel_weights), sums{}, squares{}, opaque(true), gray(true) {
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    for (unsigned c = 0; c < 4; ++c) {
      const std::int16_t v = texels[t][c];
      planes[c][t] = v;
      sums[c] += v;
      squares[c] += v * v;
    }
    opaque = opaque && texels[t].a == 255;
    gray = gray && texels[t].r == texels[t].g && texels[t].r == texels[t].b;
  }
  channels = opaque ? 3 : 4;
}

float measure_rdo_error(const RdoTexels& source, const BlockTexels& decoded) {
  std::array<std::int32_t, 4> sum{};
  for (unsigned t = 0; t < kBlockTexels; ++t)
    for (unsigned c = 0; c < 4; ++c) {
      const std::int32_t miss = static_cast<std::int32_t>(decoded[t][c]) - source.texels[t][c];
      sum[c] += miss * miss;
    }
  float error = 0;
  for (unsigned c = 0; c < 4; ++c) error += source.weights[c] * static_cast<float>(sum[c]);
  return error;
}

float smooth_factor(const RdoTexels& source) {
  float most = 0;
  for (unsigned c = 0; c < 4; ++c) {
    if (source.weights[c] <= kTieWeight) continue;
    const float sum = static_cast<float>(source.sums[c]);
    most = std::max(most, (static_cast<float>(source.squares[c]) - sum * sum / 16) / 16);
  }
  return 1 + kSmoothGain * std::max(0.0f, 1 - std::sqrt(most) / kSmoothDeviation);
}

FittedEnds LineFit::ends(unsigned channel) const {
  const float n = static_cast<float>(count_), w = static_cast<float>(sum_) / 64,
              ww = static_cast<float>(squares_) / 4096;
  const float x = static_cast<float>(x_[channel]), wx = static_cast<float>(wx_[channel]) / 64;
  const float determinant = n * ww - w * w;
  const float slope = determinant < 1e-2f ? 0.0f : (n * wx - w * x) / determinant;
  const float low = (x - slope * w) / n;
  return {low, low + slope};
}

float LineFit::growth(float off_low, float off_high) const {
  const float n = static_cast<float>(count_), w = static_cast<float>(sum_) / 64,
              ww = static_cast<float>(squares_) / 4096;
  return off_low * off_low * (n - 2 * w + ww) + off_high * off_high * ww + off_low * off_high * (2 * (w - ww));
}

}  // namespace assetc::codec
