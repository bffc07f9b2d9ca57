// Transcodes UASTC LDR 4x4 and ETC1S textures to the block format of a GPU, and decodes any block format to texels.
//
// A level of a texture is ceil(width / 4) * ceil(height / 4) blocks, row by row. To transcode it:
//
// 1. Choose a target format that the device supports.
// 2. Allocate a buffer of transcoded_bytes() bytes.
// 3. Call transcode_uastc() for the level. Several threads may each do some of its rows of blocks.
//
//   std::vector<std::byte> bc7(*transcoded_bytes(BlockFormat::kBc7, level.size()));
//   if (auto ok = transcode_uastc(level, BlockFormat::kBc7, bc7); !ok) report(ok.error());
//
// No function reads or writes outside the given spans, for any content of them. Results are the same bytes on every
// machine.
// Thread safety: all functions. They have no state, do not allocate, and use only the caller's memory and at most 20
// KiB of stack.
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
  kRgba8,       // 16 texels of 4 bytes, row by row, 64 bytes a block
  kBc1,         // RGB, 8 bytes; written opaque
  kBc3,         // RGBA, 16 bytes
  kBc4,         // one channel, 8 bytes
  kBc5,         // two channels, 16 bytes
  kBc7,         // RGBA, 16 bytes
  kAstc4x4,     // RGBA, 16 bytes; lossless from UASTC
  kEtc1,        // RGB, 8 bytes; also valid ETC2 RGB8
  kEtc2Rgba,    // RGBA, 16 bytes
  kEacR11,      // one channel, 8 bytes
  kEacRg11,     // two channels, 16 bytes
  kEtc1s,       // RGB, 8 bytes: ETC1 whose two halves share one color and one table
  kEtc1sAlpha,  // 16 bytes: an ETC1S block whose green is alpha, then the ETC1S block of color
};

// Returns "uastc", "bc7", "etc2_rgba" and so on.
std::string_view to_string(BlockFormat format);

// Returns the size of one 4x4 block in bytes.
std::size_t block_bytes(BlockFormat format);

// Returns the number of blocks of a level. Does not overflow for any 32-bit size. Requires both sizes >= 1.
constexpr std::uint64_t block_count(std::uint32_t width_texels, std::uint32_t height_texels) {
  return ((std::uint64_t{width_texels} + 3) / 4) * ((std::uint64_t{height_texels} + 3) / 4);
}

// Returns the size of uastc_bytes bytes of UASTC after transcoding. Returns nothing if uastc_bytes is not a whole
// number of blocks or the result does not fit std::size_t.
std::optional<std::size_t> transcoded_bytes(BlockFormat target, std::size_t uastc_bytes);

// The color of an invalid UASTC block in every target: opaque magenta.
inline constexpr Rgba8 kInvalidBlockColor = {255, 0, 255, 255};

enum class InvalidBlocks : std::uint8_t {
  kRefuse,   // stop with an error that names the first invalid block
  kMagenta,  // write kInvalidBlockColor and continue
};

struct TranscodeOptions {
  InvalidBlocks invalid = InvalidBlocks::kRefuse;
  // The source channels, 0 to 3. kBc4 and kEacR11 use the first, kBc5 and kEacRg11 use both.
  std::uint8_t first_channel = 0;
  std::uint8_t second_channel = 1;
};

// Transcodes UASTC blocks in order. The input is a KTX 2 level without supercompression; the output is a level in the
// target format.
// Errors:
// - An error with place "block N" for an invalid block under InvalidBlocks::kRefuse. The blocks before it stay written.
// - kUsage for sizes that do not match, a channel above 3, or the target kUastc.
// Constraints:
// - blocks.size() is a multiple of 16; any alignment.
// - out.size() == *transcoded_bytes(target, blocks.size()); any alignment; must not overlap blocks.
// Source: UASTC LDR 4x4 texture specification; Khronos Data Format Specification 1.3 for the targets.
Result<void> transcode_uastc(ByteSpan blocks, BlockFormat target, std::span<std::byte> out,
                             const TranscodeOptions& options = {});

// Transcodes ETC1S blocks, as BasisLzDecoder (codec/basis_lz.hpp) writes them, in the same way as transcode_uastc().
// kEtc1 and the color of kEtc2Rgba are copies of the source color. All other targets are encoded from the texels of the
// block. A block that is not valid ETC1S is an invalid block; magenta is (253, 0, 253) in ETC1.
// - source: kEtc1s or kEtc1sAlpha. target: not kEtc1s, kEtc1sAlpha or kUastc.
// - blocks.size() is a multiple of block_bytes(source); any alignment.
// - out.size() == blocks.size() / block_bytes(source) * block_bytes(target); must not overlap blocks.
Result<void> transcode_etc1s(ByteSpan blocks, BlockFormat source, BlockFormat target, std::span<std::byte> out,
                             const TranscodeOptions& options = {});

// How ASTC and UASTC endpoints are widened before interpolation. GPUs decode sRGB textures with kSrgb and linear
// textures with kLinear. The results differ by at most one step. The software decoder of Basis Universal always uses
// kLinear.
enum class AstcDecode : std::uint8_t { kLinear, kSrgb };

// Decodes a level of any BlockFormat to texels, cropped to its size, row by row.
// kBc4 and kEacR11 give (r, 0, 0, 255); kBc5 and kEacRg11 give (r, g, 0, 255). Values are rounded to the nearest.
// Errors: as transcode_uastc(). Under kRefuse, an invalid UASTC or ETC1S block is an error. These blocks are never an
// error:
// - An illegal ASTC block gives kInvalidBlockColor, as the ASTC specification requires.
// - A reserved BC7 block gives transparent black.
// Constraints:
// - blocks.size() == block_count(width_texels, height_texels) * block_bytes(source)
// - texels.size() == width_texels * height_texels; both sizes >= 1
Result<void> decode_blocks(ByteSpan blocks, BlockFormat source, std::uint32_t width_texels, std::uint32_t height_texels,
                           std::span<Rgba8> texels, InvalidBlocks invalid = InvalidBlocks::kRefuse,
                           AstcDecode decode = AstcDecode::kLinear);

}  // namespace assetc
