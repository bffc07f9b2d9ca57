// Trades quality for size before supercompression. Blocks are rewritten so that Zstd finds them, or their endpoints, or
// their weights, in earlier blocks. For the efforts `normal` and `best`; uastc_repeat.hpp is that of `fast`. Internal
// to the encoder.
//
// For each block in turn, there are these choices:
//   - it stays as it is;
//   - it becomes an earlier block;
//   - it takes the endpoints of an earlier block, and weights are fitted to them;
//   - it takes the weights of an earlier block, and endpoints are fitted to them.
//
// The choice has the least error + lambda * bits, where bits are those that ZstdCost expects. The error is that of the
// texels. It counts more if the block is smooth, because steps at its edges would be visible. A fraction of the
// additional losses of its transcodings to BC7, BC1 and ETC1 (and EAC) is added.
//
// The hints for these transcodings come with a block or a head that is reused. They are replaced by the encoder's, or
// by others that fit the texels, if that is worth the bits, and by more common ones if that saves bits.
#pragma once

#include <cstddef>
#include <span>

#include "codec/encode/common/encode_tiles.hpp"

namespace assetc::codec {

// Rewrites the blocks of an encoded image. Segments of rdo_segment_rows rows are processed independently, in parallel
// in the calling thread's oneTBB arena. The bytes are the same for any number of threads and any instruction set.
// Blocks of one color do not change. Opaque blocks stay opaque. Gray blocks with alpha may become colored.
// blocks: the output of encode_uastc for the image with the same options. Requires options.rdo > 0, and another
// effort than kFast.
void apply_uastc_rdo(const TexelView& image, const EncodeOptions& options, std::span<std::byte> blocks);

}  // namespace assetc::codec
