// BC1 to BC5 blocks: encoding 16 texels or one channel of them, and decoding.
// Source: Khronos Data Format Specification 1.3, 18 (S3TC) and 19 (RGTC).
#pragma once

#include <array>
#include <cstdint>

#include "assetc/codec/texel.hpp"
#include "codec/block/index_bits.hpp"

namespace assetc::codec {

// How far each texel is from the first endpoint to the second, in thirds: 0..3.
using Bc1Levels = TexelIndices;

// All of these write 8 bytes and always in the mode of four opaque colors (or of eight values), so that a BC1 block
// is also the color half of a BC3 block.

// Endpoints along the principal axis, refined once by least squares.
void encode_bc1(const BlockTexels& texels, std::uint8_t* out);
// Endpoints that suit given levels best by least squares; then every texel takes its nearest level.
void encode_bc1_levels(const BlockTexels& texels, const Bc1Levels& levels, std::uint8_t* out);
// A color rounded to 5:6:5.
std::uint16_t bc1_color(Rgba8 color);
// The given endpoints (rounded to 5:6:5) and levels as they are.
void encode_bc1_direct(Rgba8 first, Rgba8 second, const Bc1Levels& levels, std::uint8_t* out);
// The nearest thing to one color that BC1 can say.
void encode_bc1_solid(Rgba8 color, std::uint8_t* out);

// One channel, 0..3, of the texels: its extremes as endpoints, every texel at its nearest of eight values.
void encode_bc4(const BlockTexels& texels, unsigned channel, std::uint8_t* out);
void encode_bc4_solid(std::uint8_t value, std::uint8_t* out);

// Any bytes decode. BC1's punch-through texels are transparent black; BC4's third and fourth channels are 0 and 255.
// What BC4 has between its ends is a fraction, of which the nearest whole number is given.
BlockTexels decode_bc1(const std::uint8_t* in);
BlockTexels decode_bc3(const std::uint8_t* in);
BlockTexels decode_bc4(const std::uint8_t* in);  // R
BlockTexels decode_bc5(const std::uint8_t* in);  // R, G
ChannelValues16 decode_bc4_16(const std::uint8_t* in);

}  // namespace assetc::codec
