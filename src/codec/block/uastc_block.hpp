// One UASTC LDR 4x4 block as its logical fields, independent of their bit packing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "assetc/codec/texel.hpp"
#include "assetc/codec/transcode.hpp"
#include "codec/block/uastc_tables.hpp"

namespace assetc::codec {

inline constexpr std::size_t kUastcBlockBytes = 16;
using UastcBytes = std::array<std::uint8_t, kUastcBlockBytes>;

// The hints of a block of any mode except the solid one, for transcoding to BC1 and ETC. A field that the mode does not
// store reads as 0 and is not written.
struct UastcHints {
  bool bc1_endpoints = false;                // hint 0: BC1 can use subset 0's endpoints and plane 0's weights directly
  bool bc1_weights = false;                  // hint 1: BC1 can use plane 0's weights, with endpoints by least squares
  bool etc1_flip = false;                    // two 4x2 halves, one above the other, instead of two 2x4 side by side
  bool etc1_diff = false;                    // 5-bit base colors with a small difference, instead of two 4-bit ones
  std::array<std::uint8_t, 2> etc1_table{};  // intensity table of each half, 0..7
  std::uint8_t etc1_bias = 0;                // 0..31, the difference of the base colors from the halves' averages
  std::uint8_t etc2_table = 0;               // EAC alpha: modifier table, 0..15
  std::uint8_t etc2_multiplier = 0;          // EAC alpha: 0..15; an encoder writes at least 1 when the mode has alpha
  bool operator==(const UastcHints&) const = default;
};

// The hints of a solid block, for transcoding to ETC1: base color, table and the selector of all texels.
struct UastcSolidHints {
  bool etc1_diff = false;                   // the base color has 5 bits a channel instead of 4
  std::uint8_t etc1_table = 0;              // 0..7
  std::uint8_t etc1_selector = 0;           // 0..3, darkest to brightest
  std::array<std::uint8_t, 3> etc1_base{};  // R, G, B, 0..31 or 0..15
  bool operator==(const UastcSolidHints&) const = default;
};

struct UastcBlock {
  std::uint8_t mode = kUastcSolidMode;
  std::uint8_t partition = 0;           // index into uastc_partitions(mode's list)
  std::uint8_t component_selector = 0;  // the channel 0..3 of plane 1; 3 in mode 17; 0 with one plane
  Rgba8 solid_color{};                  // the solid mode only
  UastcSolidHints solid_hints;          // the solid mode only
  UastcHints hints;                     // the other modes
  // Quantized in the mode's range: low and high of each channel, subset after subset:
  // R0 R1 G0 G1 B0 B1 (A0 A1), or L0 L1 A0 A1.
  std::array<std::uint8_t, kUastcMaxEndpointValues> endpoints{};
  // Row by row. With two planes each texel has its weight in plane 0, then its weight in plane 1.
  std::array<std::uint8_t, kUastcMaxWeights> weights{};
  bool operator==(const UastcBlock&) const = default;
};

// Packs a block. The endpoints may be in any order: if the top bit of an anchor's weight is 1, the endpoints of its
// subset (or plane) are written swapped and its weights mirrored. The result decodes to the same texels.
// Requires every field to be in the range that is stated for the mode.
UastcBytes pack_uastc(const UastcBlock& block);

// Unpacks a block. The format forbids two things, for which nothing is returned: the reserved mode code, and a
// partition number that is not in the mode's list. Never reads outside block.
std::optional<UastcBlock> unpack_uastc(std::span<const std::uint8_t, kUastcBlockBytes> block);

// The same, for inner loops, into a block that the caller keeps. Returns whether the block is valid. block has 16
// bytes. Fields that the mode does not use keep the values that out had before.
bool unpack_uastc_into(const std::uint8_t* block, UastcBlock& out);

// Decodes a block. Requires a block that unpack_uastc returned or that pack_uastc accepts.
BlockTexels decode_uastc(const UastcBlock& block, AstcDecode decode = AstcDecode::kLinear);
void decode_uastc(const UastcBlock& block, BlockTexels& texels, AstcDecode decode = AstcDecode::kLinear);

// The 8-bit endpoints of a subset, [low, high]. Luminance is copied to R, G and B, and a missing alpha is 255.
std::array<Rgba8, 2> uastc_endpoints(const UastcBlock& block, unsigned subset);

// The partition of a block (kUastcWhole for one subset).
const UastcPartition& uastc_partition(const UastcBlock& block);

}  // namespace assetc::codec
