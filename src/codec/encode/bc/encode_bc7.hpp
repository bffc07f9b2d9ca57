// A run of an image's blocks as BC7. Internal to encode_bc.
#pragma once

#include <cstddef>

#include "codec/encode/common/encode_tiles.hpp"

namespace assetc::codec {

// Blocks searched together: blocks of one shape fill the lanes, and there are 64 partitions to a mode.
inline constexpr std::size_t kBc7TileBlocks = 8192;

// Encodes blocks first to first + count of image to out + 16 * first. count <= kBc7TileBlocks.
void encode_bc7_tile(const TexelView& image, std::size_t first, std::size_t count, const EncodeOptions& options,
                     std::byte* out);

}  // namespace assetc::codec
