// Encodes a run of an image's blocks as BC7. Internal to encode_bc.
#pragma once

#include <cstddef>

#include "codec/encode/common/encode_tiles.hpp"

namespace assetc::codec {

// The number of blocks that are searched together. Blocks of one shape fill the lanes, and a mode has up to 64
// partitions.
inline constexpr std::size_t kBc7TileBlocks = 8192;

// Encodes the blocks first to first + count of image to out + 16 * first. count <= kBc7TileBlocks.
void encode_bc7_tile(const TexelView& image, std::size_t first, std::size_t count, const EncodeOptions& options,
                     std::byte* out);

}  // namespace assetc::codec
