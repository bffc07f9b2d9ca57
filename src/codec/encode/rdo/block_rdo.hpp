// Trades quality for size before supercompression. Blocks are rewritten so that Zstd finds them, or their endpoints, or
// their weights, in earlier blocks. Internal to the encoder. uastc_rdo.hpp adds what UASTC alone needs.
//
// For each block in turn, there are these choices:
//   - it stays as it is;
//   - it becomes an earlier block;
//   - it takes the endpoints of an earlier block, and weights are fitted to them;
//   - it takes the weights of an earlier block, and endpoints are fitted to them.
//
// The choice has the least error + lambda * bits, where bits are those that ZstdCost expects. The error is that of the
// texels. It counts more if the block is smooth, because steps at its edges would be visible.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "codec/encode/common/encode_tiles.hpp"
#include "codec/encode/rdo/rdo_window.hpp"

namespace assetc::codec {

// Blocks of one format, or the halves of blocks that have two of them, e.g. the color of BC3. A block has a kind, which
// says whether and where it is split. All functions are thread-safe.
struct RdoFamily {
  // The texels as decode() returns them: channels that the family does not have are 0, and alpha 255.
  BlockTexels (*load)(const TexelView& image, std::size_t block);
  BlockTexels (*decode)(const RdoBytes& block);
  std::uint8_t (*kind)(const RdoBytes& block, const BlockTexels& decoded);
  unsigned (*tail_bit)(std::uint8_t kind);  // 0: not split
  // Whether the source can have a block of that kind, or one that reuses a part of it.
  bool (*allows)(const RdoTexels& source, std::uint8_t kind, RdoReuse reuse);
  RdoLine (*line)(const RdoBytes& block, const std::array<float, 4>& weights);
  // Replace the endpoints, or the weights, of a block that is split by the best for the source. fit_ends: false if none
  // leave the weights as they are.
  bool (*fit_ends)(RdoBytes& block, const RdoTexels& source);
  void (*fit_weights)(RdoBytes& block, const RdoTexels& source);
  std::array<float, 4> weights{};  // of the channels' squared errors
  unsigned channels = 0;           // RdoTexels::channels; 0: by opacity
};

// Calls rewrite(first, blocks) for each segment of rdo_segment_rows rows of an image, in parallel in the calling
// thread's oneTBB arena: its first block, and the blocks.
void for_each_rdo_segment(const TexelView& image, std::span<std::byte> blocks, std::size_t block_bytes,
                          const std::function<void(std::size_t first, std::span<std::byte> blocks)>& rewrite);

// Rewrites the blocks of an encoded image. Segments of rdo_segment_rows rows are processed independently. The bytes are
// the same for any number of threads and any instruction set. Blocks of one color do not change.
// families: one, whose blocks have block_bytes; or two, for the halves of each block.
// Requires options.rdo > 0, and block_bytes / families.size() of 8 or 16.
void apply_block_rdo(const TexelView& image, const EncodeOptions& options, std::span<const RdoFamily> families,
                     std::size_t block_bytes, std::span<std::byte> blocks);

}  // namespace assetc::codec
