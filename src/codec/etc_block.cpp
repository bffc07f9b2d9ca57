#include "codec/etc_block.hpp"

#include <cstdlib>
#include <cstring>

namespace assetc::codec {
namespace {

// ETC counts texels down the columns, and stores its bytes most significant first.
constexpr unsigned etc_position(unsigned texel) { return (texel & 3) * 4 + (texel >> 2); }

std::uint64_t load_big_endian(const std::uint8_t* in) {
  std::uint64_t v;
  std::memcpy(&v, in, 8);
  return __builtin_bswap64(v);
}
void store_big_endian(std::uint64_t v, std::uint8_t* out) {
  v = __builtin_bswap64(v);
  std::memcpy(out, &v, 8);
}

// 16 rows-first 2-bit fields to columns-first ones: a 4x4 transpose.
constexpr std::uint32_t transpose2(std::uint32_t v) {
  std::uint32_t swap = (v ^ v >> 6) & 0x00cc00ccu;
  v ^= swap ^ swap << 6;
  swap = (v ^ v >> 12) & 0x0000f0f0u;
  return v ^ swap ^ swap << 12;
}
static_assert([] {
  for (unsigned t = 0; t < kBlockTexels; ++t)
    if (transpose2(3u << (2 * t)) != 3u << (2 * etc_position(t))) return false;
  return true;
}());

// The even bits of v, side by side.
constexpr std::uint32_t even_bits(std::uint32_t v) {
  v &= 0x55555555u;
  v = (v | v >> 1) & 0x33333333u;
  v = (v | v >> 2) & 0x0f0f0f0fu;
  v = (v | v >> 4) & 0x00ff00ffu;
  return (v | v >> 8) & 0xffffu;
}

std::uint8_t clamp8(int v) { return static_cast<std::uint8_t>(std::clamp(v, 0, 255)); }

constexpr std::uint8_t expand(unsigned v, unsigned bits) {
  return static_cast<std::uint8_t>(v << (8 - bits) | v >> (2 * bits - 8));
}

}  // namespace

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
  // Levels 0, 1, 2, 3 are codes 3, 2, 0, 1: the high bit is that of the level inverted, and the low bit says
  // whether it is an outer level.
  const std::uint32_t packed = transpose2(static_cast<std::uint32_t>(pack_indices(levels.data(), 2)));
  const std::uint32_t high = even_bits(packed >> 1), low = even_bits(packed);
  const std::uint32_t tail = (~high & 0xffffu) << 16 | (~(high ^ low) & 0xffffu);
  store_big_endian(std::uint64_t{head} << 32 | tail, out);
}

void pack_eac(const EacBlock& block, const TexelIndices& codes, std::uint8_t* out) {
  TexelIndices columns;  // last texel lowest
  for (unsigned t = 0; t < kBlockTexels; ++t) columns[15 - etc_position(t)] = codes[t];
  store_big_endian(std::uint64_t{block.base} << 56 | std::uint64_t{block.multiplier} << 52 |
                       std::uint64_t{block.table} << 48 | pack_indices(columns.data(), 3),
                   out);
}

namespace {

// The code of code_of_rank[r] is the r-th smallest modifier: every table has its negatives in 3, 2, 1, 0 order and
// its positives in 4, 5, 6, 7.
constexpr std::array<std::uint8_t, 8> kEacCodeOfRank = {3, 2, 1, 0, 4, 5, 6, 7};

// Sixteen bits and a texel a lane: loops over them are a few vector operations.
struct Snapped {
  alignas(32) std::array<std::int16_t, kBlockTexels> nearest, rank;
};

// Every value, 11 bits at most, at its nearest of eight steps (ascending).
Snapped snap(const std::array<std::int16_t, kBlockTexels>& v, const std::array<int, 8>& steps) {
  std::array<std::int16_t, 7> edge, next;  // past the midpoint: v > edge, where twice v would be past the sum
  for (unsigned i = 0; i < 7; ++i) {
    edge[i] = static_cast<std::int16_t>((steps[i] + steps[i + 1]) >> 1);
    next[i] = static_cast<std::int16_t>(steps[i + 1]);
  }
  const auto lowest = static_cast<std::int16_t>(steps[0]);
  Snapped s;
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    std::int16_t n = lowest, r = 0;
    for (unsigned i = 0; i < 7; ++i) {
      const bool past = v[t] > edge[i];
      n = past ? next[i] : n;
      r = static_cast<std::int16_t>(r + past);
    }
    s.nearest[t] = n;
    s.rank[t] = r;
  }
  return s;
}

std::uint32_t squared_distance(const std::array<std::int16_t, kBlockTexels>& a, const std::array<std::int16_t, kBlockTexels>& b) {
  std::uint32_t error = 0;
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    const int d = a[t] - b[t];
    error += static_cast<std::uint32_t>(d * d);
  }
  return error;
}

std::array<std::int16_t, kBlockTexels> scaled(const TexelIndices& values, int scale, int offset) {
  std::array<std::int16_t, kBlockTexels> v;
  for (unsigned t = 0; t < kBlockTexels; ++t) v[t] = static_cast<std::int16_t>(values[t] * scale + offset);
  return v;
}

struct EacFit {
  TexelIndices codes;
  std::uint32_t error;  // squared, in the steps' unit
};

EacFit fit(const TexelIndices& values, const std::array<int, 8>& steps, int value_scale, int value_offset) {
  const auto v = scaled(values, value_scale, value_offset);
  const Snapped s = snap(v, steps);
  EacFit f{{}, squared_distance(v, s.nearest)};
  for (unsigned t = 0; t < kBlockTexels; ++t) f.codes[t] = kEacCodeOfRank[static_cast<std::size_t>(s.rank[t])];
  return f;
}

std::array<int, 8> alpha_steps(int base, int multiplier, unsigned table) {
  std::array<int, 8> s;
  for (unsigned i = 0; i < 8; ++i) s[i] = std::clamp(base + multiplier * kEacModifiers[table][kEacCodeOfRank[i]], 0, 255);
  return s;
}
// In 11 bits, where a value of 8 bits v is v * 2047 / 255, near enough v * 8 + 4.
std::array<int, 8> r11_steps(int base, int multiplier, unsigned table) {
  std::array<int, 8> s;
  for (unsigned i = 0; i < 8; ++i) {
    const int m = kEacModifiers[table][kEacCodeOfRank[i]];
    s[i] = std::clamp(base * 8 + 4 + (multiplier ? m * multiplier * 8 : m), 0, 2047);
  }
  return s;
}

// The base that puts the table's ends on low and high, rounded; low <= high.
int centre(int low, int high, unsigned table) {
  const int below = -kEacModifiers[table][3], span = kEacModifiers[table][7] + below;
  return (2 * (low * span + (high - low) * below) + span) / (2 * span);
}
int span_of(unsigned table) { return kEacModifiers[table][7] - kEacModifiers[table][3]; }

// Four tables that between them suit most blocks: even steps, and steps that crowd the middle or the ends.
constexpr std::array<std::uint8_t, 4> kEacTriedTables = {2, 8, 11, 13};

std::array<int, 8> steps_of(EacKind kind, int base, int multiplier, unsigned table) {
  return kind == EacKind::kAlpha ? alpha_steps(base, multiplier, table) : r11_steps(base, multiplier, table);
}
EacFit fit(const TexelIndices& values, EacKind kind, int base, int multiplier, unsigned table) {
  const auto steps = steps_of(kind, base, multiplier, table);
  return kind == EacKind::kAlpha ? fit(values, steps, 1, 0) : fit(values, steps, 8, 4);
}

}  // namespace

void encode_eac_solid(std::uint8_t value, EacKind kind, std::uint8_t* out) {
  TexelIndices codes;
  codes.fill(4);  // modifier 0 of the fine table
  pack_eac({value, static_cast<std::uint8_t>(kind == EacKind::kAlpha), kEacFineTable}, codes, out);
}

void encode_eac(const TexelIndices& values, EacKind kind, std::uint8_t* out) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const int low = *least, high = *most;
  if (low == high) return encode_eac_solid(values[0], kind, out);
  EacBlock block;
  TexelIndices codes;
  if (high - low <= 5) {
    // The fine table's -3 .. 2 around a base.
    const int base = std::clamp(high - 2, 3, 253);
    block = {static_cast<std::uint8_t>(base), 1, kEacFineTable};
    codes = fit(values, kind, base, 1, kEacFineTable).codes;
  } else {
    std::uint32_t best = UINT32_MAX;
    for (unsigned table : kEacTriedTables) {
      const int span = span_of(table);
      const int multiplier = std::clamp((2 * (high - low) + span) / (2 * span), 1, 15);
      const int base = std::clamp(centre(low, high, table), 0, 255);
      const EacFit f = fit(values, kind, base, multiplier, table);
      if (f.error >= best) continue;
      best = f.error;
      codes = f.codes;
      block = {static_cast<std::uint8_t>(base), static_cast<std::uint8_t>(multiplier), static_cast<std::uint8_t>(table)};
    }
  }
  pack_eac(block, codes, out);
}

void encode_eac_hinted(const TexelIndices& values, EacKind kind, unsigned table, unsigned multiplier, std::uint8_t* out) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least == *most) return encode_eac_solid(values[0], kind, out);
  const int base = centre(*least, *most, table);
  const TexelIndices codes = fit(values, kind, base, static_cast<int>(multiplier), table).codes;
  pack_eac({static_cast<std::uint8_t>(base), static_cast<std::uint8_t>(multiplier), static_cast<std::uint8_t>(table)}, codes,
           out);
}

std::uint32_t eac_alpha_error(const TexelIndices& values, const TexelIndices& want, unsigned table, unsigned multiplier) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const auto steps = alpha_steps(centre(*low, *high, table), static_cast<int>(multiplier), table);
  return squared_distance(snap(scaled(values, 1, 0), steps).nearest, scaled(want, 1, 0));
}

namespace {

// ETC2's T and H modes: four colours for the whole block. distance: of the paired colours.
constexpr std::array<std::uint8_t, 8> kEtc2Distances = {3, 6, 11, 16, 23, 32, 41, 64};

void decode_paint(std::uint64_t bits, const std::array<Rgba8, 4>& paint, BlockTexels& texels) {
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    const unsigned at = etc_position(t);
    texels[t] = paint[(bits >> (16 + at) & 1) << 1 | (bits >> at & 1)];
  }
}

Rgba8 shifted(Rgba8 c, int by) { return {clamp8(c.r + by), clamp8(c.g + by), clamp8(c.b + by), 255}; }

void decode_t(std::uint64_t bits, BlockTexels& texels) {
  const auto four = [&](unsigned at) { return etc_expand4(bits >> at & 15); };
  const unsigned r = static_cast<unsigned>(bits >> 59 & 3) << 2 | static_cast<unsigned>(bits >> 56 & 3);
  const Rgba8 a = {etc_expand4(r), four(52), four(48), 255}, b = {four(44), four(40), four(36), 255};
  const int d = kEtc2Distances[(bits >> 34 & 3) << 1 | (bits >> 32 & 1)];
  decode_paint(bits, {a, shifted(b, d), b, shifted(b, -d)}, texels);
}

void decode_h(std::uint64_t bits, BlockTexels& texels) {
  const unsigned r0 = bits >> 59 & 15, g0 = (bits >> 56 & 7) << 1 | (bits >> 52 & 1);
  const unsigned b0 = (bits >> 51 & 1) << 3 | (bits >> 47 & 7);
  const unsigned r1 = bits >> 43 & 15, g1 = bits >> 39 & 15, b1 = bits >> 35 & 15;
  // The lowest bit of the distance is which colour is the larger number.
  const unsigned order = (r0 << 8 | g0 << 4 | b0) >= (r1 << 8 | g1 << 4 | b1);
  const int d = kEtc2Distances[(bits >> 34 & 1) << 2 | (bits >> 32 & 1) << 1 | order];
  const Rgba8 a = {etc_expand4(r0), etc_expand4(g0), etc_expand4(b0), 255};
  const Rgba8 b = {etc_expand4(r1), etc_expand4(g1), etc_expand4(b1), 255};
  decode_paint(bits, {shifted(a, d), shifted(a, -d), shifted(b, d), shifted(b, -d)}, texels);
}

void decode_planar(std::uint64_t bits, BlockTexels& texels) {
  const auto field = [&](unsigned at, unsigned count) { return static_cast<unsigned>(bits >> at & ((1u << count) - 1)); };
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
  // A second colour out of range says which of ETC2's own modes this is.
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

template <class Value>
void decode_eac(const std::uint8_t* in, BlockTexels& texels, unsigned channel, Value value) {
  const std::uint64_t bits = load_big_endian(in);
  const int base = static_cast<int>(bits >> 56), multiplier = bits >> 52 & 15;
  const auto& modifiers = kEacModifiers[bits >> 48 & 15];
  for (unsigned t = 0; t < kBlockTexels; ++t)
    texels[t].set(channel, value(base, multiplier, modifiers[bits >> (45 - 3 * etc_position(t)) & 7]));
}

std::uint8_t alpha_value(int base, int multiplier, int modifier) { return clamp8(base + multiplier * modifier); }
std::uint8_t r11_value(int base, int multiplier, int modifier) {
  const int v = std::clamp(base * 8 + 4 + (multiplier ? modifier * multiplier * 8 : modifier), 0, 2047);
  return static_cast<std::uint8_t>((v * 255 + 1023) / 2047);
}

}  // namespace

BlockTexels decode_etc2_rgb(const std::uint8_t* in) {
  BlockTexels texels;
  decode_color(in, texels);
  return texels;
}
BlockTexels decode_etc2_rgba(const std::uint8_t* in) {
  BlockTexels texels;
  decode_color(in + 8, texels);
  decode_eac(in, texels, 3, alpha_value);
  return texels;
}
BlockTexels decode_eac_r11(const std::uint8_t* in) {
  BlockTexels texels;
  texels.fill({0, 0, 0, 255});
  decode_eac(in, texels, 0, r11_value);
  return texels;
}
BlockTexels decode_eac_rg11(const std::uint8_t* in) {
  BlockTexels texels;
  texels.fill({0, 0, 0, 255});
  decode_eac(in, texels, 0, r11_value);
  decode_eac(in + 8, texels, 1, r11_value);
  return texels;
}

}  // namespace assetc::codec
