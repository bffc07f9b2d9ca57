#include "texture/encode.hpp"

#include <algorithm>
#include <thread>

#include "codec/encode/bc/encode_bc.hpp"
#include "codec/encode/etc/encode_etc.hpp"
#include "codec/encode/uastc/encode_uastc.hpp"
#include "texture/encode_astc.hpp"

namespace assetc::texture {

bool takes_rg16(ktx2::Format format) {
  switch (format) {
    case ktx2::Format::kBc4:
    case ktx2::Format::kBc5:
    case ktx2::Format::kEacR11:
    case ktx2::Format::kEacRg11:
      return true;
    default:
      return false;
  }
}

Result<void> encode_blocks(ktx2::Format format, ktx2::Transfer transfer, std::span<const std::byte> texels,
                           Extent extent, const codec::EncodeOptions& options, std::span<std::byte> blocks) {
  const codec::TexelView view = codec::tight_rows(texels, extent.width_texels, extent.height_texels, 4);
  const auto bc = [&](codec::BcFormat to) { return codec::encode_bc(to, view, options, blocks); };
  const auto etc = [&](codec::EtcFormat to) { return codec::encode_etc(to, view, options, blocks); };
  switch (format) {
    case ktx2::Format::kUastc:
      return codec::encode_uastc(view, options, blocks);
    case ktx2::Format::kBc1Rgb:
      return bc(codec::BcFormat::kBc1);
    case ktx2::Format::kBc3:
      return bc(codec::BcFormat::kBc3);
    case ktx2::Format::kBc4:
      return bc(codec::BcFormat::kBc4);
    case ktx2::Format::kBc5:
      return bc(codec::BcFormat::kBc5);
    case ktx2::Format::kBc7:
      return bc(codec::BcFormat::kBc7);
    case ktx2::Format::kEtc2Rgb:
      return etc(codec::EtcFormat::kEtc2Rgb);
    case ktx2::Format::kEtc2Rgba:
      return etc(codec::EtcFormat::kEtc2Rgba);
    case ktx2::Format::kEacR11:
      return etc(codec::EtcFormat::kEacR11);
    case ktx2::Format::kEacRg11:
      return etc(codec::EtcFormat::kEacRg11);
    case ktx2::Format::kAstc4x4:
    case ktx2::Format::kAstc6x6:
    case ktx2::Format::kAstc8x8: {
      const ktx2::BlockShape block = ktx2::block_shape(format);
      return encode_astc(block.width_texels, block.height_texels, transfer == ktx2::Transfer::kSrgb, texels, extent,
                         options, blocks);
    }
    default:
      return fail(ErrorCode::kUsage, "no encoder for " + std::string(ktx2::to_string(format)));
  }
}

std::uint64_t encoder_bytes(ktx2::Format format, std::uint64_t calls) {
  if (format < ktx2::Format::kAstc4x4) return 0;
  const ktx2::BlockShape block = ktx2::block_shape(format);
  const std::uint64_t threads = std::max(1u, std::thread::hardware_concurrency());
  return std::min(calls, threads) * astc_context_bytes(block.width_texels, block.height_texels);
}

}  // namespace assetc::texture
