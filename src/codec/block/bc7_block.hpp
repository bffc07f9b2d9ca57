// One BC7 block as its logical fields, and its texels.
// Source: Khronos Data Format Specification 1.3, 20.5 (BPTC).
#pragma once

#include <array>
#include <cstdint>

#include "assetc/codec/texel.hpp"
#include "codec/block/bc7_tables.hpp"
#include "codec/block/index_bits.hpp"

namespace assetc::codec {

inline constexpr unsigned kBc7ModeCount = 8;

struct Bc7Mode {
  std::uint8_t subset_count;
  std::uint8_t partition_bits;
  std::uint8_t rotation_bits;
  std::uint8_t index_select_bits;
  std::uint8_t color_bits;  // of a channel of an endpoint, without its p bit
  std::uint8_t alpha_bits;  // 0: opaque
  std::uint8_t p_bits;      // 0: none; 1: one for each subset, shared by both endpoints; 2: one for each endpoint
  std::uint8_t index_bits;
  std::uint8_t second_index_bits;
};

inline constexpr std::array<Bc7Mode, kBc7ModeCount> kBc7Modes = {{
    {3, 4, 0, 0, 4, 0, 2, 3, 0},
    {2, 6, 0, 0, 6, 0, 1, 3, 0},
    {3, 6, 0, 0, 5, 0, 0, 2, 0},
    {2, 6, 0, 0, 7, 0, 2, 2, 0},
    {1, 0, 2, 1, 5, 6, 0, 2, 3},
    {1, 0, 2, 0, 7, 8, 0, 2, 2},
    {1, 0, 0, 0, 7, 7, 2, 4, 0},
    {2, 6, 0, 0, 5, 5, 2, 2, 0},
}};

struct Bc7Block {
  std::uint8_t mode = 6;
  std::uint8_t partition = 0;
  std::uint8_t rotation = 0;
  std::uint8_t index_select = 0;
  // [subset][low, high], quantized to the bits of the mode, without the p bit.
  std::array<std::array<Rgba8, 2>, 3> ends{};
  std::array<std::array<std::uint8_t, 2>, 3> p{};  // a shared p bit is p[subset][0]
  TexelIndices index{};
  TexelIndices second_index{};  // modes 4 and 5
};

// Writes 16 bytes. If the top bit of an anchor's index is 1, swaps the endpoints of the subset and mirrors its indices.
// The result decodes to the same texels.
void pack_bc7(const Bc7Block& block, std::uint8_t* out);

// Writes 16 bytes that decode to exactly this color.
void pack_bc7_solid(Rgba8 color, std::uint8_t* out);

// Reads 16 bytes. False for the reserved mode (first byte 0).
bool unpack_bc7(const std::uint8_t* bytes, Bc7Block& block);

// Decodes 16 bytes. The reserved mode decodes to transparent black, as the specification says.
BlockTexels decode_bc7(const std::uint8_t* bytes);

}  // namespace assetc::codec
