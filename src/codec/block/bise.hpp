// The quantization ranges of ASTC: the number of levels, how a level is stored (bits, and a trit or a quint), and the
// 8-bit endpoint or 6-bit weight of each level.
// Source: Khronos Data Format Specification 1.3, 23.12 to 23.17.
#pragma once

#include <array>
#include <cstdint>

#include "codec/block/bits128.hpp"

namespace assetc::codec {

inline constexpr unsigned kBiseRangeCount = 21;

struct BiseRange {
  std::uint16_t levels;
  std::uint8_t bits;
  std::uint8_t base;  // 3: a trit above the bits; 5: a quint above the bits; 1: bits only
};

inline constexpr std::array<BiseRange, kBiseRangeCount> kBiseRanges = {{
    {2, 1, 1},  {3, 0, 3},  {4, 2, 1},  {5, 0, 5},   {6, 1, 3},   {8, 3, 1},   {10, 1, 5},
    {12, 2, 3}, {16, 4, 1}, {20, 2, 5}, {24, 3, 3},  {32, 5, 1},  {40, 3, 5},  {48, 4, 3},
    {64, 6, 1}, {80, 4, 5}, {96, 5, 3}, {128, 7, 1}, {160, 5, 5}, {192, 6, 3}, {256, 8, 1},
}};

// A quantized value is (trit or quint) << bits | bits, as the formats store it. Stored values are not in the order of
// the endpoints that they represent. To step from a level to its neighbor, use by_rank.
struct EndpointRange {
  unsigned levels = 0;
  std::array<std::uint8_t, 256> unquantized{};  // [value] -> 0..255
  std::array<std::uint8_t, 256> nearest{};      // [0..255] -> value; a tie goes to the lower endpoint
  std::array<std::uint8_t, 256> by_rank{};      // [rank] -> value, ascending by unquantized
  std::array<std::uint8_t, 256> rank{};         // [value] -> rank
};

// The endpoints of a range. ASTC allows 4..20 (6 levels and up) for endpoints.
const EndpointRange& endpoint_range(unsigned range);

// The weight, 0..64, of index i in a range of 1 to 5 plain bits. The 4-bit row is ASTC's, not BC7's.
inline constexpr std::array<std::uint8_t, 32> kWeights1 = {0, 64};
inline constexpr std::array<std::uint8_t, 32> kWeights2 = {0, 21, 43, 64};
inline constexpr std::array<std::uint8_t, 32> kWeights3 = {0, 9, 18, 27, 37, 46, 55, 64};
inline constexpr std::array<std::uint8_t, 32> kWeights4 = {0, 4, 8, 12, 17, 21, 25, 29, 35, 39, 43, 47, 52, 56, 60, 64};
inline constexpr std::array<std::uint8_t, 32> kWeights5 = {0,  2,  4,  6,  8,  10, 12, 14, 16, 18, 20,
                                                           22, 24, 26, 28, 30, 34, 36, 38, 40, 42, 44,
                                                           46, 48, 50, 52, 54, 56, 58, 60, 62, 64};
// [weight bits 1..5][index]
inline constexpr std::array<std::array<std::uint8_t, 32>, 6> kWeightValues = {
    {{}, kWeights1, kWeights2, kWeights3, kWeights4, kWeights5}};

// [stored value] -> weight, 0..64, in a range of up to 32 levels. range <= 11.
const std::array<std::uint8_t, 32>& weight_range(unsigned range);

// The number of bits of count values of a range in ASTC's integer sequence encoding.
constexpr unsigned bise_size_bits(unsigned range, unsigned count) {
  const BiseRange r = kBiseRanges[range];
  const unsigned extra = r.base == 3 ? (8 * count + 4) / 5 : r.base == 5 ? (7 * count + 2) / 3 : 0;
  return r.bits * count + extra;
}

// [base-3 or base-5 number, first digit least significant] -> packed bits. Several packings decode to the same digits.
// For trits the lowest packing is taken, so that the absent high bits of a short last group are zero. For quints only
// 4, 4, 4 has more than one packing.
extern const std::array<std::uint8_t, 243> kTritPacking;
extern const std::array<std::uint8_t, 125> kQuintPacking;

// The number of packed bits that follow each value of a group of trits or quints.
inline constexpr std::array<std::uint8_t, 5> kTritSlices = {2, 2, 1, 2, 1};
inline constexpr std::array<std::uint8_t, 3> kQuintSlices = {3, 2, 2};

// ASTC's integer sequence encoding. Requires count <= 64 and a sequence that fits into 128 bits.
void bise_encode(BitWriter& out, unsigned range, const std::uint8_t* values, unsigned count);
void bise_decode(BitReader& in, unsigned range, std::uint8_t* values, unsigned count);

}  // namespace assetc::codec
