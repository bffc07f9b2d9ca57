// Trading quality for size before supercompression: blocks are rewritten so that Zstd finds them, or their endpoints,
// or their weights, among the blocks before. Internal to the encoder.
//
// Each block in turn may stay, become a block seen before, take the endpoints of one and fit weights to them, or take
// the weights of one and fit endpoints. What is chosen has the least of error + lambda * bits, bits as ZstdCost expects
// them. Error is that of the texels, more where the block is smooth and a step at its edge would show, and a fraction
// of what its transcodings to BC7, BC1 and ETC1 (and EAC) lose beyond what they lose already. The hints that those need
// come with a block or a head that is reused; they are replaced by the encoder's, or by others that suit the texels,
// where that is worth the bits, and by commoner ones where it saves some.
#pragma once

#include <cstddef>
#include <span>

#include "codec/encode/common/encode_tiles.hpp"

namespace assetc::codec {

// Rewrites the blocks of an encoded image. Segments of rdo_segment_rows rows are worked on in parallel in the calling
// thread's oneTBB arena, each for itself. The same bytes for any number of threads and any instruction set.
// Blocks of one color keep it. Opaque blocks stay opaque, gray ones with alpha may not.
// blocks: what encode_uastc wrote for the image under the same options; options.rdo > 0.
void apply_uastc_rdo(const TexelView& image, const EncodeOptions& options, std::span<std::byte> blocks);

}  // namespace assetc::codec
