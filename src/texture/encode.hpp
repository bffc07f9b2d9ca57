// Encodes texels into blocks of any format that the compiler writes.
#pragma once

#include "codec/encode/common/encode_options.hpp"
#include "texture/storage.hpp"

namespace assetc::texture {

// Whether encode_blocks takes texels of two 16-bit numbers, R and G, because the format keeps more than 8 bits.
bool takes_rg16(TexelFormat format);

// Encodes texels of 4 bytes (8-bit RGBA, or see takes_rg16), width x height, rows tightly packed, into blocks in row
// order. Blocks that extend over an edge repeat the last texel. Requires a block format that plan_storage gives, and a
// blocks span of exactly image_bytes.
// is_srgb: the decoder's mode, which decides how ASTC rounds. Runs in parallel in the calling thread's oneTBB arena.
// The same bytes for any number of threads and any instruction set.
Result<void> encode_blocks(TexelFormat format, bool is_srgb, std::span<const std::byte> texels, Extent extent,
                           const codec::EncodeOptions& options, std::span<std::byte> blocks);

// The bytes that encoders hold in addition to texels and blocks, if that many calls run at once, at most one for each
// thread of the machine.
std::uint64_t encoder_bytes(TexelFormat format, std::uint64_t calls);

}  // namespace assetc::texture
