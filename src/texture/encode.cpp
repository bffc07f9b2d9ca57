#include "texture/encode.hpp"

#include "codec/encode_bc.hpp"

namespace assetc::texture {

Result<void> encode_blocks(ktx2::Format format, std::span<const std::byte> rgba, Extent extent,
                           const codec::EncodeOptions& options, std::span<std::byte> blocks) {
  const auto [width, height] = extent;
  const std::size_t stride = std::size_t{width} * 4;
  const auto bc = [&](codec::BcFormat to) {
    return codec::encode_bc(to, rgba, width, height, stride, options, blocks);
  };
  switch (format) {
    case ktx2::Format::kUastc:
      return codec::encode_uastc(rgba, width, height, stride, options, blocks);
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
    default:
      return fail(ErrorCode::kUsage, "no encoder for " + std::string(ktx2::to_string(format)));
  }
}

}  // namespace assetc::texture
