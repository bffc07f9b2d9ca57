// One unsigned BC6H block as its logical fields, and its texels.
// Source: Khronos Data Format Specification 1.3, 20.6 (BPTC); Direct3D 11.3 Functional Specification, 19.5.14.
#pragma once

#include <array>
#include <cstdint>

#include "codec/block/bc7_tables.hpp"
#include "codec/block/index_bits.hpp"

namespace assetc::codec {

// Red, green and blue as the bits of half floats.
using HalfTexel = std::array<std::uint16_t, 3>;
using HalfBlock = std::array<HalfTexel, kBlockTexels>;

// Modes are rows of the specification's table. The row numbers there are one higher.
inline constexpr unsigned kBc6hModeCount = 14;
inline constexpr unsigned kBc6hPartitionCount = 32;  // the first 32 of BC7's partitions into two subsets

struct Bc6hMode {
  std::uint8_t subset_count;
  std::uint8_t end_bits;                   // of an endpoint's channel
  std::array<std::uint8_t, 3> delta_bits;  // of the other endpoints, relative to the first; end_bits if absolute
  bool is_delta() const { return delta_bits[0] != end_bits; }
  unsigned index_bits() const { return subset_count == 1 ? 4 : 3; }
};
inline constexpr std::array<Bc6hMode, kBc6hModeCount> kBc6hModes = {{{2, 10, {5, 5, 5}},
                                                                     {2, 7, {6, 6, 6}},
                                                                     {2, 11, {5, 4, 4}},
                                                                     {2, 11, {4, 5, 4}},
                                                                     {2, 11, {4, 4, 5}},
                                                                     {2, 9, {5, 5, 5}},
                                                                     {2, 8, {6, 5, 5}},
                                                                     {2, 8, {5, 6, 5}},
                                                                     {2, 8, {5, 5, 6}},
                                                                     {2, 6, {6, 6, 6}},
                                                                     {1, 10, {10, 10, 10}},
                                                                     {1, 11, {9, 9, 9}},
                                                                     {1, 12, {8, 8, 8}},
                                                                     {1, 16, {4, 4, 4}}}};

using Bc6hEnd = std::array<std::int32_t, 3>;

struct Bc6hBlock {
  std::uint8_t mode = 10;
  std::uint8_t partition = 0;
  // Low and high endpoint of subset 0, then of subset 1. Each channel has the end_bits of the mode.
  std::array<Bc6hEnd, 4> ends{};
  TexelIndices index{};
};

// Expands a channel of an endpoint to the 16 bits that the decoder interpolates.
constexpr std::int32_t bc6h_unquantize(std::int32_t end, unsigned end_bits) {
  if (end_bits >= 15 || end == 0) return end;
  if (end == (1 << end_bits) - 1) return 0xFFFF;
  return ((end << 16) + 0x8000) >> end_bits;
}
// Interpolates between two of them, with a weight in 64ths, and returns the bits of a half float.
constexpr std::uint16_t bc6h_interpolate(std::int32_t low, std::int32_t high, std::int32_t weight) {
  return static_cast<std::uint16_t>(((low * (64 - weight) + high * weight + 32) >> 6) * 31 >> 6);
}

// Whether the mode's deltas can represent all endpoints.
bool bc6h_ends_fit(const Bc6hBlock& block);

// Writes 16 bytes. Requires that the endpoints fit, and that the top bit of every anchor's index is 0.
void pack_bc6h(const Bc6hBlock& block, std::uint8_t* out);

// Reads 16 bytes. False for the four reserved modes.
bool unpack_bc6h(const std::uint8_t* in, Bc6hBlock& block);

// Decodes 16 bytes. The texels are finite and not negative. The reserved modes decode to black, as the specification
// says.
HalfBlock decode_bc6h(const std::uint8_t* in);

}  // namespace assetc::codec
