// ETC1S blocks to what GPUs read. Internal to the transcoder.
#pragma once

#include <array>
#include <cstdint>
#include <expected>

#include "assetc/base/result.hpp"
#include "codec/block/etc_block.hpp"

namespace assetc::codec {

// A block of one base color and one table.
struct Etc1sBlock {
  std::array<Rgb8, 4> palette{};  // darkest first
  TexelIndices levels{};          // of the palette, row by row

  // Green, which a slice of alpha holds.
  std::uint8_t alpha(unsigned texel) const { return palette[levels[texel]].g; }
};

// Reads 8 bytes. False where they are an ETC1 block that is not ETC1S.
bool unpack_etc1s(const std::uint8_t* in, Etc1sBlock& out);

// The texels of 8 bytes, or with alpha of 16: alpha, then color. False where unpack_etc1s is.
bool decode_etc1s(const std::uint8_t* in, bool has_alpha, BlockTexels& texels);

// What is said of a block that is not ETC1S.
std::unexpected<Error> refuse_etc1s(std::size_t index);

}  // namespace assetc::codec
