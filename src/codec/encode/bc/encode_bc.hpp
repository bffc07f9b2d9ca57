// Encodes texels directly into BC1, BC3, BC4, BC5 or BC7 blocks, for textures that are not transcoded. For the
// compiler, not for engines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "assetc/base/result.hpp"
#include "codec/encode/common/encode_options.hpp"
#include "codec/encode/common/texel_view.hpp"

namespace assetc::codec {

enum class BcFormat : std::uint8_t {
  kBc1,  // RGB; alpha is not read, and every texel decodes opaque
  kBc3,  // RGBA
  kBc4,  // R with 16 bits: decoders interpolate between the endpoints more finely than 8 bits
  kBc5,  // R and G, with 16 bits each
  kBc7,  // RGBA
};

// Bytes of a 4x4 block: 8 for BC1 and BC4, 16 for the others.
std::size_t bc_block_bytes(BcFormat format);

// Encodes texels of 4 bytes into blocks in row order. BC4 and BC5 read R and G of 16 bits each, the other formats RGBA
// of 8 bits each. Blocks that reach over the right or bottom edge repeat the last texel.
// blocks must hold exactly bc_block_bytes(format) * texels.block_count() bytes.
// Metric and weights apply to the channels that the format has.
// Runs in parallel in the calling thread's oneTBB arena. The bytes are the same for any number of threads and any
// instruction set.
// Errors: as encode_uastc.
// Source: Khronos Data Format Specification 1.3, 18 (S3TC), 19 (RGTC), 20 (BPTC).
Result<void> encode_bc(BcFormat format, const TexelView& texels, const EncodeOptions& options,
                       std::span<std::byte> blocks);

}  // namespace assetc::codec
