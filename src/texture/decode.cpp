#include "texture/decode.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "assetc/codec/transcode.hpp"
#include "codec/block/astc_block.hpp"
#include "codec/block/bc6h_block.hpp"
#include "codec/block/bc_block.hpp"
#include "codec/block/etc_block.hpp"
#include "texture/block_format.hpp"
#include "texture/color.hpp"

namespace assetc::texture {
namespace {

using scene::Image;
using scene::PixelType;

std::uint64_t etc1s_bytes(Extent extent) {
  return block_count(extent.width_texels, extent.height_texels) * block_bytes(BlockFormat::kEtc1s);
}

// Formats that store each channel in a block of 8 bytes, with more than 8 bits of precision.
struct ChannelBlocks {
  std::size_t channels = 0;
  codec::ChannelValues16 (*decode)(const std::uint8_t*) = nullptr;  // null: not such a format
  explicit operator bool() const { return decode != nullptr; }
};
ChannelBlocks channel_blocks(TexelFormat format) {
  switch (format) {
    case TexelFormat::kBc4:
      return ChannelBlocks{1, codec::decode_bc4_16};
    case TexelFormat::kBc5:
      return ChannelBlocks{2, codec::decode_bc4_16};
    case TexelFormat::kEacR11:
      return ChannelBlocks{1, codec::decode_eac_r11_16};
    case TexelFormat::kEacRg11:
      return ChannelBlocks{2, codec::decode_eac_r11_16};
    default:
      return {};
  }
}

std::optional<codec::AstcShape> astc_shape(TexelFormat format) {
  if (format < TexelFormat::kAstc4x4 || format > TexelFormat::kAstc12x12) return std::nullopt;
  const BlockShape block = block_shape(format);
  return codec::AstcShape{block.width_texels, block.height_texels};
}

// Requires blocks of exactly the image's size.
void decode_astc_image(ByteSpan blocks, codec::AstcShape shape, AstcDecode decode, Image& out) {
  std::array<Rgba8, codec::kAstcMaxTexels> texels;
  const auto* in = reinterpret_cast<const std::uint8_t*>(blocks.data());
  for (std::uint32_t y = 0; y < out.height_texels; y += shape.height_texels) {
    for (std::uint32_t x = 0; x < out.width_texels; x += shape.width_texels, in += 16) {
      codec::decode_astc(in, shape, std::span(texels).first(shape.texels()), decode);
      const std::size_t columns = std::min<std::uint32_t>(shape.width_texels, out.width_texels - x);
      const std::uint32_t rows = std::min<std::uint32_t>(shape.height_texels, out.height_texels - y);
      for (std::uint32_t row = 0; row < rows; ++row)
        std::memcpy(out.pixels.data() + (y + row) * out.row_bytes() + x * sizeof(Rgba8),
                    &texels[row * shape.width_texels], columns * sizeof(Rgba8));
    }
  }
}

// Formats that store one number for each channel.
struct Layout {
  std::uint32_t channels;
  std::uint32_t channel_bytes;
  bool half = false;
};
std::optional<Layout> texel_layout(TexelFormat format) {
  switch (format) {
    case TexelFormat::kR8:
      return Layout{1, 1};
    case TexelFormat::kRg8:
      return Layout{2, 1};
    case TexelFormat::kRgb8:
      return Layout{3, 1};
    case TexelFormat::kRgba8:
      return Layout{4, 1};
    case TexelFormat::kR16:
      return Layout{1, 2};
    case TexelFormat::kRg16:
      return Layout{2, 2};
    case TexelFormat::kRgba16:
      return Layout{4, 2};
    case TexelFormat::kR16f:
      return Layout{1, 2, true};
    case TexelFormat::kRg16f:
      return Layout{2, 2, true};
    case TexelFormat::kRgba16f:
      return Layout{4, 2, true};
    case TexelFormat::kR32f:
      return Layout{1, 4};
    case TexelFormat::kRg32f:
      return Layout{2, 4};
    case TexelFormat::kRgba32f:
      return Layout{4, 4};
    default:
      return std::nullopt;
  }
}

void widen_texels(ByteSpan in, const Layout& layout, Image& out) {
  const std::size_t texels = std::size_t{out.width_texels} * out.height_texels;
  const std::size_t width = scene::channel_bytes(out.type);
  for (std::size_t t = 0; t < texels; ++t) {
    for (std::uint32_t c = 0; c < 4; ++c) {
      std::byte* to = out.pixels.data() + (t * 4 + c) * width;
      const std::size_t from = (t * layout.channels + c) * layout.channel_bytes;
      const bool present = c < layout.channels;
      if (out.type == PixelType::kF32) {
        const float value = !present      ? (c == 3 ? 1.0f : 0.0f)
                            : layout.half ? float_from_half(load<std::uint16_t>(in, from))
                                          : load<float>(in, from);
        std::memcpy(to, &value, sizeof value);
      } else if (present) {
        std::memcpy(to, in.data() + from, width);
      } else {
        std::memset(to, c == 3 ? 0xFF : 0, width);
      }
    }
  }
}

// BC2: alpha of 4 bits for each texel, and the color of BC3. Alpha of the BC3 that is made is opaque.
Result<void> decode_bc2_image(ByteSpan blocks, Image& out) {
  constexpr std::size_t kBytes = 16, kAlphaBytes = 8;
  ByteVector bc3(blocks.begin(), blocks.end());
  constexpr std::array kOpaque{std::byte{255}, std::byte{255}, std::byte{0}, std::byte{0},
                               std::byte{0},   std::byte{0},   std::byte{0}, std::byte{0}};
  for (std::size_t at = 0; at + kBytes <= bc3.size(); at += kBytes)
    std::ranges::copy(kOpaque, bc3.begin() + static_cast<std::ptrdiff_t>(at));
  std::vector<Rgba8> colors(std::size_t{out.width_texels} * out.height_texels);
  ASSETC_CHECK(decode_blocks(bc3, BlockFormat::kBc3, out.width_texels, out.height_texels, colors));
  std::memcpy(out.pixels.data(), colors.data(), out.pixels.size());
  const std::size_t across = (out.width_texels + 3) / 4;
  for (std::size_t y = 0; y < out.height_texels; ++y) {
    for (std::size_t x = 0; x < out.width_texels; ++x) {
      const std::size_t nibble = y % 4 * 4 + x % 4, block = (y / 4 * across + x / 4) * kBytes;
      static_assert(kAlphaBytes * 2 == kBlockTexels);
      const unsigned alpha = std::to_integer<unsigned>(blocks[block + nibble / 2]) >> (nibble % 2 * 4) & 15;
      out.pixels[(y * out.width_texels + x) * 4 + 3] = static_cast<std::byte>(alpha * 17);
    }
  }
  return {};
}

void decode_bc6h_image(ByteSpan blocks, Image& out) {
  const std::uint32_t across = (out.width_texels + 3) / 4;
  for (std::size_t i = 0; i < blocks.size() / 16; ++i) {
    const codec::HalfBlock texels = codec::decode_bc6h(reinterpret_cast<const std::uint8_t*>(blocks.data()) + i * 16);
    for (std::size_t t = 0; t < texels.size(); ++t) {
      const std::size_t x = i % across * 4 + t % 4, y = i / across * 4 + t / 4;
      if (x >= out.width_texels || y >= out.height_texels) continue;
      const std::array rgba{float_from_half(texels[t][0]), float_from_half(texels[t][1]), float_from_half(texels[t][2]),
                            1.0f};
      std::memcpy(out.pixels.data() + out.row_bytes() * y + x * sizeof rgba, rgba.data(), sizeof rgba);
    }
  }
}

void decode_channel_blocks(ByteSpan blocks, const ChannelBlocks& format, Image& out) {
  const auto* in = reinterpret_cast<const std::uint8_t*>(blocks.data());
  for (std::size_t top = 0; top < out.height_texels; top += 4) {
    for (std::size_t left = 0; left < out.width_texels; left += 4) {
      std::array<codec::ChannelValues16, 4> values{};
      values[3].fill(0xFFFF);
      for (std::size_t c = 0; c < format.channels; ++c, in += 8) values[c] = format.decode(in);
      for (std::size_t t = 0; t < kBlockTexels; ++t) {
        const std::size_t x = left + t % 4, y = top + t / 4;
        if (x >= out.width_texels || y >= out.height_texels) continue;
        const std::array rgba{values[0][t], values[1][t], values[2][t], values[3][t]};
        std::memcpy(out.pixels.data() + out.row_bytes() * y + x * sizeof rgba, rgba.data(), sizeof rgba);
      }
    }
  }
}

}  // namespace

bool can_decode(TexelFormat format) {
  return format == TexelFormat::kBc6h || format == TexelFormat::kBc2 || block_format(format) ||
         channel_blocks(format) || astc_shape(format) || texel_layout(format);
}

PixelType decoded_type(TexelFormat format) {
  if (const auto layout = texel_layout(format))
    return layout->half || layout->channel_bytes == 4 ? PixelType::kF32
           : layout->channel_bytes == 2               ? PixelType::kU16
                                                      : PixelType::kU8;
  return format == TexelFormat::kBc6h ? PixelType::kF32 : channel_blocks(format) ? PixelType::kU16 : PixelType::kU8;
}

Result<Image> decode_texels(TexelFormat format, bool is_srgb, ByteSpan stored, Extent extent) {
  Image out;
  out.width_texels = extent.width_texels;
  out.height_texels = extent.height_texels;
  out.type = decoded_type(format);
  out.pixels.resize(out.row_bytes() * out.height_texels);
  if (const auto layout = texel_layout(format)) {
    out.source_channels = static_cast<std::uint8_t>(layout->channels);
    widen_texels(stored, *layout, out);
  } else if (format == TexelFormat::kBc2) {
    ASSETC_CHECK(decode_bc2_image(stored, out));
  } else if (format == TexelFormat::kBc6h) {
    out.source_channels = 3;
    decode_bc6h_image(stored, out);
  } else if (const auto astc = astc_shape(format)) {
    decode_astc_image(stored, *astc, is_srgb ? AstcDecode::kSrgb : AstcDecode::kLinear, out);
  } else if (const ChannelBlocks channel_wise = channel_blocks(format)) {
    decode_channel_blocks(stored, channel_wise, out);
  } else {
    std::vector<Rgba8> colors(std::size_t{out.width_texels} * out.height_texels);
    const bool has_alpha_blocks = format == TexelFormat::kEtc1s && stored.size() == etc1s_bytes(extent) * 2;
    const BlockFormat blocks = has_alpha_blocks ? BlockFormat::kEtc1sAlpha : *block_format(format);
    ASSETC_CHECK(decode_blocks(stored, blocks, out.width_texels, out.height_texels, colors));
    std::memcpy(out.pixels.data(), colors.data(), out.pixels.size());
  }
  return out;
}

}  // namespace assetc::texture
