// One UASTC block to one block of what a GPU reads.
#pragma once

#include <cstdint>

#include "assetc/codec/texel.hpp"
#include "codec/block/bc7_block.hpp"
#include "codec/block/bc_block.hpp"
#include "codec/block/etc_block.hpp"
#include "codec/block/uastc_block.hpp"

namespace assetc::codec {

// 16 bytes of BC7 from the block's own endpoints and weights; its texels are not needed.
void uastc_to_bc7(const UastcBlock& block, std::uint8_t* out);

// 8 bytes of BC1 in the four-color mode, as the block's hints say: its endpoints and weights as they are, its
// weights with endpoints fitted to the texels, or a fresh encoding. texels is decode_uastc(block).
void uastc_to_bc1(const UastcBlock& block, const BlockTexels& texels, std::uint8_t* out);
// True when uastc_to_bc1 will not look at the texels.
bool bc1_needs_no_texels(const UastcBlock& block);
// The levels that the weights of its first plane stand for.
Bc1Levels bc1_levels(const UastcBlock& block);

// 8 bytes of ETC1 from the texels and the hints.
void uastc_to_etc1(const UastcBlock& block, const BlockTexels& texels, std::uint8_t* out);
// 8 bytes of EAC from the texels' alpha and the hints.
void uastc_to_eac_alpha(const UastcBlock& block, const BlockTexels& texels, EacKind kind, std::uint8_t* out);

}  // namespace assetc::codec
