// What every encoder starts from: checked arguments, 4x4 blocks read from rows of texels, the weights of a
// metric, and tiles of blocks in parallel. Internal to the encoders.
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

// Blocks searched together: enough that sorting them by kind and difficulty fills the lanes, few enough
// that a tile stays in the second-level cache.
inline constexpr std::size_t kTileBlocks = 512;
// A channel that does not count still breaks ties, and keeps the arithmetic away from 0 / 0.
inline constexpr float kTieWeight = 1.0f / 1024;

// Whether texels of that size (texel_name: what a message calls them) fill the view, and blocks_bytes is block_bytes
// for every block. Errors: kUsage.
Result<void> check_texels(const TexelView& texels, std::size_t texel_bytes, std::string_view texel_name,
                          std::size_t blocks_bytes, std::size_t block_bytes);

// The same for RGBA texels of 8 bits, and whether the options are in range.
Result<void> check_arguments(const TexelView& rgba, const EncodeOptions& options, std::size_t blocks_bytes,
                             std::size_t block_bytes);

// The texels of block number index in row order; beyond the right and bottom edges the last texel repeats.
void load_block(const TexelView& rgba, std::size_t index, BlockTexels& block);

// What a channel's squared error counts under the metric and weights of options; at least kTieWeight each.
std::array<float, 4> channel_weights_of(const EncodeOptions& options);

// Calls encode(first, count) for runs of at most tile_blocks blocks that together make up block_count, in parallel in
// the calling thread's oneTBB arena.
void for_each_tile(std::size_t block_count, std::size_t tile_blocks,
                   const std::function<void(std::size_t first, std::size_t count)>& encode);

}  // namespace assetc::codec
