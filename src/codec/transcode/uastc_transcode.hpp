// Converts one UASTC block to one block of a GPU format.
#pragma once

#include <cstdint>

#include "assetc/codec/texel.hpp"
#include "codec/block/bc7_block.hpp"
#include "codec/block/bc_block.hpp"
#include "codec/block/etc_block.hpp"
#include "codec/block/uastc_block.hpp"

namespace assetc::codec {

// A format, and the source channels of kBc4, kBc5, kEacR11 and kEacRg11.
struct UastcTarget {
  BlockFormat format = BlockFormat::kRgba8;
  unsigned first_channel = 0;
  unsigned second_channel = 1;
};

// Writes one block of any target that transcode_uastc() accepts, through the functions below. It defines the bytes;
// uastc_batch.hpp has the fast functions, which must give the same bytes.
void uastc_to_target(const UastcBlock& block, const UastcTarget& target, std::uint8_t* out);

// Writes 16 bytes of BC7, from the endpoints and weights of the block. Its texels are not needed.
void uastc_to_bc7(const UastcBlock& block, std::uint8_t* out);

// Writes 8 bytes of BC1 in the four-color mode. The hints of the block select its endpoints and weights unchanged, its
// weights with endpoints fitted to the texels, or a fresh encoding. texels is decode_uastc(block).
void uastc_to_bc1(const UastcBlock& block, const BlockTexels& texels, std::uint8_t* out);
// The BC1 levels of the weights of the block's first plane.
Bc1Levels bc1_levels(const UastcBlock& block);

// Writes 8 bytes of ETC1 from the texels and the hints.
void uastc_to_etc1(const UastcBlock& block, const BlockTexels& texels, std::uint8_t* out);
// Writes 8 bytes of EAC from the alpha of the texels and the hints.
void uastc_to_eac_alpha(const UastcBlock& block, const BlockTexels& texels, EacKind kind, std::uint8_t* out);

}  // namespace assetc::codec
