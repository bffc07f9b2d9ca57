// Texels into the blocks of any format that the compiler writes.
#pragma once

#include "codec/encode/common/encode_options.hpp"
#include "texture/storage.hpp"

namespace assetc::texture {

// Whether encode_blocks wants texels of two numbers of 16 bits, R and G, for the format keeps more than 8 of them.
bool takes_rg16(TexelFormat format);

// Encodes texels of 4 bytes (8-bit RGBA, but for takes_rg16), width x height, rows tightly packed, as blocks in row
// order; blocks that reach over an edge repeat the last texel. Requires a block format that plan_storage gives, and
// blocks of exactly image_bytes. is_srgb: the decoder's mode, by which ASTC rounds. Runs in parallel in the calling
// thread's oneTBB arena. The same bytes for any number of threads and instruction set.
Result<void> encode_blocks(TexelFormat format, bool is_srgb, std::span<const std::byte> texels, Extent extent,
                           const codec::EncodeOptions& options, std::span<std::byte> blocks);

// What encoders hold beside texels and blocks while that many calls run at once, at most one a thread of the machine.
std::uint64_t encoder_bytes(TexelFormat format, std::uint64_t calls);

}  // namespace assetc::texture
