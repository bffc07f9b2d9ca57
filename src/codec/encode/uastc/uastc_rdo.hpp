// Trades quality of UASTC for size before supercompression, with the choices of rdo/block_rdo.hpp. For the efforts
// `normal` and `best`; uastc_repeat.hpp is that of `fast`. Internal to the encoder.
//
// A fraction of the additional losses of the transcodings to BC7, BC1 and ETC1 (and EAC) is added to the error.
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
