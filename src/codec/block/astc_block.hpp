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
