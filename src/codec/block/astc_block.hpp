// ASTC blocks: writes the 4x4 blocks that UASTC can express, reads every two-dimensional LDR block size.
// Source: Khronos Data Format Specification 1.3, 23 (ASTC).
#pragma once

#include <cstdint>
#include <span>

#include "assetc/codec/texel.hpp"
#include "codec/block/uastc_block.hpp"

namespace assetc::codec {

// Writes 16 bytes that decode to the same texels as the source in either AstcDecode mode.
// A solid block becomes a void extent.
void pack_astc(const UastcBlock& source, std::uint8_t* out);

// Writes a void extent that decodes to this color.
void pack_astc_solid(Rgba8 color, std::uint8_t* out);

// Widths of the fields that every block begins with: the block mode, the subset count minus one, then either one
// endpoint mode, or the partition seed and the endpoint mode that all subsets share.
inline constexpr unsigned kAstcBlockModeBits = 11;
inline constexpr unsigned kAstcSubsetBits = 2;
inline constexpr unsigned kAstcEndpointModeBits = 4;
inline constexpr unsigned kAstcSeedBits = 10;
inline constexpr unsigned kAstcSharedModeBits = 6;
inline constexpr unsigned kAstcSelectorBits = 2;

// The color that the specification requires for the texels of an illegal block.
inline constexpr Rgba8 kAstcErrorColor = {255, 0, 255, 255};

// The size of a block of 16 bytes: 4x4, 5x4, 5x5 ... 12x12 texels.
struct AstcShape {
  unsigned width_texels = 4;
  unsigned height_texels = 4;
  constexpr unsigned texels() const { return width_texels * height_texels; }
};
inline constexpr unsigned kAstcMaxTexels = 12 * 12;

// Decodes any 16 bytes as an ASTC LDR block, row by row. All texels of an illegal block, and the texels of a subset
// with HDR endpoints, are kAstcErrorColor. Requires a block size of the specification and
// texels.size() == shape.texels().
void decode_astc(const std::uint8_t* in, AstcShape shape, std::span<Rgba8> texels,
                 AstcDecode decode = AstcDecode::kLinear);

// The same for 4x4.
BlockTexels decode_astc4x4(const std::uint8_t* in, AstcDecode decode = AstcDecode::kLinear);

}  // namespace assetc::codec
