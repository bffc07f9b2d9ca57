// ASTC 4x4 blocks: writing what UASTC can say, reading everything LDR.
// Source: Khronos Data Format Specification 1.3, 23 (ASTC).
#pragma once

#include <cstdint>

#include "assetc/codec/texel.hpp"
#include "codec/uastc_block.hpp"

namespace assetc::codec {

// Writes 16 bytes that decode to the same texels as the block, under either AstcDecode.
// A solid block becomes a void extent.
void pack_astc(const UastcBlock& block, std::uint8_t* out);

// What the specification has a decoder return for a block that breaks its rules.
inline constexpr Rgba8 kAstcErrorColor = {255, 0, 255, 255};

// The texels of any 16 bytes read as an ASTC 4x4 LDR block. Illegal blocks are all kAstcErrorColor, and so
// are the texels of a subset with HDR endpoints.
BlockTexels decode_astc4x4(const std::uint8_t* in, AstcDecode decode = AstcDecode::kLinear);

}  // namespace assetc::codec
