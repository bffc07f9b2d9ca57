#include "codec/encode/uastc/uastc_rdo_fit.hpp"

#include <algorithm>

#include "codec/block/bise.hpp"

namespace assetc::codec {
namespace {

constexpr auto kWeightsBit = [] {
  std::array<std::uint8_t, kUastcModeCount> all{};
  for (unsigned m = 0; m < kUastcModeCount; ++m) {
    if (m == kUastcSolidMode) continue;
    const UastcMode& mode = kUastcModes[m];
    const BiseRange range = kBiseRanges[mode.endpoint_range];
    const unsigned count = mode.endpoint_value_count();
    // Groups of trits or quints are written as one plain number each.
    const unsigned group = range.base == 3 ? 5 : range.base == 5 ? 3 : 1;
    constexpr std::array<unsigned, 6> kTrits = {0, 2, 4, 5, 7, 8};
    constexpr std::array<unsigned, 4> kQuints = {0, 3, 5, 7};
    unsigned bits = mode.code_bits + mode.hint_bits() + mode.partition_bits() + (mode.stores_selector ? 2u : 0u);
    if (range.base == 3) bits += count / group * 8 + kTrits[count % group];
    if (range.base == 5) bits += count / group * 7 + kQuints[count % group];
    all[m] = static_cast<std::uint8_t>(bits + count * range.bits);
  }
  return all;
}();

// The channel of a component of a mode. Luminance is fitted to red.
constexpr unsigned channel_of(const UastcMode& mode, unsigned component) {
  return mode.component_count() == 2 && component == 1 ? 3 : component;
}

// The plane that has the weights of a channel.
unsigned plane_of(const UastcBlock& block, unsigned channel) {
  return kUastcModes[block.mode].plane_count == 2 && channel == block.component_selector ? 1 : 0;
}

// Sums over the weights w of a subset. Weights are 0 to 1.
struct Gram {
  float n = 0, w = 0, ww = 0;
};

// Finds the best two levels among the four around the least-squares solution.
void solve_pair(const Gram& g, float x, float wx, const EndpointRange& range, std::uint8_t* pair) {
  const float determinant = g.n * g.ww - g.w * g.w;
  const float slope = determinant < 1e-2f ? 0.0f : (g.n * wx - g.w * x) / determinant;
  const float low = (x - slope * g.w) / g.n, high = low + slope;
  const float low_low = g.n - 2 * g.w + g.ww, low_high = 2 * (g.w - g.ww), high_high = g.ww;
  const auto neighbors = [&](float v) {
    const int at = std::clamp(static_cast<int>(v), 0, 255);
    const int rank = range.rank[range.nearest[static_cast<std::size_t>(at)]];
    const int other =
        static_cast<float>(range.unquantized[range.by_rank[static_cast<std::size_t>(rank)]]) > v ? rank - 1 : rank + 1;
    return std::array<std::uint8_t, 2>{
        range.by_rank[static_cast<std::size_t>(rank)],
        range.by_rank[static_cast<std::size_t>(std::clamp(other, 0, static_cast<int>(range.levels) - 1))]};
  };
  const auto lows = neighbors(low), highs = neighbors(high);
  float least = 1e30f;
  for (const std::uint8_t l : lows)
    for (const std::uint8_t h : highs) {
      const float dl = static_cast<float>(range.unquantized[l]) - low,
                  dh = static_cast<float>(range.unquantized[h]) - high;
      const float cost = dl * dl * low_low + dh * dh * high_high + dl * dh * low_high;
      if (cost >= least) continue;
      least = cost;
      pair[0] = l;
      pair[1] = h;
    }
}

}  // namespace

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
}

bool RdoTexels::allows(unsigned mode) const {
  if (mode == kUastcSolidMode) return true;
  const EndpointKind kind = kUastcModes[mode].endpoint_kind;
  if (opaque) return kind == EndpointKind::kRgb;
  return kind == EndpointKind::kRgba || (gray && kind == EndpointKind::kLuminanceAlpha);
}

unsigned uastc_weights_bit(unsigned mode) { return kWeightsBit[mode]; }

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

void refit_endpoints(UastcBlock& block, const RdoTexels& source) {
  const UastcMode& mode = kUastcModes[block.mode];
  const EndpointRange& range = endpoint_range(mode.endpoint_range);
  const UastcPartition& partition = uastc_partition(block);
  const auto& values = kWeightValues[mode.weight_bits];
  const unsigned components = mode.component_count();
  for (unsigned subset = 0; subset < mode.subset_count(); ++subset) {
    for (unsigned plane = 0; plane < mode.plane_count; ++plane) {
      std::array<std::int32_t, 4> x{}, wx{};
      std::int32_t n = 0, w_sum = 0, ww_sum = 0;
      for (unsigned t = 0; t < kBlockTexels; ++t) {
        if (partition.subset[t] != subset) continue;
        const std::int32_t w = values[block.weights[t * mode.plane_count + plane]];
        ++n;
        w_sum += w;
        ww_sum += w * w;
        for (unsigned c = 0; c < 4; ++c) {
          x[c] += source.planes[c][t];
          wx[c] += w * source.planes[c][t];
        }
      }
      const Gram g{static_cast<float>(n), static_cast<float>(w_sum) / 64, static_cast<float>(ww_sum) / 4096};
      for (unsigned component = 0; component < components; ++component) {
        const unsigned c = channel_of(mode, component);
        if (plane_of(block, c) != plane) continue;
        solve_pair(g, static_cast<float>(x[c]), static_cast<float>(wx[c]) / 64, range,
                   &block.endpoints[(subset * components + component) * 2]);
      }
    }
  }
}

void refit_weights(UastcBlock& block, const RdoTexels& source) {
  const UastcMode& mode = kUastcModes[block.mode];
  const UastcPartition& partition = uastc_partition(block);
  const int top = (1 << mode.weight_bits) - 1;
  for (unsigned subset = 0; subset < mode.subset_count(); ++subset) {
    const std::array<Rgba8, 2> ends = uastc_endpoints(block, subset);
    for (unsigned plane = 0; plane < mode.plane_count; ++plane) {
      std::array<float, 4> along{};
      float length = 0, offset = 0;
      for (unsigned c = 0; c < 4; ++c) {
        if ((c == 3 && !mode.has_alpha()) || plane_of(block, c) != plane) continue;
        const float delta = static_cast<float>(ends[1][c]) - static_cast<float>(ends[0][c]);
        along[c] = delta * source.weights[c];
        length += along[c] * delta;
        offset += along[c] * static_cast<float>(ends[0][c]);
      }
      const float scale = static_cast<float>(top) / std::max(length, 1e-3f);
      for (unsigned t = 0; t < kBlockTexels; ++t) {
        if (partition.subset[t] != subset) continue;
        float p = -offset;
        for (unsigned c = 0; c < 4; ++c) p += along[c] * static_cast<float>(source.planes[c][t]);
        const int limit = t == partition.anchor[subset] ? top / 2 : top;
        const int w = static_cast<int>(std::clamp(p * scale + 0.5f, 0.0f, static_cast<float>(limit)));
        block.weights[t * mode.plane_count + plane] = static_cast<std::uint8_t>(w);
      }
    }
  }
}

}  // namespace assetc::codec
