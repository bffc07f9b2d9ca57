#include "codec/encode_bc.hpp"

#include "codec/bc7_encode.hpp"
#include "codec/bc_block.hpp"
#include "codec/encode_image.hpp"

namespace assetc::codec {
namespace {

void encode_block(BcFormat format, const BlockTexels& texels, std::uint8_t* out) {
  switch (format) {
    case BcFormat::kBc1: encode_bc1(texels, out); break;
    case BcFormat::kBc3:
      encode_bc4(texels, 3, out);
      encode_bc1(texels, out + 8);
      break;
    case BcFormat::kBc4: encode_bc4(texels, 0, out); break;
    case BcFormat::kBc5:
      encode_bc4(texels, 0, out);
      encode_bc4(texels, 1, out + 8);
      break;
    case BcFormat::kBc7: break;
  }
}

}  // namespace

std::size_t bc_block_bytes(BcFormat format) { return format == BcFormat::kBc1 || format == BcFormat::kBc4 ? 8 : 16; }

Result<void> encode_bc(BcFormat format, std::span<const std::byte> rgba, std::uint32_t width, std::uint32_t height,
                       std::size_t stride_bytes, const EncodeOptions& options, std::span<std::byte> blocks) {
  const std::size_t block_bytes = bc_block_bytes(format);
  ASSETC_TRY(const EncodeImage image,
             check_encode_image(rgba, width, height, stride_bytes, options, blocks.size(), block_bytes));
  if (format == BcFormat::kBc7) {
    for_each_tile(image.block_count(), kBc7TileBlocks, [&](std::size_t first, std::size_t count) {
      encode_bc7_tile(image, first, count, options, blocks.data());
    });
    return {};
  }
  for_each_tile(image.block_count(), kTileBlocks, [&](std::size_t first, std::size_t count) {
    BlockTexels texels;
    for (std::size_t i = first; i < first + count; ++i) {
      load_block(image, i, texels);
      encode_block(format, texels, reinterpret_cast<std::uint8_t*>(blocks.data()) + i * block_bytes);
    }
  });
  return {};
}

}  // namespace assetc::codec
