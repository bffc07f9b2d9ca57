#include <algorithm>

#include "codec/block/etc_bits.hpp"
#include "codec/block/etc_block.hpp"

namespace assetc::codec {

void pack_eac(const EacBlock& block, const TexelIndices& codes, std::uint8_t* out) {
  TexelIndices columns;  // last texel lowest
  for (unsigned t = 0; t < kBlockTexels; ++t) columns[15 - etc_position(t)] = codes[t];
  store_big_endian(std::uint64_t{block.base} << 56 | std::uint64_t{block.multiplier} << 52 |
                       std::uint64_t{block.table} << 48 | pack_indices(columns.data(), 3),
                   out);
}

namespace {

// kEacCodeOfRank[r] is the code of the r-th smallest modifier. In every table the negative modifiers ascend in the
// order 3, 2, 1, 0 and the positive ones in the order 4, 5, 6, 7.
constexpr std::array<std::uint8_t, 8> kEacCodeOfRank = {3, 2, 1, 0, 4, 5, 6, 7};

// One 16-bit number per texel. The compiler turns loops over them into a few vector operations.
struct Snapped {
  alignas(32) std::array<std::int16_t, kBlockTexels> nearest, rank;
};

// Finds the nearest of eight ascending steps for every value. Values have at most 11 bits.
Snapped snap(const std::array<std::int16_t, kBlockTexels>& v, const std::array<int, 8>& steps) {
  std::array<std::int16_t, 7> edge, next;  // v > edge is the same as 2 v > the sum of the two steps
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

std::uint32_t squared_distance(const std::array<std::int16_t, kBlockTexels>& a,
                               const std::array<std::int16_t, kBlockTexels>& b) {
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
  std::uint32_t error;  // squared, in the unit of the steps
};

EacFit fit(const std::array<std::int16_t, kBlockTexels>& v, const std::array<int, 8>& steps) {
  const Snapped s = snap(v, steps);
  EacFit f{{}, squared_distance(v, s.nearest)};
  for (unsigned t = 0; t < kBlockTexels; ++t) f.codes[t] = kEacCodeOfRank[static_cast<std::size_t>(s.rank[t])];
  return f;
}

std::array<int, 8> alpha_steps(int base, int multiplier, unsigned table) {
  std::array<int, 8> s;
  for (unsigned i = 0; i < 8; ++i)
    s[i] = std::clamp(base + multiplier * kEacModifiers[table][kEacCodeOfRank[i]], 0, 255);
  return s;
}
// Steps of 11 bits. There an 8-bit value v is v * 2047 / 255, or approximately v * 8 + 4.
std::array<int, 8> r11_steps(int base, int multiplier, unsigned table) {
  std::array<int, 8> s;
  for (unsigned i = 0; i < 8; ++i) {
    const int m = kEacModifiers[table][kEacCodeOfRank[i]];
    s[i] = std::clamp(base * 8 + 4 + (multiplier ? m * multiplier * 8 : m), 0, 2047);
  }
  return s;
}

// The base, rounded, with which the ends of the table lie on low and high. low <= high.
int center(int low, int high, unsigned table) {
  const int below = -kEacModifiers[table][3], span = kEacModifiers[table][7] + below;
  return (2 * (low * span + (high - low) * below) + span) / (2 * span);
}
int span_of(unsigned table) { return kEacModifiers[table][7] - kEacModifiers[table][3]; }

// Four tables that together suit most blocks: even steps, steps that are denser in the middle, and steps that are
// denser at the ends.
constexpr std::array<std::uint8_t, 4> kEacTriedTables = {2, 8, 11, 13};

std::array<int, 8> steps_of(EacKind kind, int base, int multiplier, unsigned table) {
  return kind == EacKind::kAlpha ? alpha_steps(base, multiplier, table) : r11_steps(base, multiplier, table);
}
EacFit fit(const TexelIndices& values, EacKind kind, int base, int multiplier, unsigned table) {
  const auto steps = steps_of(kind, base, multiplier, table);
  return fit(kind == EacKind::kAlpha ? scaled(values, 1, 0) : scaled(values, 8, 4), steps);
}

}  // namespace

void encode_eac_solid(std::uint8_t value, EacKind kind, std::uint8_t* out) {
  // Code 4 for all texels: modifier 0 of the fine table.
  store_big_endian(std::uint64_t{value} << 56 | std::uint64_t{kind == EacKind::kAlpha} << 52 |
                       std::uint64_t{kEacFineTable} << 48 | 0x924924924924u,
                   out);
}

void encode_eac(const TexelIndices& values, EacKind kind, std::uint8_t* out) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const int low = *least, high = *most;
  if (low == high) return encode_eac_solid(values[0], kind, out);
  EacBlock block;
  TexelIndices codes;
  if (high - low <= 5) {
    // The modifiers -3 .. 2 of the fine table around a base.
    const int base = std::clamp(high - 2, 3, 253);
    block = {static_cast<std::uint8_t>(base), 1, kEacFineTable};
    codes = fit(values, kind, base, 1, kEacFineTable).codes;
  } else {
    std::uint32_t best = UINT32_MAX;
    for (unsigned table : kEacTriedTables) {
      const int span = span_of(table);
      const int multiplier = std::clamp((2 * (high - low) + span) / (2 * span), 1, 15);
      const int base = std::clamp(center(low, high, table), 0, 255);
      const EacFit f = fit(values, kind, base, multiplier, table);
      if (f.error >= best) continue;
      best = f.error;
      codes = f.codes;
      block = {static_cast<std::uint8_t>(base), static_cast<std::uint8_t>(multiplier),
               static_cast<std::uint8_t>(table)};
    }
  }
  pack_eac(block, codes, out);
}

void search_eac_alpha(const TexelIndices& values, unsigned tries, std::uint8_t* out) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const int low = *least, high = *most;
  if (tries <= 1 || high - low <= 5) return encode_eac(values, EacKind::kAlpha, out);
  // Multipliers and bases around those that put the ends of a table on the extremes of the values.
  const int multiplier_reach = tries == 2 ? 1 : 3, base_reach = tries == 2 ? 1 : 4;
  const auto v = scaled(values, 1, 0);
  EacFit best{{}, UINT32_MAX};
  EacBlock block;
  for (unsigned table = 0; table < kEacModifiers.size(); ++table) {
    const int span = span_of(table), fitting = (2 * (high - low) + span) / (2 * span),
              middle = center(low, high, table);
    for (int m = std::max(1, fitting - multiplier_reach); m <= std::min(15, fitting + multiplier_reach); ++m) {
      for (int b = std::max(0, middle - base_reach); b <= std::min(255, middle + base_reach); ++b) {
        const EacFit f = fit(v, alpha_steps(b, m, table));
        if (f.error >= best.error) continue;
        best = f;
        block = {static_cast<std::uint8_t>(b), static_cast<std::uint8_t>(m), static_cast<std::uint8_t>(table)};
      }
    }
  }
  pack_eac(block, best.codes, out);
}

void search_eac_r11(const ChannelValues16& values16, unsigned tries, std::uint8_t* out) {
  TexelIndices values8;
  std::array<std::int16_t, kBlockTexels> values;
  bool of_8_bits = true;
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    values8[t] = static_cast<std::uint8_t>(values16[t] >> 8);
    of_8_bits &= values16[t] == values8[t] * 257;
    values[t] = static_cast<std::int16_t>((values16[t] * 2047u + 32767u) / 65535u);
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const int low = *least, high = *most;
  const int multiplier_reach = tries <= 1 ? 0 : tries == 2 ? 1 : 3, base_reach = tries <= 1 ? 0 : tries == 2 ? 1 : 4;
  EacFit best{{}, UINT32_MAX};
  EacBlock block;
  const auto attempt = [&](int base, int multiplier, unsigned table) {
    const EacFit f = fit(values, r11_steps(base, multiplier, table));
    if (f.error >= best.error) return;
    best = f;
    block = {static_cast<std::uint8_t>(base), static_cast<std::uint8_t>(multiplier), static_cast<std::uint8_t>(table)};
  };
  // At most six neighboring 8-bit values: a reader of 8 bits gets them back exactly.
  if (of_8_bits && std::ranges::max(values8) - std::ranges::min(values8) <= 5)
    return encode_eac(values8, EacKind::kR11, out);
  attempt(std::clamp((high >> 3) - 2, 3, 253), 1, kEacFineTable);
  for (unsigned table = 0; table < kEacModifiers.size(); ++table) {
    const int span = span_of(table);
    // With multiplier 0 the unit of the modifiers is 1, otherwise 8 times the multiplier.
    const int fitting = (2 * (high - low) + 8 * span) / (16 * span);
    if (tries <= 1 && fitting > 0 && std::ranges::find(kEacTriedTables, table) == kEacTriedTables.end()) continue;
    for (int m = std::max(0, fitting - multiplier_reach); m <= std::min(15, fitting + multiplier_reach); ++m) {
      // The base that centers the steps on the values.
      const int unit = m == 0 ? 1 : 8 * m;
      const int middle = (low + high - unit * (kEacModifiers[table][3] + kEacModifiers[table][7])) / 2;
      const int nearest = std::clamp(middle >> 3, 0, 255);
      for (int b = std::max(0, nearest - base_reach); b <= std::min(255, nearest + base_reach); ++b)
        attempt(b, m, table);
    }
  }
  pack_eac(block, best.codes, out);
}

void encode_eac_hinted(const TexelIndices& values, EacKind kind, unsigned table, unsigned multiplier,
                       std::uint8_t* out) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least == *most) return encode_eac_solid(values[0], kind, out);
  const int base = center(*least, *most, table);
  const TexelIndices codes = fit(values, kind, base, static_cast<int>(multiplier), table).codes;
  pack_eac({static_cast<std::uint8_t>(base), static_cast<std::uint8_t>(multiplier), static_cast<std::uint8_t>(table)},
           codes, out);
}

namespace {

// Calls put(texel, base, multiplier, modifier) for every texel.
template <class Put>
void decode_eac(const std::uint8_t* in, Put put) {
  const std::uint64_t bits = load_big_endian(in);
  const int base = static_cast<int>(bits >> 56), multiplier = bits >> 52 & 15;
  const auto& modifiers = kEacModifiers[bits >> 48 & 15];
  for (unsigned t = 0; t < kBlockTexels; ++t)
    put(t, base, multiplier, modifiers[bits >> (45 - 3 * etc_position(t)) & 7]);
}

// The decoded 11-bit value, scaled so that 2047 becomes most, and rounded.
int r11_value(int base, int multiplier, int modifier, int most) {
  const int v = std::clamp(base * 8 + 4 + (multiplier ? modifier * multiplier * 8 : modifier), 0, 2047);
  return (v * most + 1023) / 2047;
}
void decode_r11(const std::uint8_t* in, BlockTexels& texels, unsigned channel) {
  decode_eac(in, [&](unsigned t, int base, int multiplier, int modifier) {
    texels[t].set(channel, static_cast<std::uint8_t>(r11_value(base, multiplier, modifier, 255)));
  });
}

}  // namespace

void decode_eac_alpha(const std::uint8_t* in, BlockTexels& texels) {
  decode_eac(in, [&](unsigned t, int base, int multiplier, int modifier) {
    texels[t].a = clamp8(base + multiplier * modifier);
  });
}
BlockTexels decode_eac_r11(const std::uint8_t* in) {
  BlockTexels texels;
  texels.fill({0, 0, 0, 255});
  decode_r11(in, texels, 0);
  return texels;
}
BlockTexels decode_eac_rg11(const std::uint8_t* in) {
  BlockTexels texels = decode_eac_r11(in);
  decode_r11(in + 8, texels, 1);
  return texels;
}
ChannelValues16 decode_eac_r11_16(const std::uint8_t* in) {
  ChannelValues16 values;
  decode_eac(in, [&](unsigned t, int base, int multiplier, int modifier) {
    values[t] = static_cast<std::uint16_t>(r11_value(base, multiplier, modifier, 65535));
  });
  return values;
}

}  // namespace assetc::codec
