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

// Finds the best two levels among the four around the least-squares solution.
void solve_pair(const LineFit& fit, unsigned channel, const EndpointRange& range, std::uint8_t* pair) {
  const auto [low, high] = fit.ends(channel);
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
      const float cost =
          fit.growth(static_cast<float>(range.unquantized[l]) - low, static_cast<float>(range.unquantized[h]) - high);
      if (cost >= least) continue;
      least = cost;
      pair[0] = l;
      pair[1] = h;
    }
}

}  // namespace

bool allows_mode(const RdoTexels& source, unsigned mode) {
  if (mode == kUastcSolidMode) return true;
  const EndpointKind kind = kUastcModes[mode].endpoint_kind;
  if (source.opaque) return kind == EndpointKind::kRgb;
  return kind == EndpointKind::kRgba || (source.gray && kind == EndpointKind::kLuminanceAlpha);
}

RdoLine rdo_line(const UastcBlock& block, const std::array<float, 4>& channel_weights) {
  const UastcMode& mode = kUastcModes[block.mode];
  RdoLine line{.ends = uastc_endpoints(block, 0), .levels = 1u << mode.weight_bits};
  line.anchor_levels = line.levels / 2;
  const auto& values = kWeightValues[mode.weight_bits];
  for (unsigned t = 0; t < kBlockTexels; ++t) line.weights[t] = values[block.weights[t]];
  // Each endpoint is off by a uniformly distributed error of up to half a level. The texels mix the errors of both.
  const float gap = 255.0f / static_cast<float>(kBiseRanges[mode.endpoint_range].levels - 1);
  float weight = 0;
  for (unsigned c = 0; c < (mode.has_alpha() ? 4u : 3u); ++c) weight += channel_weights[c];
  line.rounding = (gap * gap - 1) / 12 * 6 * weight;
  return line;
}

unsigned uastc_weights_bit(unsigned mode) { return kWeightsBit[mode]; }

void refit_endpoints(UastcBlock& block, const RdoTexels& source) {
  const UastcMode& mode = kUastcModes[block.mode];
  const EndpointRange& range = endpoint_range(mode.endpoint_range);
  const UastcPartition& partition = uastc_partition(block);
  const auto& values = kWeightValues[mode.weight_bits];
  const unsigned components = mode.component_count();
  for (unsigned subset = 0; subset < mode.subset_count(); ++subset) {
    for (unsigned plane = 0; plane < mode.plane_count; ++plane) {
      LineFit fit;
      for (unsigned t = 0; t < kBlockTexels; ++t) {
        if (partition.subset[t] == subset) fit.add(source, t, values[block.weights[t * mode.plane_count + plane]]);
      }
      for (unsigned component = 0; component < components; ++component) {
        const unsigned c = channel_of(mode, component);
        if (plane_of(block, c) != plane) continue;
        solve_pair(fit, c, range, &block.endpoints[(subset * components + component) * 2]);
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
