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
#include "codec/transcode/uastc_transcode.hpp"

namespace assetc {
namespace {

using codec::UastcBlock;

struct Channels {
  unsigned first, second;
};

void encode_channel_eac(const UastcBlock& block, const BlockTexels& texels, unsigned channel, std::uint8_t* out) {
  // With a multiplier of 1 or more, R11 has the same steps as EAC alpha, eight times finer. So the alpha hints apply to
  // both.
  if (channel == 3) return codec::uastc_to_eac_alpha(block, texels, codec::EacKind::kR11, out);
  codec::TexelIndices values;
  if (block.mode == codec::kUastcSolidMode) {
    values.fill(block.solid_color[channel]);
  } else {
    for (unsigned t = 0; t < kBlockTexels; ++t) values[t] = texels[t][channel];
  }
  codec::encode_eac(values, codec::EacKind::kR11, out);
}

void encode_channel_bc4(const UastcBlock& block, const BlockTexels& texels, unsigned channel, std::uint8_t* out) {
  if (block.mode == codec::kUastcSolidMode) return codec::encode_bc4_solid(block.solid_color[channel], out);
  codec::encode_bc4(texels, channel, out);
}

// Converts one block. Decodes its texels only if the target needs them.
template <BlockFormat kTarget>
void convert(const UastcBlock& block, Channels channels, std::uint8_t* out) {
  using enum BlockFormat;
  if constexpr (kTarget == kBc7) {
    codec::uastc_to_bc7(block, out);
  } else if constexpr (kTarget == kAstc4x4) {
    codec::pack_astc(block, out);
  } else {
    BlockTexels texels;
    if constexpr (kTarget == kBc1) {
      if (!codec::bc1_needs_no_texels(block)) codec::decode_uastc(block, texels);
      codec::uastc_to_bc1(block, texels, out);
    } else {
      const bool solid = block.mode == codec::kUastcSolidMode;
      if (!solid || kTarget == kRgba8) codec::decode_uastc(block, texels);
      switch (kTarget) {
        case kRgba8:
          std::memcpy(out, texels.data(), sizeof texels);
          break;
        case kBc3:
          encode_channel_bc4(block, texels, 3, out);
          codec::uastc_to_bc1(block, texels, out + 8);
          break;
        case kBc4:
          encode_channel_bc4(block, texels, channels.first, out);
          break;
        case kBc5:
          encode_channel_bc4(block, texels, channels.first, out);
          encode_channel_bc4(block, texels, channels.second, out + 8);
          break;
        case kEtc1:
          codec::uastc_to_etc1(block, texels, out);
          break;
        case kEtc2Rgba:
          codec::uastc_to_eac_alpha(block, texels, codec::EacKind::kAlpha, out);
          codec::uastc_to_etc1(block, texels, out + 8);
          break;
        case kEacR11:
          encode_channel_eac(block, texels, channels.first, out);
          break;
        case kEacRg11:
          encode_channel_eac(block, texels, channels.first, out);
          encode_channel_eac(block, texels, channels.second, out + 8);
          break;
        default:
          break;
      }
    }
  }
}

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

template <BlockFormat kTarget>
Result<void> convert_all(ByteSpan blocks, std::span<std::byte> out, const TranscodeOptions& options) {
  const auto* in = reinterpret_cast<const std::uint8_t*>(blocks.data());
  auto* to = reinterpret_cast<std::uint8_t*>(out.data());
  const Channels channels = {options.first_channel, options.second_channel};
  const std::size_t count = blocks.size() / codec::kUastcBlockBytes, step = block_bytes(kTarget);
  UastcBlock block;
  for (std::size_t i = 0; i < count; ++i) {
    if (!codec::unpack_uastc_into(in + i * codec::kUastcBlockBytes, block)) {
      if (options.invalid == InvalidBlocks::kRefuse) return refuse(i);
      block = invalid_block();
    }
    convert<kTarget>(block, channels, to + i * step);
  }
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
  switch (target) {
    case BlockFormat::kRgba8:
      return convert_all<BlockFormat::kRgba8>(blocks, out, options);
    case BlockFormat::kBc1:
      return convert_all<BlockFormat::kBc1>(blocks, out, options);
    case BlockFormat::kBc3:
      return convert_all<BlockFormat::kBc3>(blocks, out, options);
    case BlockFormat::kBc4:
      return convert_all<BlockFormat::kBc4>(blocks, out, options);
    case BlockFormat::kBc5:
      return convert_all<BlockFormat::kBc5>(blocks, out, options);
    case BlockFormat::kBc7:
      return convert_all<BlockFormat::kBc7>(blocks, out, options);
    case BlockFormat::kAstc4x4:
      return convert_all<BlockFormat::kAstc4x4>(blocks, out, options);
    case BlockFormat::kEtc1:
      return convert_all<BlockFormat::kEtc1>(blocks, out, options);
    case BlockFormat::kEtc2Rgba:
      return convert_all<BlockFormat::kEtc2Rgba>(blocks, out, options);
    case BlockFormat::kEacR11:
      return convert_all<BlockFormat::kEacR11>(blocks, out, options);
    case BlockFormat::kEacRg11:
      return convert_all<BlockFormat::kEacRg11>(blocks, out, options);
    case BlockFormat::kEtc1s:
    case BlockFormat::kEtc1sAlpha:
      return fail(ErrorCode::kUsage, "found ETC1S as the target, expected a format that UASTC can be transcoded to");
    case BlockFormat::kUastc:
      break;
  }
  return fail(ErrorCode::kUsage, "found UASTC as the target, expected another format", "copy the blocks instead");
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
