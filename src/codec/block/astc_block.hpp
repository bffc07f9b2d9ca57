// ASTC blocks: writing 4x4 ones that UASTC can say, reading every two-dimensional shape of LDR.
// Source: Khronos Data Format Specification 1.3, 23 (ASTC).
#pragma once

#include <cstdint>
#include <span>

#include "assetc/codec/texel.hpp"
#include "codec/block/uastc_block.hpp"

namespace assetc::codec {

// Writes 16 bytes that decode to the same texels as the source, under either AstcDecode.
// A solid block becomes a void extent.
void pack_astc(const UastcBlock& source, std::uint8_t* out);

// What the specification has a decoder return for a block that breaks its rules.
inline constexpr Rgba8 kAstcErrorColor = {255, 0, 255, 255};

// The texels that a block of 16 bytes stands for: 4x4, 5x4, 5x5 ... 12x12.
struct AstcShape {
  unsigned width_texels = 4;
  unsigned height_texels = 4;
  constexpr unsigned texels() const { return width_texels * height_texels; }
};
inline constexpr unsigned kAstcMaxTexels = 12 * 12;

// The texels of any 16 bytes read as an ASTC LDR block, row by row. Illegal blocks are all kAstcErrorColor, and so are
// the texels of a subset with HDR endpoints. Requires a shape of the specification and texels.size() == shape.texels().
void decode_astc(const std::uint8_t* in, AstcShape shape, std::span<Rgba8> texels,
                 AstcDecode decode = AstcDecode::kLinear);

// The same for 4x4.
BlockTexels decode_astc4x4(const std::uint8_t* in, AstcDecode decode = AstcDecode::kLinear);

}  // namespace assetc::codec
