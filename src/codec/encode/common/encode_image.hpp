// What every block encoder starts from: checked arguments, 4x4 blocks read from rows of texels, the weights of a
// metric, and tiles of blocks in parallel. Internal to the encoders.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "assetc/base/result.hpp"
#include "assetc/codec/texel.hpp"
#include "codec/encode/common/encode.hpp"

namespace assetc::codec {

// Blocks searched together: enough that sorting them by kind and difficulty fills the lanes, few enough
// that a tile stays in the second-level cache.
inline constexpr std::size_t kTileBlocks = 512;
// A channel that does not count still breaks ties, and keeps the arithmetic away from 0 / 0.
inline constexpr float kTieWeight = 1.0f / 1024;

// 8-bit RGBA rows, stride_bytes apart; width and height in texels.
struct EncodeImage {
  const std::uint8_t* texels;
  std::uint32_t width, height;
  std::size_t stride_bytes;

  std::uint32_t blocks_across() const { return (width + 3) / 4; }
  std::size_t block_count() const { return std::size_t{blocks_across()} * ((height + 3) / 4); }
};

// The image of arguments that fit one another: the errors of encode_uastc and its siblings, all kUsage.
// blocks_bytes must be block_bytes for every block.
Result<EncodeImage> check_encode_image(std::span<const std::byte> rgba, std::uint32_t width, std::uint32_t height,
                                       std::size_t stride_bytes, const EncodeOptions& options, std::size_t blocks_bytes,
                                       std::size_t block_bytes);

// The texels of block number index in row order; beyond the right and bottom edges the last texel repeats.
void load_block(const EncodeImage& image, std::size_t index, BlockTexels& block);

// What a channel's squared error counts under the metric and weights of options; at least kTieWeight each.
std::array<float, 4> channel_weights_of(const EncodeOptions& options);

// Calls encode(first, count) for runs of at most tile_blocks blocks that together make up block_count, in parallel in
// the calling thread's oneTBB arena.
void for_each_tile(std::size_t block_count, std::size_t tile_blocks,
                   const std::function<void(std::size_t first, std::size_t count)>& encode);

}  // namespace assetc::codec
