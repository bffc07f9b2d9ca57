// ETC1, ETC2 and EAC blocks: their tables, writers and decoders.
// Source: Khronos Data Format Specification 1.3, 21 (ETC1) and 22 (ETC2).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "assetc/codec/texel.hpp"
#include "codec/block/index_bits.hpp"

namespace assetc::codec {

// [table] -> the small and the large modifier: the four colors of a half are base -large, -small, +small, +large.
inline constexpr std::array<std::array<std::uint8_t, 2>, 8> kEtc1Modifiers = {
    {{2, 8}, {5, 17}, {9, 29}, {13, 42}, {18, 60}, {24, 80}, {33, 106}, {47, 183}}};

// In every table entry 3 is the smallest and entry 7 the largest.
inline constexpr std::array<std::array<std::int8_t, 8>, 16> kEacModifiers = {{
    {-3, -6, -9, -15, 2, 5, 8, 14},
    {-3, -7, -10, -13, 2, 6, 9, 12},
    {-2, -5, -8, -13, 1, 4, 7, 12},
    {-2, -4, -6, -13, 1, 3, 5, 12},
    {-3, -6, -8, -12, 2, 5, 7, 11},
    {-3, -7, -9, -11, 2, 6, 8, 10},
    {-4, -7, -8, -11, 3, 6, 7, 10},
    {-3, -5, -8, -11, 2, 4, 7, 10},
    {-2, -6, -8, -10, 1, 5, 7, 9},
    {-2, -5, -8, -10, 1, 4, 7, 9},
    {-2, -4, -8, -10, 1, 3, 7, 9},
    {-2, -5, -7, -10, 1, 4, 6, 9},
    {-3, -4, -7, -10, 2, 3, 6, 9},
    {-1, -2, -3, -10, 0, 1, 2, 9},
    {-4, -6, -8, -9, 3, 5, 7, 8},
    {-3, -5, -7, -9, 2, 4, 6, 8},
}};
// The table whose modifiers, except its two ends, are all within 3 of 0. Any six neighboring values are exact.
inline constexpr unsigned kEacFineTable = 13;

struct Rgb8 {
  std::uint8_t r = 0, g = 0, b = 0;
  bool operator==(const Rgb8&) const = default;
};

constexpr std::uint8_t etc_expand4(unsigned v) { return static_cast<std::uint8_t>(v * 17); }
constexpr std::uint8_t etc_expand5(unsigned v) { return static_cast<std::uint8_t>(v << 3 | v >> 2); }

// The half (0 or 1) that contains a texel.
constexpr unsigned etc_half(bool flip, unsigned texel) { return flip ? texel >> 3 : texel >> 1 & 1; }

// An ETC1 block in one of its two original modes. Levels count from the darkest, 0, to the brightest, 3.
struct Etc1Block {
  bool flip = false;
  bool diff = false;
  std::array<Rgb8, 2> base{};  // with diff 0..31, and the second within -4..3 of the first; else 0..15
  std::array<std::uint8_t, 2> table{};

  // The 8-bit color of a half.
  Rgb8 wide(unsigned half) const {
    const Rgb8 c = base[half];
    if (diff) return {etc_expand5(c.r), etc_expand5(c.g), etc_expand5(c.b)};
    return {etc_expand4(c.r), etc_expand4(c.g), etc_expand4(c.b)};
  }
  // The four colors of a half, darkest first.
  std::array<Rgb8, 4> palette(unsigned half) const {
    const Rgb8 c = wide(half);
    const int small = kEtc1Modifiers[table[half]][0], large = kEtc1Modifiers[table[half]][1];
    const auto shift = [c](int by) {
      const auto clamp = [by](int v) { return static_cast<std::uint8_t>(std::clamp(v + by, 0, 255)); };
      return Rgb8{clamp(c.r), clamp(c.g), clamp(c.b)};
    };
    return {shift(-large), shift(-small), shift(small), shift(large)};
  }
};

// Writes 8 bytes from a block and the levels of its texels. Requires base and table in range.
void pack_etc1(const Etc1Block& block, const TexelIndices& levels, std::uint8_t* out);

// ETC2's T and H modes. The whole block uses four paints, which are computed from two colors and a distance.
// T: the first color; then the second color plus the distance, unchanged, and minus the distance.
// H: each color plus the distance, then minus the distance.
struct Etc2Paints {
  bool h = false;
  std::array<Rgb8, 2> base{};  // 0..15
  std::uint8_t distance = 0;   // index of kEtc2Distances
  std::array<Rgba8, 4> colors() const;
};
inline constexpr std::array<std::uint8_t, 8> kEtc2Distances = {3, 6, 11, 16, 23, 32, 41, 64};
// Writes 8 bytes from the paints and the number of the paint of each texel.
void pack_etc2_paints(const Etc2Paints& paints, const TexelIndices& chosen, std::uint8_t* out);

// ETC2's planar mode: the colors at (0, 0), (4, 0) and (0, 4). The block is linear between them. Red and blue have 6
// bits, green has 7.
struct Etc2Plane {
  Rgb8 origin, horizontal, vertical;
};
void pack_etc2_planar(const Etc2Plane& plane, std::uint8_t* out);

// The fields of 8 bytes of EAC: alpha, or R11 with the multiplier rule of the specification. codes: 0..7 for each
// texel.
struct EacBlock {
  std::uint8_t base = 0;
  std::uint8_t multiplier = 0;
  std::uint8_t table = 0;
};
void pack_eac(const EacBlock& block, const TexelIndices& codes, std::uint8_t* out);

// The meaning of the 8 bytes: 8-bit alpha, or 11 bits with finer steps if the multiplier is 0.
enum class EacKind : std::uint8_t { kAlpha, kR11 };

// Chooses base, multiplier and table for 16 values and writes 8 bytes.
void encode_eac(const TexelIndices& values, EacKind kind, std::uint8_t* out);
// The same for alpha, with more tables, multipliers and bases. tries 1: as encode_eac; 2: all tables, close to the
// range of the values; 3: further around it.
void search_eac_alpha(const TexelIndices& values, unsigned tries, std::uint8_t* out);
// The same for 16-bit values as R11.
void search_eac_r11(const ChannelValues16& values, unsigned tries, std::uint8_t* out);
// Encodes one value for all texels. It is exact as alpha, and within half of an 8-bit step as R11.
void encode_eac_solid(std::uint8_t value, EacKind kind, std::uint8_t* out);
// Encodes with the given table and multiplier. multiplier <= 15.
void encode_eac_hinted(const TexelIndices& values, EacKind kind, unsigned table, unsigned multiplier,
                       std::uint8_t* out);

// Any bytes decode.
BlockTexels decode_etc2_rgb(const std::uint8_t* in);                 // ETC1 blocks too; alpha is 255
BlockTexels decode_etc2_rgba(const std::uint8_t* in);                // 16 bytes: EAC alpha, then color
void decode_eac_alpha(const std::uint8_t* in, BlockTexels& texels);  // 8 bytes; sets only the alpha of texels
BlockTexels decode_eac_r11(const std::uint8_t* in);                  // R, the 11 bits rounded to 8
BlockTexels decode_eac_rg11(const std::uint8_t* in);                 // R, G
ChannelValues16 decode_eac_r11_16(const std::uint8_t* in);

}  // namespace assetc::codec
