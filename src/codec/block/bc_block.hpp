// BC1 to BC5 blocks: encodes 16 texels or one channel of them, and decodes blocks.
// Source: Khronos Data Format Specification 1.3, 18 (S3TC) and 19 (RGTC).
#pragma once

#include <array>
#include <cstdint>

#include "assetc/codec/texel.hpp"
#include "codec/block/index_bits.hpp"

namespace assetc::codec {

// The position of each texel between the first endpoint and the second, in thirds: 0..3.
using Bc1Levels = TexelIndices;

// Each of these functions writes 8 bytes, always in the mode of four opaque colors (or of eight values). So a BC1 block
// is also the color half of a BC3 block.

// Takes endpoints along the principal axis and refines them once by least squares.
void encode_bc1(const BlockTexels& texels, std::uint8_t* out);
// Finds the endpoints that fit the given levels best by least squares, then gives every texel its nearest level.
void encode_bc1_levels(const BlockTexels& texels, const Bc1Levels& levels, std::uint8_t* out);
// Rounds a color to 5:6:5.
std::uint16_t bc1_color(Rgba8 color);
// Writes the given levels unchanged, and the given endpoints rounded to 5:6:5.
void encode_bc1_direct(Rgba8 first, Rgba8 second, const Bc1Levels& levels, std::uint8_t* out);
// The same for two 5:6:5 colors, and levels that are packed with 2 bits each, texel 0 lowest.
void store_bc1_levels(std::uint8_t* out, unsigned first, unsigned second, std::uint32_t packed_levels);
// Writes the nearest approximation of one color that BC1 can represent.
void encode_bc1_solid(Rgba8 color, std::uint8_t* out);

// Encodes one channel, 0..3, of the texels. The endpoints are its extremes, and every texel takes the nearest of eight
// values.
void encode_bc4(const BlockTexels& texels, unsigned channel, std::uint8_t* out);
void encode_bc4_solid(std::uint8_t value, std::uint8_t* out);

// Any bytes decode. BC1's punch-through texels decode to transparent black. Channels that BC4 or BC5 does not have
// decode to 0, alpha to 255. Values between the endpoints of BC4 are fractions; the decoders return the nearest
// integer.
BlockTexels decode_bc1(const std::uint8_t* in);
BlockTexels decode_bc3(const std::uint8_t* in);
BlockTexels decode_bc4(const std::uint8_t* in);  // R
BlockTexels decode_bc5(const std::uint8_t* in);  // R, G
ChannelValues16 decode_bc4_16(const std::uint8_t* in);

}  // namespace assetc::codec
