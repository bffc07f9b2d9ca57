#include "codec/uastc_hints.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "codec/bc_block.hpp"
#include "codec/etc1_search.hpp"
#include "codec/etc_block.hpp"
#include "codec/uastc_transcode.hpp"

namespace assetc::codec {
namespace {

// Hint 0 is the cheapest to transcode: it may cost this much of the squared error that the others leave, 3 % or
// 0.13 dB at most.
constexpr std::uint64_t kEndpointsNumerator = 103, kEndpointsDenominator = 100;

std::uint32_t rgb_error(const BlockTexels& a, const BlockTexels& b) {
  std::uint32_t e = 0;
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    const int r = a[t].r - b[t].r, g = a[t].g - b[t].g, bl = a[t].b - b[t].b;
    e += static_cast<std::uint32_t>(r * r + g * g + bl * bl);
  }
  return e;
}

std::uint32_t bc1_error(const std::uint8_t* block, const BlockTexels& source) {
  return rgb_error(decode_bc1(block), source);
}

void choose_bc1(UastcBlock& block, const BlockTexels& decoded, const BlockTexels& source, HintEffort effort) {
  const UastcMode& mode = kUastcModes[block.mode];
  UastcHints& h = block.hints;
  // One line through the block: its weights are what a fresh encoding would find. Several lines, or a split channel,
  // tell nothing about BC1's one, and a fresh encoding serves them best.
  const bool one_line = mode.subset_count() == 1 && mode.plane_count == 1 && mode.weight_bits >= 2;
  h.bc1_endpoints = false;
  h.bc1_weights = one_line && mode.has_bc1_hint1;
  if (!one_line || effort == HintEffort::kFast) return;

  std::uint8_t out[8];
  std::uint64_t best = UINT64_MAX;
  if (h.bc1_weights) {
    uastc_to_bc1_by_weights(block, decoded, out);
    best = bc1_error(out, source);
  }
  if (!h.bc1_weights || effort == HintEffort::kBest) {
    encode_bc1(decoded, out);
    const std::uint64_t fresh = bc1_error(out, source);
    if (fresh < best) h.bc1_weights = false;
    best = std::min(best, fresh);
  }
  uastc_to_bc1_by_endpoints(block, out);
  h.bc1_endpoints = bc1_error(out, source) * kEndpointsDenominator <= best * kEndpointsNumerator;
}

void choose_alpha(UastcBlock& block, const BlockTexels& decoded, const BlockTexels& source, HintEffort effort) {
  TexelIndices have, want;
  for (unsigned t = 0; t < kBlockTexels; ++t) have[t] = decoded[t].a, want[t] = source[t].a;
  const auto [low, high] = std::minmax_element(have.begin(), have.end());
  block.hints.etc2_table = kEacFineTable;
  block.hints.etc2_multiplier = 1;
  if (*low == *high) return;
  const int range = *high - *low;
  const int reach = effort == HintEffort::kBest ? 2 : 0;
  std::uint32_t best = UINT32_MAX;
  for (unsigned table = 0; table < kEacModifiers.size(); ++table) {
    if (effort == HintEffort::kFast && table != 2 && table != 8 && table != 11 && table != kEacFineTable) continue;
    const int span = kEacModifiers[table][7] - kEacModifiers[table][3];
    const int middle = (2 * range + span) / (2 * span);
    for (int m = std::max(1, middle - reach); m <= std::min(15, std::max(1, middle + reach)); ++m) {
      const std::uint32_t e = eac_alpha_error(have, want, table, static_cast<unsigned>(m));
      if (e >= best) continue;
      best = e;
      block.hints.etc2_table = static_cast<std::uint8_t>(table);
      block.hints.etc2_multiplier = static_cast<std::uint8_t>(m);
    }
  }
}

// For a channel value and one way to be solid (precision, table, level): the nearest base and how far off it is.
struct SolidChannel {
  std::uint8_t base, error;
};
using SolidTable = std::array<std::array<std::array<std::array<SolidChannel, 256>, 4>, 8>, 2>;

SolidTable make_solid_table() {
  SolidTable all;
  for (unsigned diff = 0; diff < 2; ++diff) {
    for (unsigned table = 0; table < 8; ++table) {
      for (unsigned level = 0; level < 4; ++level) {
        const int modifier = (level < 2 ? -1 : 1) * kEtc1Modifiers[table][level == 0 || level == 3];
        for (int v = 0; v < 256; ++v) {
          SolidChannel best{0, 255};
          for (unsigned base = 0; base < (diff ? 32u : 16u); ++base) {
            const int wide = diff ? etc_expand5(base) : etc_expand4(base);
            const int e = std::abs(std::clamp(wide + modifier, 0, 255) - v);
            if (e < best.error) best = {static_cast<std::uint8_t>(base), static_cast<std::uint8_t>(e)};
          }
          all[diff][table][level][v] = best;
        }
      }
    }
  }
  return all;
}

}  // namespace

UastcSolidHints solid_etc1_hints(Rgba8 color) {
  static const SolidTable solid = make_solid_table();
  UastcSolidHints h;
  unsigned best = UINT32_MAX;
  for (unsigned diff = 2; diff-- > 0;) {
    for (unsigned table = 0; table < 8; ++table) {
      for (unsigned level = 0; level < 4; ++level) {
        const auto& channel = solid[diff][table][level];
        const unsigned r = channel[color.r].error, g = channel[color.g].error, b = channel[color.b].error;
        const unsigned e = r * r + g * g + b * b;
        if (e >= best) continue;
        best = e;
        h = {diff != 0, static_cast<std::uint8_t>(table), static_cast<std::uint8_t>(level),
             {channel[color.r].base, channel[color.g].base, channel[color.b].base}};
      }
    }
  }
  return h;
}

UastcBlock solid_uastc(Rgba8 color) {
  UastcBlock b;
  b.solid_color = color;
  b.solid_hints = solid_etc1_hints(color);
  return b;
}

void choose_hints(UastcBlock& block, const BlockTexels& decoded, const BlockTexels& source, HintEffort effort) {
  if (block.mode == kUastcSolidMode) {
    block.solid_hints = solid_etc1_hints(block.solid_color);
    return;
  }
  set_hints(block, decoded, source, search_etc1(decoded, source, kUastcModes[block.mode].has_etc1_bias, effort), effort);
}

void set_hints(UastcBlock& block, const BlockTexels& decoded, const BlockTexels& source, const Etc1Choice& etc1,
               HintEffort effort) {
  choose_bc1(block, decoded, source, effort);
  block.hints.etc1_flip = etc1.flip;
  block.hints.etc1_diff = etc1.diff;
  block.hints.etc1_table = etc1.table;
  block.hints.etc1_bias = etc1.bias;
  if (kUastcModes[block.mode].has_alpha()) choose_alpha(block, decoded, source, effort);
}

}  // namespace assetc::codec
