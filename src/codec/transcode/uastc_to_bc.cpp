#include <algorithm>
#include <array>

#include "codec/block/bc_block.hpp"
#include "codec/transcode/uastc_bc7_ends.hpp"
#include "codec/transcode/uastc_transcode.hpp"

namespace assetc::codec {
namespace {

// [weight bits][weight] -> BC1 level in thirds. BC7's 2-bit weights are 64 / 3 and 128 / 3, rounded.
constexpr auto kBc1Levels = [] {
  std::array<std::array<std::uint8_t, 32>, 6> m{};
  for (unsigned b = 1; b <= 5; ++b) m[b] = nearest_steps(kWeightValues[b], 1u << b, kBc7Weights2, 4);
  return m;
}();

template <unsigned kBits>
unsigned error_with(Rgba8 c, unsigned channels, unsigned p) {
  unsigned e = 0;
  for (unsigned i = 0; i < channels; ++i) {
    const unsigned d = kBc7EndWithP<kBits>[p][c[i]].error;
    e += d * d;
  }
  return e;
}
template <unsigned kBits>
Rgba8 quantize_with(Rgba8 c, unsigned p) {
  const auto& t = kBc7EndWithP<kBits>[p];
  return {t[c.r].value, t[c.g].value, t[c.b].value, t[c.a].value};
}

// Quantizes endpoints that have a p bit each, or one that they share.
template <unsigned kBits, bool kShared>
void quantize_ends(const std::array<Rgba8, 2>& ends, unsigned channels, Bc7Block& out, unsigned subset) {
  std::array<unsigned, 2> p;
  if constexpr (kShared) {
    const unsigned e0 = error_with<kBits>(ends[0], channels, 0) + error_with<kBits>(ends[1], channels, 0);
    const unsigned e1 = error_with<kBits>(ends[0], channels, 1) + error_with<kBits>(ends[1], channels, 1);
    p[0] = p[1] = e1 < e0;
  } else {
    for (unsigned i = 0; i < 2; ++i)
      p[i] = error_with<kBits>(ends[i], channels, 1) < error_with<kBits>(ends[i], channels, 0);
  }
  for (unsigned i = 0; i < 2; ++i) {
    out.ends[subset][i] = quantize_with<kBits>(ends[i], p[i]);
    out.p[subset][i] = static_cast<std::uint8_t>(p[i]);
  }
}

template <unsigned kBits>
Rgba8 scale_rgb(Rgba8 c) {
  return {bc7_end_without_p<kBits>(c.r), bc7_end_without_p<kBits>(c.g), bc7_end_without_p<kBits>(c.b), c.a};
}

void copy_weights(const UastcBlock& block, TexelIndices& index) {
  std::copy_n(block.weights.begin(), kBlockTexels, index.begin());
}

}  // namespace

void uastc_to_bc7(const UastcBlock& block, std::uint8_t* out) {
  if (block.mode == kUastcSolidMode) return pack_bc7_solid(block.solid_color, out);
  const UastcMode& mode = kUastcModes[block.mode];
  Bc7Block b;
  const unsigned channels = mode.has_alpha() ? 4 : 3;
  switch (block.mode) {
    case 0:
    case 5:
    case 10:
    case 12:
    case 14:
    case 15:
    case 18: {
      b.mode = 6;
      quantize_ends<7, false>(uastc_endpoints(block, 0), channels, b, 0);
      if (channels == 3) b.ends[0][0].a = b.ends[0][1].a = 127;
      const auto& map = kBc7Index4[mode.weight_bits];
      for (unsigned t = 0; t < kBlockTexels; ++t) b.index[t] = map[block.weights[t]];
      break;
    }
    case 6:
    case 11:
    case 13:
    case 17: {
      // BC7 gives the second indices to alpha, then exchanges alpha with the rotated channel.
      b.mode = 5;
      b.rotation = (block.component_selector + 1) & 3;
      std::array<Rgba8, 2> ends = uastc_endpoints(block, 0);
      for (unsigned i = 0; i < 2; ++i) {
        const std::uint8_t split = ends[i][block.component_selector];
        ends[i].set(block.component_selector, ends[i].a);
        ends[i].a = split;
        b.ends[0][i] = scale_rgb<7>(ends[i]);
      }
      const unsigned step = mode.weight_bits == 1 ? 3 : 1;
      for (unsigned t = 0; t < kBlockTexels; ++t) {
        b.index[t] = static_cast<std::uint8_t>(block.weights[2 * t] * step);
        b.second_index[t] = static_cast<std::uint8_t>(block.weights[2 * t + 1] * step);
      }
      break;
    }
    case 1:
      // Both subsets have the same endpoints. Mode 3 is used for its precision.
      b.mode = 3;
      quantize_ends<7, false>(uastc_endpoints(block, 0), 3, b, 0);
      b.ends[1] = b.ends[0];
      b.p[1] = b.p[0];
      copy_weights(block, b.index);
      break;
    default: {
      const UastcPartition& partition = uastc_partition(block);
      b.partition = partition.bc7_partition;
      b.mode = block.mode == 2 ? 1 : block.mode == 3 || block.mode == 7 ? 2 : block.mode == 4 ? 3 : 7;
      for (unsigned s = 0; s < kBc7Modes[b.mode].subset_count; ++s) {
        const std::array<Rgba8, 2> ends = uastc_endpoints(block, partition.subset_of_bc7[s]);
        switch (b.mode) {
          case 1:
            quantize_ends<6, true>(ends, 3, b, s);
            break;
          case 2:
            b.ends[s] = {scale_rgb<5>(ends[0]), scale_rgb<5>(ends[1])};
            break;
          case 3:
            quantize_ends<7, false>(ends, 3, b, s);
            break;
          default:
            quantize_ends<5, false>(ends, 4, b, s);
            break;
        }
      }
      copy_weights(block, b.index);
    }
  }
  pack_bc7(b, out);
}

Bc1Levels bc1_levels(const UastcBlock& block) {
  const UastcMode& mode = kUastcModes[block.mode];
  const auto& map = kBc1Levels[mode.weight_bits];
  Bc1Levels levels;
  for (unsigned t = 0; t < kBlockTexels; ++t) levels[t] = map[block.weights[t * mode.plane_count]];
  return levels;
}

void uastc_to_bc1(const UastcBlock& block, const BlockTexels& texels, std::uint8_t* out) {
  if (block.mode == kUastcSolidMode) return encode_bc1_solid(block.solid_color, out);
  if (block.hints.bc1_endpoints) {
    const std::array<Rgba8, 2> ends = uastc_endpoints(block, 0);
    return encode_bc1_direct(ends[0], ends[1], bc1_levels(block), out);
  }
  if (block.hints.bc1_weights) return encode_bc1_levels(texels, bc1_levels(block), out);
  encode_bc1(texels, out);
}

}  // namespace assetc::codec
