#include "codec/encode_etc.hpp"

#include <algorithm>

#include "codec/encode_image.hpp"
#include "codec/etc2_search.hpp"
#include "codec/etc_block.hpp"

namespace assetc::codec {
namespace {

// Integers, the largest of which is 64: finer differences between channels are not worth a wider product.
Etc2Settings settings_of(const EncodeOptions& options) {
  Etc2Settings settings{options.effort, {}};
  const std::array<float, 4> weights = channel_weights_of(options);
  const float largest = std::max({weights[0], weights[1], weights[2]});
  for (unsigned c = 0; c < 3; ++c)
    settings.weights[c] = std::max(1, static_cast<std::int32_t>(weights[c] / largest * 64.0f + 0.5f));
  return settings;
}

void encode_channel(const BlockTexels& texels, unsigned channel, EacKind kind, Effort effort, std::uint8_t* out) {
  TexelIndices values;
  for (unsigned t = 0; t < kBlockTexels; ++t) values[t] = texels[t][channel];
  search_eac(values, kind, 1 + static_cast<unsigned>(effort), out);
}

}  // namespace

std::size_t etc_block_bytes(EtcFormat format) {
  return format == EtcFormat::kEtc2Rgb || format == EtcFormat::kEacR11 ? 8 : 16;
}

Result<void> encode_etc(EtcFormat format, std::span<const std::byte> rgba, std::uint32_t width, std::uint32_t height,
                        std::size_t stride_bytes, const EncodeOptions& options, std::span<std::byte> blocks) {
  const std::size_t block_bytes = etc_block_bytes(format);
  ASSETC_TRY(const EncodeImage image,
             check_encode_image(rgba, width, height, stride_bytes, options, blocks.size(), block_bytes));
  const Etc2Settings settings = settings_of(options);
  for_each_tile(image.block_count(), kTileBlocks, [&](std::size_t first, std::size_t count) {
    BlockTexels texels;
    for (std::size_t i = first; i < first + count; ++i) {
      load_block(image, i, texels);
      std::uint8_t* out = reinterpret_cast<std::uint8_t*>(blocks.data()) + i * block_bytes;
      switch (format) {
        case EtcFormat::kEtc2Rgb:
          search_etc2(texels, settings, out);
          break;
        case EtcFormat::kEtc2Rgba:
          encode_channel(texels, 3, EacKind::kAlpha, options.effort, out);
          search_etc2(texels, settings, out + 8);
          break;
        case EtcFormat::kEacR11:
          encode_channel(texels, 0, EacKind::kR11, options.effort, out);
          break;
        case EtcFormat::kEacRg11:
          encode_channel(texels, 0, EacKind::kR11, options.effort, out);
          encode_channel(texels, 1, EacKind::kR11, options.effort, out + 8);
          break;
      }
    }
  });
  return {};
}

}  // namespace assetc::codec
