#include "texture/encode.hpp"

#include <algorithm>

#include "codec/encode/bc/encode_bc.hpp"
#include "codec/encode/etc/encode_etc.hpp"
#include "codec/encode/uastc/encode_uastc.hpp"
#include "parallel/parallel.hpp"
#include "texture/encode_astc.hpp"

namespace assetc::texture {

bool takes_rg16(TexelFormat format) {
  switch (format) {
    case TexelFormat::kBc4:
    case TexelFormat::kBc5:
    case TexelFormat::kEacR11:
    case TexelFormat::kEacRg11:
      return true;
    default:
      return false;
  }
}

Result<void> encode_blocks(TexelFormat format, bool is_srgb, std::span<const std::byte> texels, Extent extent,
                           const codec::EncodeOptions& options, std::span<std::byte> blocks) {
  const codec::TexelView view = codec::tight_rows(texels, extent.width_texels, extent.height_texels, 4);
  const auto bc = [&](codec::BcFormat to) { return codec::encode_bc(to, view, options, blocks); };
  const auto etc = [&](codec::EtcFormat to) { return codec::encode_etc(to, view, options, blocks); };
  switch (format) {
    case TexelFormat::kUastc:
      return codec::encode_uastc(view, options, blocks);
    case TexelFormat::kBc1Rgb:
      return bc(codec::BcFormat::kBc1);
    case TexelFormat::kBc3:
      return bc(codec::BcFormat::kBc3);
    case TexelFormat::kBc4:
      return bc(codec::BcFormat::kBc4);
    case TexelFormat::kBc5:
      return bc(codec::BcFormat::kBc5);
    case TexelFormat::kBc7:
      return bc(codec::BcFormat::kBc7);
    case TexelFormat::kEtc2Rgb:
      return etc(codec::EtcFormat::kEtc2Rgb);
    case TexelFormat::kEtc2Rgba:
      return etc(codec::EtcFormat::kEtc2Rgba);
    case TexelFormat::kEacR11:
      return etc(codec::EtcFormat::kEacR11);
    case TexelFormat::kEacRg11:
      return etc(codec::EtcFormat::kEacRg11);
    case TexelFormat::kAstc4x4:
    case TexelFormat::kAstc6x6:
    case TexelFormat::kAstc8x8: {
      const BlockShape block = block_shape(format);
      return encode_astc(block.width_texels, block.height_texels, is_srgb, texels, extent, options, blocks);
    }
    default:
      return fail(ErrorCode::kUsage, "no encoder for " + std::string(to_string(format)));
  }
}

std::uint64_t encoder_bytes(TexelFormat format, std::uint64_t calls) {
  if (format < TexelFormat::kAstc4x4) return 0;
  const BlockShape block = block_shape(format);
  const std::uint64_t threads = static_cast<std::uint64_t>(default_concurrency());
  return std::min(calls, threads) * astc_context_bytes(block.width_texels, block.height_texels);
}

}  // namespace assetc::texture
