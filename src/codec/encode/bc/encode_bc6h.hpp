// Encodes half floats into unsigned BC6H blocks. For the compiler, not for engines.
#pragma once

#include <cstddef>
#include <span>

#include "assetc/base/result.hpp"
#include "codec/encode/common/encode_options.hpp"
#include "codec/encode/common/texel_view.hpp"

namespace assetc::codec {

// Encodes texels of four half floats as BC6H_UFLOAT blocks of 16 bytes in row order. Alpha is not read: BC6H has none.
// Negative values and NaN become 0, infinities become 65504, the largest half. Blocks that reach over the right or
// bottom edge repeat the last texel.
// Minimizes the squared difference of the bits of the half floats. These grow with the logarithm of the light, so an
// error counts relative to the brightness. Blocks of one color are exact.
// blocks must hold exactly 16 * texels.block_count() bytes.
// Runs in parallel in the calling thread's oneTBB arena. The bytes are the same for any number of threads and any
// instruction set. A block depends only on its own texels.
// Errors: kUsage for an empty or too large image, a stride below 8 * width, or a span of another size.
Result<void> encode_bc6h(const TexelView& texels, Effort effort, std::span<std::byte> blocks);

}  // namespace assetc::codec
