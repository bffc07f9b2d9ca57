// Encodes texels into ASTC blocks: 4x4 with our own search, and with Arm's libastcenc for other shapes and for 4x4
// blocks on which the search leaves a large error. For the compiler, not for engines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "assetc/base/result.hpp"
#include "codec/encode/common/encode_options.hpp"
#include "texture/mips.hpp"

namespace assetc::texture {

// Encodes 8-bit RGBA texels, rows tightly packed, as LDR blocks of block_width x block_height texels (a shape of the
// specification) in row order. Blocks that extend over an edge repeat the last texel.
// srgb: encode for the decoder's sRGB mode. blocks holds exactly 16 bytes for each block. Each block depends on its own
// texels alone. astcenc's part is single-threaded: call this for many strips at once. The same bytes on every thread.
// Errors: kUnsupported with astcenc's message.
Result<void> encode_astc(std::uint32_t block_width, std::uint32_t block_height, bool srgb,
                         std::span<const std::byte> rgba, Extent extent, const codec::EncodeOptions& options,
                         std::span<std::byte> blocks);

// The bytes that an encoding thread holds in addition to texels and blocks: astcenc's tables for blocks of that size.
std::uint64_t astc_context_bytes(std::uint32_t block_width, std::uint32_t block_height);

}  // namespace assetc::texture
