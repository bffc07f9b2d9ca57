// The common start of every encoder: checks of arguments, reading 4x4 blocks from rows of texels, the weights of a
// metric, and parallel tiles of blocks. Internal to the encoders.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "assetc/base/result.hpp"
#include "assetc/codec/texel.hpp"
#include "codec/encode/common/encode_options.hpp"
#include "codec/encode/common/texel_view.hpp"

namespace assetc::codec {

// The number of blocks that are searched together. It is large enough to fill the lanes after sorting by kind and
// difficulty, and small enough for a tile to stay in the second-level cache.
inline constexpr std::size_t kTileBlocks = 512;
// The weight of a channel that does not count. It breaks ties and avoids 0 / 0.
inline constexpr float kTieWeight = 1.0f / 1024;

// Checks that the view holds all its texels of texel_bytes each, and that blocks_bytes is block_bytes for every block.
// texel_name is the name of the texels in messages. Errors: kUsage.
Result<void> check_texels(const TexelView& texels, std::size_t texel_bytes, std::string_view texel_name,
                          std::size_t blocks_bytes, std::size_t block_bytes);

// The same for RGBA texels of 8 bits. Also checks that the options are in range.
Result<void> check_arguments(const TexelView& rgba, const EncodeOptions& options, std::size_t blocks_bytes,
                             std::size_t block_bytes);

// Loads the texels of block number index in row order. Beyond the right and bottom edges the last texel is repeated.
void load_block(const TexelView& rgba, std::size_t index, BlockTexels& block);

// The weights of the channels' squared errors for the metric and weights of options. Each is at least kTieWeight.
std::array<float, 4> channel_weights_of(const EncodeOptions& options);

// Calls encode(first, count) for runs of at most tile_blocks blocks that together cover block_count blocks. Runs in
// parallel in the calling thread's oneTBB arena.
void for_each_tile(std::size_t block_count, std::size_t tile_blocks,
                   const std::function<void(std::size_t first, std::size_t count)>& encode);

}  // namespace assetc::codec
