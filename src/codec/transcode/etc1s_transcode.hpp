// Converts ETC1S blocks to GPU formats. Internal to the transcoder.
#pragma once

#include <array>
#include <cstdint>
#include <expected>

#include "assetc/base/result.hpp"
#include "codec/block/etc_block.hpp"

namespace assetc::codec {

// A block with one base color and one table.
struct Etc1sBlock {
  std::array<Rgb8, 4> palette{};  // darkest first
  TexelIndices levels{};          // indices into palette, row by row

  // The alpha of a texel. A slice of alpha stores it as green.
  std::uint8_t alpha(unsigned texel) const { return palette[levels[texel]].g; }
};

// Reads 8 bytes. False if they are an ETC1 block that is not ETC1S.
bool unpack_etc1s(const std::uint8_t* in, Etc1sBlock& out);

// Decodes 8 bytes or, with alpha, 16 bytes: alpha, then color. False if unpack_etc1s is false.
bool decode_etc1s(const std::uint8_t* in, bool has_alpha, BlockTexels& texels);

// The error for a block that is not ETC1S.
std::unexpected<Error> refuse_etc1s(std::size_t index);

}  // namespace assetc::codec
