// Block-compressed textures for engines: UASTC LDR 4x4 and ETC1S to what the GPU at hand reads, and any block format to
// texels.
//
// A level of a texture is ceil(width / 4) * ceil(height / 4) blocks, row by row. Pick a target that the device
// supports, size a buffer with transcoded_bytes, and call transcode_uastc for the level, or for any run of its rows of
// blocks on any thread:
//
//   std::vector<std::byte> bc7(*transcoded_bytes(BlockFormat::kBc7, level.size()));
//   if (auto ok = transcode_uastc(level, BlockFormat::kBc7, bc7); !ok) report(ok.error());
//
// Every function here is thread-safe: no state, no allocation, only the caller's memory. Results are the same bytes on
// every machine. Nothing reads or writes outside the spans it is given, whatever the bytes in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/codec/texel.hpp"

namespace assetc {

enum class BlockFormat : std::uint8_t {
  kUastc,       // UASTC LDR 4x4, 16 bytes a block
  kRgba8,       // 16 texels of 4 bytes, row by row inside the block, 64 bytes a block
  kBc1,         // RGB, 8 bytes; written opaque
  kBc3,         // RGBA, 16 bytes
  kBc4,         // one channel, 8 bytes
  kBc5,         // two channels, 16 bytes
  kBc7,         // RGBA, 16 bytes
  kAstc4x4,     // RGBA, 16 bytes; from UASTC without loss
  kEtc1,        // RGB, 8 bytes; also valid ETC2 RGB8
  kEtc2Rgba,    // RGBA, 16 bytes
  kEacR11,      // one channel, 8 bytes
  kEacRg11,     // two channels, 16 bytes
  kEtc1s,       // RGB, 8 bytes: ETC1 whose halves have one color and one table
  kEtc1sAlpha,  // 16 bytes: ETC1S whose green is alpha, then ETC1S
};

// "uastc", "bc7", "etc2_rgba" and so on.
std::string_view to_string(BlockFormat format);

// Bytes of one 4x4 block.
std::size_t block_bytes(BlockFormat format);

// Blocks of a level. width_texels and height_texels >= 1; no overflow for any 32-bit size.
constexpr std::uint64_t block_count(std::uint32_t width_texels, std::uint32_t height_texels) {
  return ((std::uint64_t{width_texels} + 3) / 4) * ((std::uint64_t{height_texels} + 3) / 4);
}

// Bytes that uastc_bytes bytes of UASTC become, or nothing if uastc_bytes is not a whole number of blocks or the
// result does not fit std::size_t.
std::optional<std::size_t> transcoded_bytes(BlockFormat target, std::size_t uastc_bytes);

// What the GPU will see for a UASTC block that is not one: opaque magenta, in every target.
inline constexpr Rgba8 kInvalidBlockColor = {255, 0, 255, 255};

enum class InvalidBlocks : std::uint8_t {
  kRefuse,   // stop with an error that names the first
  kMagenta,  // write kInvalidBlockColor and go on
};

struct TranscodeOptions {
  InvalidBlocks invalid = InvalidBlocks::kRefuse;
  // The channels, 0 to 3, that kBc4 and kEacR11 (the first), kBc5 and kEacRg11 (both) are made from.
  std::uint8_t first_channel = 0;
  std::uint8_t second_channel = 1;
};

// Transcodes a run of UASTC blocks in order.
// Chain: the bytes of a KTX2 level (after supercompression) in, the bytes of a level of the target out.
// Returns an error with place "block N" for an invalid block under InvalidBlocks::kRefuse (what was written before it
// stays written); kUsage for sizes that do not match, a channel past 3 or target kUastc. The input is not changed.
// - blocks.size() is a multiple of 16; any alignment.
// - out.size() == *transcoded_bytes(target, blocks.size()); any alignment; must not overlap blocks.
// Source: UASTC LDR 4x4 texture specification; Khronos Data Format Specification 1.3 for the targets.
Result<void> transcode_uastc(ByteSpan blocks, BlockFormat target, std::span<std::byte> out,
                             const TranscodeOptions& options = {});

// The same of ETC1S, as BasisLzDecoder of codec/basis_lz.hpp gives it.
// kEtc1 is a copy of the color, as is the color of kEtc2Rgba; all other targets are made from the texels of a block. A
// block that is not ETC1S is an invalid one, and magenta is (253, 0, 253) in ETC1.
// - source: kEtc1s or kEtc1sAlpha; target: neither, nor kUastc
// - blocks.size() is a multiple of block_bytes(source); any alignment
// - out.size() == blocks.size() / block_bytes(source) * block_bytes(target); must not overlap blocks
Result<void> transcode_etc1s(ByteSpan blocks, BlockFormat source, BlockFormat target, std::span<std::byte> out,
                             const TranscodeOptions& options = {});

// How ASTC and UASTC endpoints are widened before interpolation. GPUs decode sRGB textures with kSrgb, linear ones
// with kLinear; the difference is at most one step. Basis Universal's software decoder always uses kLinear.
enum class AstcDecode : std::uint8_t { kLinear, kSrgb };

// Decodes a level of any BlockFormat to texels, cut to its size, row by row.
// Returns an error as transcode_uastc does: an invalid UASTC or ETC1S block under kRefuse is an error; illegal ASTC
// blocks are kInvalidBlockColor (as that specification says) and reserved BC7 blocks transparent black, always. kBc4
// and kEacR11 give (r, 0, 0, 255), kBc5 and kEacRg11 (r, g, 0, 255), rounded to the nearest.
// - blocks.size() == block_count(width_texels, height_texels) * block_bytes(source)
// - texels.size() == width_texels * height_texels; both sizes >= 1
Result<void> decode_blocks(ByteSpan blocks, BlockFormat source, std::uint32_t width_texels, std::uint32_t height_texels,
                           std::span<Rgba8> texels, InvalidBlocks invalid = InvalidBlocks::kRefuse,
                           AstcDecode decode = AstcDecode::kLinear);

}  // namespace assetc
