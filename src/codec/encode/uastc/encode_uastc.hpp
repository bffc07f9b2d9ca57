// Encodes texels into UASTC blocks. For the compiler, not for engines.
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
// Runs in parallel in the calling thread's oneTBB arena. The bytes are the same for any number of threads and any
// instruction set. With options.rdo, a block depends on the blocks before it in its segment of rdo_segment_rows rows of
// texels. Otherwise it depends only on its own texels.
// Errors: kUsage for an empty or too large image, a stride below 4 * width, spans of another size, or a weight or
// options.rdo out of range.
Result<void> encode_uastc(const TexelView& texels, const EncodeOptions& options, std::span<std::byte> blocks);

// Encodes the texels as ASTC LDR 4x4 blocks by the same search, without options.rdo: UASTC's modes are a subset of
// ASTC's. srgb: for the decoder's sRGB mode. errors must have one element for each block. errors[i] becomes the squared
// error of block i over all its texels and channels, weighted by options.
Result<void> encode_astc_4x4(const TexelView& texels, const EncodeOptions& options, bool srgb,
                             std::span<std::byte> blocks, std::span<float> errors);

}  // namespace assetc::codec
