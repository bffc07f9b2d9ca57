#include <algorithm>
#include <array>

#include "codec/block/etc1_bias.hpp"
#include "codec/block/etc_block.hpp"
#include "codec/transcode/uastc_transcode.hpp"

namespace assetc::codec {
namespace {

// The luma by which selectors are chosen, times 256.
constexpr unsigned luma(unsigned r, unsigned g, unsigned b) { return 54 * r + 183 * g + 19 * b; }

TexelIndices solid_levels(unsigned level) {
  TexelIndices levels;
  levels.fill(static_cast<std::uint8_t>(level));
  return levels;
}

}  // namespace

void uastc_to_etc1(const UastcBlock& block, const BlockTexels& texels, std::uint8_t* out) {
  Etc1Block etc;
  if (block.mode == kUastcSolidMode) {
    const UastcSolidHints& h = block.solid_hints;
    etc.diff = h.etc1_diff;
    // The hint can store a base that the mode cannot. Such a base is cut to the bits of the mode.
    const auto channel = [&](unsigned i) {
      return static_cast<std::uint8_t>(h.etc1_base[i] & (h.etc1_diff ? 31 : 15));
    };
    etc.base[0] = etc.base[1] = {channel(0), channel(1), channel(2)};
    etc.table = {h.etc1_table, h.etc1_table};
    return pack_etc1(etc, solid_levels(h.etc1_selector), out);
  }

  const UastcHints& h = block.hints;
  etc.flip = h.etc1_flip;
  etc.diff = h.etc1_diff;
  etc.table = h.etc1_table;
  const unsigned limit = etc.diff ? 31 : 15;
  const bool biased = kUastcModes[block.mode].has_etc1_bias;

  // Sums of quarters. Two of them make a half in either orientation.
  std::array<std::array<unsigned, 3>, 4> quarter{};
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    auto& q = quarter[(t >> 3) * 2 + (t >> 1 & 1)];
    q[0] += texels[t].r;
    q[1] += texels[t].g;
    q[2] += texels[t].b;
  }
  for (unsigned half = 0; half < 2; ++half) {
    const auto& a = quarter[etc.flip ? 2 * half : half];
    const auto& b = quarter[etc.flip ? 2 * half + 1 : half + 2];
    const auto average = [&](unsigned c) { return etc1_average(a[c] + b[c], limit); };
    etc.base[half] = {average(0), average(1), average(2)};
    if (biased) etc.base[half] = bias_etc1_base(etc.base[half], h.etc1_bias, limit, half);
  }
  if (etc.diff) {
    const auto near = [](std::uint8_t from, std::uint8_t to) {
      return static_cast<std::uint8_t>(std::clamp<int>(to, from - 4, from + 3));
    };
    const auto& [a, b] = etc.base;
    etc.base[1] = {near(a.r, b.r), near(a.g, b.g), near(a.b, b.b)};
  }

  // Each texel takes the color of its half with the nearest luma.
  std::array<std::array<unsigned, 3>, 2> edges;  // twice the midpoints
  for (unsigned half = 0; half < 2; ++half) {
    const auto palette = etc.palette(half);
    std::array<unsigned, 4> y;
    for (unsigned i = 0; i < 4; ++i) y[i] = luma(palette[i].r, palette[i].g, palette[i].b);
    for (unsigned i = 0; i < 3; ++i) edges[half][i] = y[i] + y[i + 1];
  }
  TexelIndices levels;
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    const unsigned y = 2 * luma(texels[t].r, texels[t].g, texels[t].b);
    const auto& e = edges[etc_half(etc.flip, t)];
    levels[t] = static_cast<std::uint8_t>((y >= e[0]) + (y >= e[1]) + (y >= e[2]));
  }
  pack_etc1(etc, levels, out);
}

void uastc_to_eac_alpha(const UastcBlock& block, const BlockTexels& texels, EacKind kind, std::uint8_t* out) {
  if (block.mode == kUastcSolidMode) return encode_eac_solid(block.solid_color.a, kind, out);
  if (!kUastcModes[block.mode].has_alpha()) return encode_eac_solid(255, kind, out);
  TexelIndices alpha;
  for (unsigned t = 0; t < kBlockTexels; ++t) alpha[t] = texels[t].a;
  encode_eac_hinted(alpha, kind, block.hints.etc2_table, block.hints.etc2_multiplier, out);
}

}  // namespace assetc::codec
