// Finds blocks that may repeat an earlier block, before any block is searched: the rate-distortion optimization of the
// effort `fast`. Zstd stores a repeated block in a few bits, and the encoder need not search it. Internal to the
// encoder.
//
// Texels of the source are compared. The error of encoding the earlier block is about the same for both blocks, so it
// does not matter to the choice. A block is repeated if lambda * the bits that this saves is more than the squared
// error between the two.
#pragma once

#include <cstdint>
#include <span>

#include "codec/encode/common/encode_options.hpp"
#include "codec/encode/common/texel_view.hpp"

namespace assetc::codec {

// Sets from[i] to the number of the block that block i of the image repeats, or to i if block i has to be encoded. A
// block that is repeated is encoded: from[from[i]] = from[i] <= i. Segments of rdo_segment_rows rows are processed
// independently, in parallel in the calling thread's oneTBB arena. The result is the same for any number of threads and
// any instruction set.
// Blocks of one color repeat only equal blocks. Opaque blocks repeat only opaque blocks, and others only others.
// Requires options.rdo > 0, and from.size() = image.block_count().
void find_repeats(const TexelView& image, const EncodeOptions& options, std::span<std::uint32_t> from);

}  // namespace assetc::codec
