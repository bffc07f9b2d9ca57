// Encoding texels into ASTC blocks: 4x4 by our own search, where that leaves much and for other shapes by Arm's
// libastcenc. For the compiler, not for engines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "assetc/base/result.hpp"
#include "codec/encode/common/encode_options.hpp"
#include "texture/mips.hpp"

namespace assetc::texture {

// Encodes 8-bit RGBA texels, rows tightly packed, as LDR blocks of block_width x block_height texels (a shape of the
// specification) in row order; blocks that reach over an edge repeat the last texel. srgb: for the decoder's sRGB mode.
// blocks holds exactly 16 bytes a block; each depends on its own texels alone. astcenc's part is single-threaded: call
// it for many strips at once. The same bytes on every thread. Errors: kUnsupported with astcenc's own words.
Result<void> encode_astc(std::uint32_t block_width, std::uint32_t block_height, bool srgb,
                         std::span<const std::byte> rgba, Extent extent, const codec::EncodeOptions& options,
                         std::span<std::byte> blocks);

// What a thread that encodes holds beside its texels and blocks: astcenc's tables for a block of that size.
std::uint64_t astc_context_bytes(std::uint32_t block_width, std::uint32_t block_height);

}  // namespace assetc::texture
