// Encoding texels into UASTC blocks. For the compiler, not for engines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "assetc/base/result.hpp"
#include "codec/encode/common/encode_options.hpp"
#include "codec/encode/common/texel_view.hpp"

namespace assetc::codec {

// Encodes 8-bit RGBA texels as UASTC LDR 4x4 blocks in row order. Blocks that reach over the right or bottom edge
// repeat the last texel. blocks must hold exactly 16 * texels.block_count() bytes.
// Runs in parallel in the calling thread's oneTBB arena. The same bytes for any number of threads and
// any instruction set. With options.rdo a block depends on those before it in its segment of rdo_segment_rows rows
// of texels; otherwise on its own texels alone.
// Errors: kUsage for an empty or too large image, a stride below 4 * width, spans of another size or
// a weight or options.rdo out of range.
Result<void> encode_uastc(const TexelView& texels, const EncodeOptions& options, std::span<std::byte> blocks);

// Encodes them as ASTC LDR 4x4 blocks by the same search, options.rdo aside: UASTC's modes are some of ASTC's. srgb:
// for the decoder's sRGB mode. errors[i], of as many as there are blocks, is what block i is off by: the squared error
// of all its texels and channels by options.
Result<void> encode_astc_4x4(const TexelView& texels, const EncodeOptions& options, bool srgb,
                             std::span<std::byte> blocks, std::span<float> errors);

// Rows of texels, a multiple of 4, that options.rdo works on together in an image of that width: an image that is cut
// between such segments gives the same blocks. width in [1, kMaxEncodeExtent].
std::uint32_t rdo_segment_rows(std::uint32_t width);

}  // namespace assetc::codec
