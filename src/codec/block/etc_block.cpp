#include "codec/block/etc_block.hpp"

#include <cstdlib>
#include <utility>

#include "codec/block/etc_bits.hpp"

namespace assetc::codec {

void pack_etc1(const Etc1Block& block, const TexelIndices& levels, std::uint8_t* out) {
  const auto& [a, b] = block.base;
  std::uint32_t head;
  if (block.diff) {
    const auto field = [](unsigned first, unsigned second) { return first << 3 | ((second - first) & 7); };
    head = field(a.r, b.r) << 24 | field(a.g, b.g) << 16 | field(a.b, b.b) << 8;
  } else {
    head = static_cast<std::uint32_t>(a.r << 4 | b.r) << 24 | (a.g << 4 | b.g) << 16 | (a.b << 4 | b.b) << 8;
  }
  head |= block.table[0] << 5 | block.table[1] << 2 | block.diff << 1 | block.flip;
  // Levels 0, 1, 2, 3 are codes 3, 2, 0, 1. The high bit of the code is the inverted high bit of the level. The low bit
  // is 1 for the two outer levels.
  const std::uint32_t packed = transpose2(static_cast<std::uint32_t>(pack_indices(levels.data(), 2)));
  const std::uint32_t high = even_bits(packed >> 1), low = even_bits(packed);
  const std::uint32_t tail = (~high & 0xffffu) << 16 | (~(high ^ low) & 0xffffu);
  store_big_endian(std::uint64_t{head} << 32 | tail, out);
}

std::array<Rgba8, 4> Etc2Paints::colors() const {
  const int d = kEtc2Distances[distance];
  const auto wide = [&](unsigned i, int by) {
    return Rgba8{clamp8(etc_expand4(base[i].r) + by), clamp8(etc_expand4(base[i].g) + by),
                 clamp8(etc_expand4(base[i].b) + by), 255};
  };
  if (h) return {wide(0, d), wide(0, -d), wide(1, d), wide(1, -d)};
  return {wide(0, 0), wide(1, d), wide(1, 0), wide(1, -d)};
}

namespace {

constexpr std::uint64_t kDiffBit = std::uint64_t{1} << 33;

// The 5 bits of a differential base and the 3 bits of its step. `base` and `step` are the low two bits of each. The
// other bits are set so that the sum is outside 0..31: ETC2 marks its modes by such an overflow. Returns
// base << 3 | step.
constexpr std::uint64_t overflowing(unsigned base, unsigned step) {
  return base + step >= 4 ? (28u | base) << 3 | step : base << 3 | 4u | step;
}
// The same, but only the top bit of the base is free. It is set so that the sum stays within 0..31.
constexpr std::uint64_t within(unsigned base, unsigned step) {
  const int sum = static_cast<int>(base) + static_cast<int>(step ^ 4u) - 4;
  return (sum < 0 ? base | 16u : base) << 3 | step;
}

// The choices of all texels, one of four paints each, as two planes of bits in column order.
std::uint64_t paint_bits(const TexelIndices& chosen) {
  const std::uint32_t packed = transpose2(static_cast<std::uint32_t>(pack_indices(chosen.data(), 2)));
  return std::uint64_t{even_bits(packed >> 1)} << 16 | even_bits(packed);
}

// An H block does not store the lowest bit of its distance. The bit is 1 if the first color, as a number, is not
// smaller than the second.
bool h_is_ordered(const Rgb8& a, const Rgb8& b) { return (a.r << 8 | a.g << 4 | a.b) >= (b.r << 8 | b.g << 4 | b.b); }

void pack_t(const Etc2Paints& p, const TexelIndices& chosen, std::uint8_t* out) {
  const auto& [a, b] = p.base;
  std::uint64_t bits = overflowing(a.r >> 2, a.r & 3u) << 56 | kDiffBit | paint_bits(chosen);
  bits |= std::uint64_t{a.g} << 52 | std::uint64_t{a.b} << 48;
  bits |= std::uint64_t{b.r} << 44 | std::uint64_t{b.g} << 40 | std::uint64_t{b.b} << 36;
  const std::uint64_t distance = p.distance;
  bits |= distance >> 1 << 34 | (distance & 1) << 32;
  store_big_endian(bits, out);
}

void pack_h(Etc2Paints p, TexelIndices chosen, std::uint8_t* out) {
  // Two equal colors can only represent odd distances. An even distance is then one step off; the search does not use
  // it.
  if (h_is_ordered(p.base[0], p.base[1]) != ((p.distance & 1) != 0)) {
    std::swap(p.base[0], p.base[1]);
    for (std::uint8_t& paint : chosen) paint ^= 2;
  }
  const auto& [a, b] = p.base;
  std::uint64_t bits = within(a.r, a.g >> 1u) << 56 | kDiffBit | paint_bits(chosen);
  bits |= overflowing((a.g & 1u) << 1 | a.b >> 3u, (a.b & 7u) >> 1) << 48 | std::uint64_t{a.b & 1u} << 47;
  bits |= std::uint64_t{b.r} << 43 | std::uint64_t{b.g} << 39 | std::uint64_t{b.b} << 35;
  const std::uint64_t distance = p.distance;
  bits |= distance >> 2 << 34 | (distance >> 1 & 1) << 32;
  store_big_endian(bits, out);
}

}  // namespace

void pack_etc2_paints(const Etc2Paints& paints, const TexelIndices& chosen, std::uint8_t* out) {
  paints.h ? pack_h(paints, chosen, out) : pack_t(paints, chosen, out);
}

void pack_etc2_planar(const Etc2Plane& plane, std::uint8_t* out) {
  const auto& [o, h, v] = plane;
  std::uint64_t bits = within(o.r >> 2, (o.r & 3u) << 1 | o.g >> 6) << 56 | kDiffBit;
  bits |= within(o.g >> 2 & 15u, (o.g & 3u) << 1 | o.b >> 5) << 48;
  bits |= overflowing(o.b >> 3 & 3u, o.b >> 1 & 3u) << 40 | std::uint64_t{o.b & 1u} << 39;
  const std::uint64_t red = h.r;
  bits |= red >> 1 << 34 | (red & 1) << 32 | std::uint64_t{h.g} << 25 | std::uint64_t{h.b} << 19;
  bits |= std::uint64_t{v.r} << 13 | std::uint64_t{v.g} << 6 | v.b;
  store_big_endian(bits, out);
}

namespace {

void decode_paint(std::uint64_t bits, const std::array<Rgba8, 4>& paint, BlockTexels& texels) {
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    const unsigned at = etc_position(t);
    texels[t] = paint[(bits >> (16 + at) & 1) << 1 | (bits >> at & 1)];
  }
}

void decode_t(std::uint64_t bits, BlockTexels& texels) {
  const auto four = [&](unsigned at) { return static_cast<std::uint8_t>(bits >> at & 15); };
  const auto r = static_cast<std::uint8_t>((bits >> 59 & 3) << 2 | (bits >> 56 & 3));
  Etc2Paints paints{false, {{{r, four(52), four(48)}, {four(44), four(40), four(36)}}}, 0};
  paints.distance = static_cast<std::uint8_t>((bits >> 34 & 3) << 1 | (bits >> 32 & 1));
  decode_paint(bits, paints.colors(), texels);
}

void decode_h(std::uint64_t bits, BlockTexels& texels) {
  const auto byte = [](std::uint64_t v) { return static_cast<std::uint8_t>(v); };
  Etc2Paints paints{true, {}, 0};
  paints.base[0] = {byte(bits >> 59 & 15), byte((bits >> 56 & 7) << 1 | (bits >> 52 & 1)),
                    byte((bits >> 51 & 1) << 3 | (bits >> 47 & 7))};
  paints.base[1] = {byte(bits >> 43 & 15), byte(bits >> 39 & 15), byte(bits >> 35 & 15)};
  paints.distance = byte((bits >> 34 & 1) << 2 | (bits >> 32 & 1) << 1 | h_is_ordered(paints.base[0], paints.base[1]));
  decode_paint(bits, paints.colors(), texels);
}

void decode_planar(std::uint64_t bits, BlockTexels& texels) {
  const auto field = [&](unsigned at, unsigned count) {
    return static_cast<unsigned>(bits >> at & ((1u << count) - 1));
  };
  const std::array<int, 3> o = {expand(field(57, 6), 6), expand(field(56, 1) << 6 | field(49, 6), 7),
                                expand(field(48, 1) << 5 | field(43, 2) << 3 | field(39, 3), 6)};
  const std::array<int, 3> h = {expand(field(34, 5) << 1 | field(32, 1), 6), expand(field(25, 7), 7),
                                expand(field(19, 6), 6)};
  const std::array<int, 3> v = {expand(field(13, 6), 6), expand(field(6, 7), 7), expand(field(0, 6), 6)};
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    const int x = static_cast<int>(t & 3), y = static_cast<int>(t >> 2);
    const auto at = [&](unsigned c) { return clamp8((x * (h[c] - o[c]) + y * (v[c] - o[c]) + 4 * o[c] + 2) >> 2); };
    texels[t] = {at(0), at(1), at(2), 255};
  }
}

void decode_halves(std::uint64_t bits, const Etc1Block& block, BlockTexels& texels) {
  const std::array<std::array<Rgb8, 4>, 2> palettes = {block.palette(0), block.palette(1)};
  constexpr std::array<std::uint8_t, 4> level_of_code = {2, 3, 1, 0};
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    const unsigned at = etc_position(t);
    const Rgb8 c = palettes[etc_half(block.flip, t)][level_of_code[(bits >> (16 + at) & 1) << 1 | (bits >> at & 1)]];
    texels[t] = {c.r, c.g, c.b, 255};
  }
}

void decode_color(const std::uint8_t* in, BlockTexels& texels) {
  const std::uint64_t bits = load_big_endian(in);
  Etc1Block block;
  block.flip = bits >> 32 & 1;
  block.diff = bits >> 33 & 1;
  block.table = {static_cast<std::uint8_t>(bits >> 37 & 7), static_cast<std::uint8_t>(bits >> 34 & 7)};
  const auto byte = [](auto v) { return static_cast<std::uint8_t>(v); };
  if (!block.diff) {
    block.base = {{{byte(bits >> 60 & 15), byte(bits >> 52 & 15), byte(bits >> 44 & 15)},
                   {byte(bits >> 56 & 15), byte(bits >> 48 & 15), byte(bits >> 40 & 15)}}};
    return decode_halves(bits, block, texels);
  }
  // A second color out of range marks one of ETC2's own modes.
  const auto sum = [&](unsigned at) {
    const int delta = static_cast<int>(bits >> at & 7);
    return static_cast<int>(bits >> (at + 3) & 31) + (delta ^ 4) - 4;
  };
  const int r = sum(56), g = sum(48), b = sum(40);
  if (r < 0 || r > 31) return decode_t(bits, texels);
  if (g < 0 || g > 31) return decode_h(bits, texels);
  if (b < 0 || b > 31) return decode_planar(bits, texels);
  block.base = {{{byte(bits >> 59 & 31), byte(bits >> 51 & 31), byte(bits >> 43 & 31)}, {byte(r), byte(g), byte(b)}}};
  decode_halves(bits, block, texels);
}

}  // namespace

BlockTexels decode_etc2_rgb(const std::uint8_t* in) {
  BlockTexels texels;
  decode_color(in, texels);
  return texels;
}
BlockTexels decode_etc2_rgba(const std::uint8_t* in) {
  BlockTexels texels = decode_etc2_rgb(in + 8);
  decode_eac_alpha(in, texels);
  return texels;
}

}  // namespace assetc::codec
