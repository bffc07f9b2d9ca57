#include "assetc/codec/transcode.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "codec/block/astc_block.hpp"
#include "codec/block/bc7_block.hpp"
#include "codec/block/bc_block.hpp"
#include "codec/block/etc1_solid.hpp"
#include "codec/block/etc_block.hpp"
#include "codec/transcode/etc1s_transcode.hpp"
#include "codec/transcode/uastc_batch.hpp"
#include "codec/transcode/uastc_transcode.hpp"

namespace assetc {
namespace {

using codec::UastcBlock;

UastcBlock invalid_block() {
  UastcBlock b;
  b.solid_color = kInvalidBlockColor;
  b.solid_hints = codec::solid_etc1_hints(kInvalidBlockColor);
  return b;
}

std::unexpected<Error> refuse(std::size_t index) {
  return fail_at(ErrorCode::kInvalidData, "block " + std::to_string(index),
                 "found a UASTC block with a reserved mode or partition, expected one of the 19 modes",
                 "encode the texture again; the file is damaged or not UASTC LDR 4x4");
}

// Transcodes the valid blocks of a batch.
void convert_batch(const std::uint8_t* blocks, const codec::UastcBatch& batch, const codec::UastcTarget& target,
                   codec::BatchSimd simd, codec::BatchState& state, std::uint8_t* out) {
  if (target.format == BlockFormat::kBc7) return codec::batch_to_bc7(blocks, batch, out);
  if (target.format == BlockFormat::kAstc4x4) return codec::batch_to_astc(blocks, batch, out);
  codec::batch_to_texels(blocks, batch, target, simd, state, out);
  const std::size_t step = block_bytes(target.format);
  codec::for_each_solid(batch, [&](std::size_t n) {
    codec::solid_to_target(blocks + n * codec::kUastcBlockBytes, target, out + n * step);
  });
}

Result<void> convert_all(ByteSpan blocks, const codec::UastcTarget& target, InvalidBlocks on_invalid,
                         std::span<std::byte> out) {
  const auto* in = reinterpret_cast<const std::uint8_t*>(blocks.data());
  auto* to = reinterpret_cast<std::uint8_t*>(out.data());
  const std::size_t count = blocks.size() / codec::kUastcBlockBytes, step = block_bytes(target.format);
  const codec::BatchSimd simd = codec::best_batch_simd();
  codec::UastcBatch batch;
  codec::BatchState state;
  for (std::size_t first = 0; first < count; first += codec::kBatchBlocks) {
    const std::uint8_t* from = in + first * codec::kUastcBlockBytes;
    const auto size = static_cast<unsigned>(std::min<std::size_t>(codec::kBatchBlocks, count - first));
    codec::sort_by_mode(from, size, batch);
    const auto& invalid = batch.queue[codec::kInvalidQueue];
    const unsigned invalid_count = batch.count[codec::kInvalidQueue];
    if (invalid_count != 0 && on_invalid == InvalidBlocks::kRefuse) {
      const unsigned first_invalid = invalid[0];
      codec::sort_by_mode(from, first_invalid, batch);
      convert_batch(from, batch, target, simd, state, to + first * step);
      codec::finish_texels(target, simd, state);
      return refuse(first + first_invalid);
    }
    convert_batch(from, batch, target, simd, state, to + first * step);
    for (unsigned i = 0; i < invalid_count; ++i)
      codec::uastc_to_target(invalid_block(), target, to + (first + invalid[i]) * step);
  }
  codec::finish_texels(target, simd, state);
  return {};
}

std::string count_of_bytes(std::uint64_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); }

}  // namespace

std::string_view to_string(BlockFormat format) {
  switch (format) {
    case BlockFormat::kUastc:
      return "uastc";
    case BlockFormat::kRgba8:
      return "rgba8";
    case BlockFormat::kBc1:
      return "bc1";
    case BlockFormat::kBc3:
      return "bc3";
    case BlockFormat::kBc4:
      return "bc4";
    case BlockFormat::kBc5:
      return "bc5";
    case BlockFormat::kBc7:
      return "bc7";
    case BlockFormat::kAstc4x4:
      return "astc4x4";
    case BlockFormat::kEtc1:
      return "etc1";
    case BlockFormat::kEtc2Rgba:
      return "etc2_rgba";
    case BlockFormat::kEacR11:
      return "eac_r11";
    case BlockFormat::kEacRg11:
      return "eac_rg11";
    case BlockFormat::kEtc1s:
      return "etc1s";
    case BlockFormat::kEtc1sAlpha:
      return "etc1s_alpha";
  }
  return "unknown";
}

std::size_t block_bytes(BlockFormat format) {
  switch (format) {
    case BlockFormat::kRgba8:
      return 64;
    case BlockFormat::kBc1:
    case BlockFormat::kBc4:
    case BlockFormat::kEtc1:
    case BlockFormat::kEacR11:
    case BlockFormat::kEtc1s:
      return 8;
    default:
      return 16;
  }
}

std::optional<std::size_t> transcoded_bytes(BlockFormat target, std::size_t uastc_bytes) {
  if (uastc_bytes % codec::kUastcBlockBytes != 0) return std::nullopt;
  return checked_mul(uastc_bytes / codec::kUastcBlockBytes, block_bytes(target));
}

Result<void> transcode_uastc(ByteSpan blocks, BlockFormat target, std::span<std::byte> out,
                             const TranscodeOptions& options) {
  const auto expected = transcoded_bytes(target, blocks.size());
  if (!expected)
    return fail(ErrorCode::kUsage, "found " + count_of_bytes(blocks.size()) + " of UASTC, expected a multiple of 16");
  if (out.size() != *expected)
    return fail(ErrorCode::kUsage, "found an output of " + count_of_bytes(out.size()) + ", expected " +
                                       count_of_bytes(*expected) + " of " + std::string(to_string(target)));
  if (options.first_channel > 3 || options.second_channel > 3)
    return fail(ErrorCode::kUsage, "found a channel past 3, expected 0 (red) to 3 (alpha)");
  if (target == BlockFormat::kEtc1s || target == BlockFormat::kEtc1sAlpha)
    return fail(ErrorCode::kUsage, "found ETC1S as the target, expected a format that UASTC can be transcoded to");
  if (target == BlockFormat::kUastc)
    return fail(ErrorCode::kUsage, "found UASTC as the target, expected another format", "copy the blocks instead");
  return convert_all(blocks, {target, options.first_channel, options.second_channel}, options.invalid, out);
}

Result<void> decode_blocks(ByteSpan blocks, BlockFormat source, std::uint32_t width_texels, std::uint32_t height_texels,
                           std::span<Rgba8> texels, InvalidBlocks invalid, AstcDecode decode) {
  if (width_texels == 0 || height_texels == 0)
    return fail(ErrorCode::kUsage, "found an empty level, expected at least 1x1");
  const auto bytes = checked_mul(block_count(width_texels, height_texels), block_bytes(source));
  if (!bytes || blocks.size() != *bytes)
    return fail(ErrorCode::kInvalidData, "found " + count_of_bytes(blocks.size()) + " of blocks, expected " +
                                             (bytes ? count_of_bytes(*bytes) : std::string("more than memory holds")) +
                                             " for " + std::to_string(width_texels) + "x" +
                                             std::to_string(height_texels) + " " + std::string(to_string(source)));
  if (texels.size() != std::uint64_t{width_texels} * height_texels)
    return fail(ErrorCode::kUsage, "found room for " + std::to_string(texels.size()) + " texels, expected " +
                                       std::to_string(std::uint64_t{width_texels} * height_texels));
  const std::size_t step = block_bytes(source);
  const auto* in = reinterpret_cast<const std::uint8_t*>(blocks.data());
  UastcBlock uastc;
  std::size_t index = 0;
  for (std::uint64_t y = 0; y < height_texels; y += 4) {
    for (std::uint64_t x = 0; x < width_texels; x += 4, ++index, in += step) {
      BlockTexels block;
      switch (source) {
        case BlockFormat::kUastc:
          if (codec::unpack_uastc_into(in, uastc))
            codec::decode_uastc(uastc, block, decode);
          else if (invalid == InvalidBlocks::kRefuse)
            return refuse(index);
          else
            block.fill(kInvalidBlockColor);
          break;
        case BlockFormat::kRgba8:
          std::memcpy(block.data(), in, sizeof block);
          break;
        case BlockFormat::kBc1:
          block = codec::decode_bc1(in);
          break;
        case BlockFormat::kBc3:
          block = codec::decode_bc3(in);
          break;
        case BlockFormat::kBc4:
          block = codec::decode_bc4(in);
          break;
        case BlockFormat::kBc5:
          block = codec::decode_bc5(in);
          break;
        case BlockFormat::kBc7:
          block = codec::decode_bc7(in);
          break;
        case BlockFormat::kAstc4x4:
          block = codec::decode_astc4x4(in, decode);
          break;
        case BlockFormat::kEtc1:
          block = codec::decode_etc2_rgb(in);
          break;
        case BlockFormat::kEtc2Rgba:
          block = codec::decode_etc2_rgba(in);
          break;
        case BlockFormat::kEacR11:
          block = codec::decode_eac_r11(in);
          break;
        case BlockFormat::kEacRg11:
          block = codec::decode_eac_rg11(in);
          break;
        case BlockFormat::kEtc1s:
        case BlockFormat::kEtc1sAlpha:
          if (codec::decode_etc1s(in, source == BlockFormat::kEtc1sAlpha, block)) break;
          if (invalid == InvalidBlocks::kRefuse) return codec::refuse_etc1s(index);
          block.fill(kInvalidBlockColor);
          break;
      }
      const std::size_t columns = std::min<std::uint64_t>(4, width_texels - x);
      const std::size_t rows = std::min<std::uint64_t>(4, height_texels - y);
      for (std::size_t row = 0; row < rows; ++row)
        std::memcpy(&texels[(y + row) * width_texels + x], &block[row * 4], columns * sizeof(Rgba8));
    }
  }
  return {};
}

}  // namespace assetc
