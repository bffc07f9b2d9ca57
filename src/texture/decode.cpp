#include "texture/decode.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "assetc/codec/transcode.hpp"
#include "assetc/formats/ktx2.hpp"
#include "assetc/runtime/inflate.hpp"
#include "codec/block/astc_block.hpp"
#include "codec/block/bc6h_block.hpp"
#include "codec/block/bc_block.hpp"
#include "codec/block/etc_block.hpp"
#include "texture/color.hpp"
#include "texture/storage.hpp"

namespace assetc::texture {
namespace {

using scene::Image;
using scene::PixelType;

std::optional<BlockFormat> block_format(ktx2::Format format) {
  switch (format) {
    case ktx2::Format::kUastc:
      return BlockFormat::kUastc;
    case ktx2::Format::kBc1Rgb:
    case ktx2::Format::kBc1Rgba:
      return BlockFormat::kBc1;
    case ktx2::Format::kBc3:
      return BlockFormat::kBc3;
    case ktx2::Format::kBc7:
      return BlockFormat::kBc7;
    case ktx2::Format::kEtc2Rgb:
      return BlockFormat::kEtc1;
    case ktx2::Format::kEtc2Rgba:
      return BlockFormat::kEtc2Rgba;
    default:
      return std::nullopt;
  }
}

// Formats whose blocks are one of 8 bytes for each channel, of more than 8 bits.
struct ChannelBlocks {
  std::size_t channels = 0;
  codec::ChannelValues16 (*decode)(const std::uint8_t*) = nullptr;  // null: of no such format
  explicit operator bool() const { return decode != nullptr; }
};
ChannelBlocks channel_blocks(ktx2::Format format) {
  switch (format) {
    case ktx2::Format::kBc4:
      return ChannelBlocks{1, codec::decode_bc4_16};
    case ktx2::Format::kBc5:
      return ChannelBlocks{2, codec::decode_bc4_16};
    case ktx2::Format::kEacR11:
      return ChannelBlocks{1, codec::decode_eac_r11_16};
    case ktx2::Format::kEacRg11:
      return ChannelBlocks{2, codec::decode_eac_r11_16};
    default:
      return {};
  }
}

std::optional<codec::AstcShape> astc_shape(ktx2::Format format) {
  if (format < ktx2::Format::kAstc4x4 || format > ktx2::Format::kAstc12x12) return std::nullopt;
  const ktx2::BlockShape block = ktx2::block_shape(format);
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

// Formats of one number a channel.
struct Layout {
  std::uint32_t channels;
  std::uint32_t channel_bytes;
  bool half = false;
};
std::optional<Layout> texel_layout(ktx2::Format format) {
  switch (format) {
    case ktx2::Format::kR8:
      return Layout{1, 1};
    case ktx2::Format::kRg8:
      return Layout{2, 1};
    case ktx2::Format::kRgb8:
      return Layout{3, 1};
    case ktx2::Format::kRgba8:
      return Layout{4, 1};
    case ktx2::Format::kR16:
      return Layout{1, 2};
    case ktx2::Format::kRg16:
      return Layout{2, 2};
    case ktx2::Format::kRgba16:
      return Layout{4, 2};
    case ktx2::Format::kR16f:
      return Layout{1, 2, true};
    case ktx2::Format::kRg16f:
      return Layout{2, 2, true};
    case ktx2::Format::kRgba16f:
      return Layout{4, 2, true};
    case ktx2::Format::kR32f:
      return Layout{1, 4};
    case ktx2::Format::kRg32f:
      return Layout{2, 4};
    case ktx2::Format::kRgba32f:
      return Layout{4, 4};
    default:
      return std::nullopt;
  }
}

// The level's bytes as the format lays them out.
Result<Bytes> inflate(const ktx2::View& view, std::uint32_t index) {
  if (view.supercompression() == ktx2::Supercompression::kNone) return Bytes(nullptr, view.levels()[index].bytes);
  ASSETC_TRY(const std::uint64_t size_bytes, runtime::inflated_size_bytes(view, index));
  ByteVector out(size_bytes);
  ASSETC_CHECK(runtime::inflate_level(view, index, out));
  return Bytes(std::move(out));
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

Result<void> check_index(const ktx2::View& view, const ImageIndex& index) {
  const auto check = [](std::string_view what, std::uint32_t asked, std::size_t count) {
    return check_number(what, asked, count, "the texture has");
  };
  ASSETC_CHECK(check("level", index.level, view.levels().size()));
  ASSETC_CHECK(check("layer", index.layer, std::max(view.layer_count(), 1u)));
  ASSETC_CHECK(check("face", index.face, view.face_count()));
  return check("slice", index.slice, view.levels()[index.level].depth_texels);
}

}  // namespace

Result<void> check_number(std::string_view what, std::uint32_t asked, std::size_t count, std::string_view holder) {
  if (asked < count) return {};
  return fail(
      ErrorCode::kNotFound,
      std::string(what) + " " + std::to_string(asked) + " was asked for, " + std::string(holder) + " " +
          std::to_string(count),
      count == 1 ? "ask for " + std::string(what) + " 0" : "ask for one from 0 to " + std::to_string(count - 1));
}

bool can_decode(ktx2::Format format) {
  return format == ktx2::Format::kBc6h || block_format(format) || channel_blocks(format) || astc_shape(format) ||
         texel_layout(format);
}

PixelType decoded_type(ktx2::Format format) {
  if (const auto layout = texel_layout(format))
    return layout->half || layout->channel_bytes == 4 ? PixelType::kF32
           : layout->channel_bytes == 2               ? PixelType::kU16
                                                      : PixelType::kU8;
  return format == ktx2::Format::kBc6h ? PixelType::kF32 : channel_blocks(format) ? PixelType::kU16 : PixelType::kU8;
}

Result<Image> decode_ktx2(ByteSpan file, const ImageIndex& index, Channels channels) {
  ASSETC_TRY(const ktx2::View view, ktx2::View::open(file));
  ASSETC_CHECK(check_index(view, index));
  const std::optional<BlockFormat> blocks = view.format() ? block_format(*view.format()) : std::nullopt;
  const ChannelBlocks channel_wise = view.format() ? channel_blocks(*view.format()) : ChannelBlocks{};
  const std::optional<Layout> layout = view.format() ? texel_layout(*view.format()) : std::nullopt;
  const std::optional<codec::AstcShape> astc = view.format() ? astc_shape(*view.format()) : std::nullopt;
  const bool bc6h = view.format() == ktx2::Format::kBc6h;
  if (!blocks && !channel_wise && !layout && !astc && !bc6h) {
    return fail(
        ErrorCode::kUnsupported,
        "the texture is " +
            (view.format() ? std::string(to_string(*view.format())) : "VkFormat " + std::to_string(view.vk_format())) +
            ", for which there is no decoder here",
        "UASTC, BC1, BC3, BC4, BC5, BC6H, BC7, ETC2, EAC, ASTC and uncompressed formats can be decoded");
  }
  const ktx2::Level& level = view.levels()[index.level];
  Image out;
  out.width_texels = level.width_texels;
  out.height_texels = level.height_texels;
  if (std::uint64_t{out.width_texels} * out.height_texels > scene::kMaxImageTexels) {
    return fail(ErrorCode::kLimit, "the level has " + std::to_string(out.width_texels) + "x" +
                                       std::to_string(out.height_texels) + " texels, the limit is " +
                                       std::to_string(scene::kMaxImageTexels));
  }
  ASSETC_TRY(const Bytes bytes, inflate(view, index.level));
  const std::uint64_t image_size = view.image_size_bytes(index.level);
  const std::uint64_t image = std::uint64_t{index.layer} * view.face_count() + index.face;
  const std::uint64_t slice_size = image_size / level.depth_texels;
  const ByteSpan stored = ByteSpan(bytes).subspan(image * image_size + index.slice * slice_size, slice_size);
  out.type = decoded_type(*view.format());
  out.pixels.resize(out.row_bytes() * out.height_texels);
  if (layout) {
    out.source_channels = static_cast<std::uint8_t>(layout->channels);
    widen_texels(stored, *layout, out);
  } else if (bc6h) {
    out.source_channels = 3;
    decode_bc6h_image(stored, out);
  } else if (astc) {
    decode_astc_image(stored, *astc, view.is_srgb() ? AstcDecode::kSrgb : AstcDecode::kLinear, out);
  } else if (channel_wise) {
    decode_channel_blocks(stored, channel_wise, out);
  } else {
    std::vector<Rgba8> colors(std::size_t{out.width_texels} * out.height_texels);
    ASSETC_CHECK(decode_blocks(stored, *blocks, out.width_texels, out.height_texels, colors));
    std::memcpy(out.pixels.data(), colors.data(), out.pixels.size());
  }
  if (channels == Channels::kSwizzled) {
    if (const auto map = parse_channels(view.text("KTXswizzle"))) apply_channels(*map, out);
  }
  return out;
}

}  // namespace assetc::texture
