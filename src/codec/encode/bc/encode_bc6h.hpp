// Encoding half floats into unsigned BC6H blocks. For the compiler, not for engines.
#pragma once

#include <cstddef>
#include <span>

#include "assetc/base/result.hpp"
#include "codec/encode/common/encode_options.hpp"
#include "codec/encode/common/texel_view.hpp"

namespace assetc::codec {

// Encodes texels of four half floats as BC6H_UFLOAT blocks of 16 bytes in row order. Alpha is not read: BC6H has none.
// Negative values and what is no number become 0, infinities 65504, the largest half. Blocks that reach over the right
// or bottom edge repeat the last texel. Minimizes the squared difference of the halves' bits, which grow with the
// logarithm of the light: an error counts by its ratio, in the dark as in the sun. Blocks of one color are exact.
// blocks must hold exactly 16 * texels.block_count() bytes.
// Runs in parallel in the calling thread's oneTBB arena. The same bytes for any number of threads and any instruction
// set; a block depends on its own texels alone.
// Errors: kUsage for an empty or too large image, a stride below 8 * width, or a span of another size.
Result<void> encode_bc6h(const TexelView& texels, Effort effort, std::span<std::byte> blocks);

}  // namespace assetc::codec
