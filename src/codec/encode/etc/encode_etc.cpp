#include "codec/encode/etc/encode_etc.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "codec/block/etc_block.hpp"
#include "codec/encode/common/encode_tiles.hpp"
#include "codec/encode/etc/etc2_search.hpp"
#include "codec/encode/etc/etc_rdo.hpp"

namespace assetc::codec {
namespace {

// Weights are integers, and the largest is 64. Finer differences between channels are not worth a wider product.
Etc2Settings settings_of(const EncodeOptions& options) {
  Etc2Settings settings{options.effort, {}};
  const std::array<float, 4> weights = channel_weights_of(options);
  const float largest = std::max({weights[0], weights[1], weights[2]});
  for (unsigned c = 0; c < 3; ++c)
    settings.weights[c] = std::max(1, static_cast<std::int32_t>(weights[c] / largest * 64.0f + 0.5f));
  return settings;
}

void encode_alpha(const BlockTexels& texels, unsigned tries, std::uint8_t* out) {
  TexelIndices values;
  for (unsigned t = 0; t < kBlockTexels; ++t) values[t] = texels[t].a;
  search_eac_alpha(values, tries, out);
}

// Encodes channel 0 or 1 of texels that are two 16-bit numbers.
void encode_r11(const BlockTexels& texels, unsigned channel, unsigned tries, std::uint8_t* out) {
  ChannelValues16 values;
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    std::array<std::uint16_t, 2> rg;
    static_assert(sizeof rg == sizeof texels[t]);
    std::memcpy(rg.data(), &texels[t], sizeof rg);
    values[t] = rg[channel];
  }
  search_eac_r11(values, tries, out);
}

}  // namespace

std::size_t etc_block_bytes(EtcFormat format) {
  return format == EtcFormat::kEtc2Rgb || format == EtcFormat::kEacR11 ? 8 : 16;
}

Result<void> encode_etc(EtcFormat format, const TexelView& texels, const EncodeOptions& options,
                        std::span<std::byte> blocks) {
  const std::size_t block_bytes = etc_block_bytes(format);
  ASSETC_CHECK(check_arguments(texels, options, blocks.size(), block_bytes));
  const Etc2Settings settings = settings_of(options);
  const unsigned tries = 1 + static_cast<unsigned>(options.effort);
  for_each_tile(texels.block_count(), kTileBlocks, [&](std::size_t first, std::size_t count) {
    BlockTexels block;
    for (std::size_t i = first; i < first + count; ++i) {
      load_block(texels, i, block);
      std::uint8_t* out = reinterpret_cast<std::uint8_t*>(blocks.data()) + i * block_bytes;
      switch (format) {
        case EtcFormat::kEtc2Rgb:
          search_etc2(block, settings, out);
          break;
        case EtcFormat::kEtc2Rgba:
          encode_alpha(block, tries, out);
          search_etc2(block, settings, out + 8);
          break;
        case EtcFormat::kEacR11:
          encode_r11(block, 0, tries, out);
          break;
        case EtcFormat::kEacRg11:
          encode_r11(block, 0, tries, out);
          encode_r11(block, 1, tries, out + 8);
          break;
      }
    }
  });
  if (options.rdo > 0) apply_etc_rdo(format, texels, options, blocks);
  return {};
}

}  // namespace assetc::codec
