// One UASTC LDR 4x4 block, logically: what the bits mean, without how they are packed.
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

// What a block of any mode but the solid one tells the transcoders to BC1 and ETC.
// A field that the mode does not store reads as 0 and is not written.
struct UastcHints {
  bool bc1_endpoints = false;  // hint 0: subset 0's endpoints and plane 0's weights do for BC1 as they are
  bool bc1_weights = false;    // hint 1: plane 0's weights do; the endpoints follow from them by least squares
  bool etc1_flip = false;      // two 4x2 halves above each other rather than two 2x4 side by side
  bool etc1_diff = false;      // 5-bit base colors with a small difference rather than two 4-bit ones
  std::array<std::uint8_t, 2> etc1_table{};  // intensity table of each half, 0..7
  std::uint8_t etc1_bias = 0;                // 0..31, how the base colors differ from the halves' averages
  std::uint8_t etc2_table = 0;               // EAC alpha: modifier table, 0..15
  std::uint8_t etc2_multiplier = 0;          // EAC alpha: 0..15; an encoder writes at least 1 when the mode has alpha
  bool operator==(const UastcHints&) const = default;
};

// What a solid block tells the transcoder to ETC1: base color, table and the one selector of its texels.
struct UastcSolidHints {
  bool etc1_diff = false;                   // the base color has 5 bits a channel rather than 4
  std::uint8_t etc1_table = 0;              // 0..7
  std::uint8_t etc1_selector = 0;           // 0..3, darkest to brightest
  std::array<std::uint8_t, 3> etc1_base{};  // R, G, B, 0..31 or 0..15
  bool operator==(const UastcSolidHints&) const = default;
};

struct UastcBlock {
  std::uint8_t mode = kUastcSolidMode;
  std::uint8_t partition = 0;           // index into uastc_partitions(mode's list)
  std::uint8_t component_selector = 0;  // channel 0..3 of plane 1; 3 in mode 17; 0 with one plane
  Rgba8 solid_color{};                  // the solid mode only
  UastcSolidHints solid_hints;          // the solid mode only
  UastcHints hints;                     // the other modes
  // Quantized in the mode's range, low and high of each channel, subset after subset:
  // R0 R1 G0 G1 B0 B1 (A0 A1), or L0 L1 A0 A1.
  std::array<std::uint8_t, kUastcMaxEndpointValues> endpoints{};
  // Row by row; with two planes each texel has its weight in plane 0, then that in plane 1.
  std::array<std::uint8_t, kUastcMaxWeights> weights{};
  bool operator==(const UastcBlock&) const = default;
};

// The bits of a block. Any order of endpoints is taken: where an anchor's weight has its top bit set, the
// subset's (or plane's) endpoints are swapped and its weights mirrored in what is written, which decodes to the
// same texels.
// Requires every field in the range that it states for the mode.
UastcBytes pack_uastc(const UastcBlock& block);

// The logical block, or nothing for the two things that the format forbids: the reserved mode code and a
// partition number past the mode's list. Never reads outside block.
std::optional<UastcBlock> unpack_uastc(std::span<const std::uint8_t, kUastcBlockBytes> block);

// The same into a block that the caller keeps, for inner loops: true when valid. block is 16 bytes.
// Fields that the mode does not use keep what out held before.
bool unpack_uastc_into(const std::uint8_t* block, UastcBlock& out);

// The texels of a block. Requires a block that unpack_uastc returned or that pack_uastc would take.
BlockTexels decode_uastc(const UastcBlock& block, AstcDecode decode = AstcDecode::kLinear);
void decode_uastc(const UastcBlock& block, BlockTexels& texels, AstcDecode decode = AstcDecode::kLinear);

// The 8-bit endpoints of a subset, [low, high], with luminance spread over RGB and missing alpha 255.
std::array<Rgba8, 2> uastc_endpoints(const UastcBlock& block, unsigned subset);

// The partition of a block (kUastcWhole for one subset).
const UastcPartition& uastc_partition(const UastcBlock& block);

}  // namespace assetc::codec
