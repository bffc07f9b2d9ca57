// Encodes texels directly into ETC2 and EAC blocks, for textures that are not transcoded. For the compiler, not for
// engines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "assetc/base/result.hpp"
#include "codec/encode/common/encode_options.hpp"
#include "codec/encode/common/texel_view.hpp"

namespace assetc::codec {

enum class EtcFormat : std::uint8_t {
  kEtc2Rgb,   // RGB; alpha is not read
  kEtc2Rgba,  // RGBA: EAC alpha, then color
  kEacR11,    // R, with 11 bits
  kEacRg11,   // R and G, with 11 bits each
};

// Bytes of a 4x4 block: 8 for kEtc2Rgb and kEacR11, 16 for the others.
std::size_t etc_block_bytes(EtcFormat format);

// Encodes texels of 4 bytes into blocks in row order. EAC formats read R and G of 16 bits each, the others RGBA of 8
// bits each. Blocks that reach over the right or bottom edge repeat the last texel.
// blocks must hold exactly etc_block_bytes(format) * texels.block_count() bytes.
// Metric and weights apply to R, G and B of the color formats.
// Runs in parallel in the calling thread's oneTBB arena. The bytes are the same for any number of threads and any
// instruction set. Errors: as encode_uastc. Source: Khronos Data Format Specification 1.3, 22 (ETC2).
Result<void> encode_etc(EtcFormat format, const TexelView& texels, const EncodeOptions& options,
                        std::span<std::byte> blocks);

}  // namespace assetc::codec
