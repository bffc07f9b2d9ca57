// Reads DDS: the header of Direct3D 9, and the optional header of Direct3D 10 that follows it.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "assetc/formats/fourcc.hpp"
#include "assetc/runtime/gpu.hpp"
#include "base/plural.hpp"
#include "import/texture/parts.hpp"

namespace assetc::importer {
namespace dds {
namespace {

constexpr std::size_t kHeaderBytes = 128, kHeader10Bytes = 20;
// Offsets of header fields, counted from the magic.
constexpr std::size_t kSizeAt = 4, kHeightAt = 12, kWidthAt = 16, kDepthAt = 24, kLevelsAt = 28, kPixelSizeAt = 76,
                      kPixelFlagsAt = 80, kFourCcAt = 84, kBitsAt = 88, kMasksAt = 92, kCapsAt = 112;
enum PixelFlags : std::uint32_t {
  kAlphaPixels = 0x1,
  kAlphaOnly = 0x2,
  kFourCc = 0x4,
  kRgb = 0x40,
  kLuminance = 0x20000
};
enum Caps2 : std::uint32_t { kCubemap = 0x200, kAllFaces = 0xFC00, kVolume = 0x200000 };

std::unexpected<Error> invalid(std::size_t at, std::string what) {
  return fail_at(ErrorCode::kInvalidData, byte_place(at), std::move(what), "export the texture again");
}
std::unexpected<Error> unsupported(std::size_t at, std::string what) {
  return fail_at(ErrorCode::kUnsupported, byte_place(at), std::move(what),
                 "export it as BC1 to BC7 or with 8 bits a channel, or start from the picture it was made from");
}

// A packed layout: the bit mask of each channel.
struct Masks {
  std::uint32_t bits = 0;                        // per texel: 8, 16, 24 or 32
  std::array<std::uint32_t, 4> of_channel = {};  // R, G, B, A; 0: the channel is missing
  std::uint32_t channel_count = 4;               // channels written: 1, 2 or 4
};

struct Format {
  TexelFormat stored = TexelFormat::kRgba8;
  std::optional<ktx2::Transfer> transfer = {};  // nothing if the file does not say
  bool is_premultiplied = false;
  std::optional<Masks> masks = {};  // set if texels must be unpacked to `stored`
  std::string swizzle = {};
};

// code: four characters, or a D3DFORMAT number.
std::optional<Format> format_of_fourcc(std::uint32_t code) {
  const auto is = [code](const char(&name)[5]) { return code == fourcc(name); };
  if (is("DXT1")) return Format{TexelFormat::kBc1Rgba};
  if (is("DXT2")) return Format{TexelFormat::kBc2, {}, true};
  if (is("DXT3")) return Format{TexelFormat::kBc2};
  if (is("DXT4")) return Format{TexelFormat::kBc3, {}, true};
  if (is("DXT5")) return Format{TexelFormat::kBc3};
  if (is("ATI1") || is("BC4U")) return Format{TexelFormat::kBc4};
  if (is("BC4S")) return Format{TexelFormat::kBc4Signed};
  if (is("ATI2") || is("BC5U")) return Format{TexelFormat::kBc5};
  if (is("BC5S")) return Format{TexelFormat::kBc5Signed};
  switch (code) {
    case 36:
      return Format{TexelFormat::kRgba16};
    case 111:
      return Format{TexelFormat::kR16f};
    case 112:
      return Format{TexelFormat::kRg16f};
    case 113:
      return Format{TexelFormat::kRgba16f};
    case 114:
      return Format{TexelFormat::kR32f};
    case 115:
      return Format{TexelFormat::kRg32f};
    case 116:
      return Format{TexelFormat::kRgba32f};
    default:
      return std::nullopt;
  }
}

// DXGI formats without a TexelFormat of their own. Their texels are unpacked.
std::optional<Format> unpacked_dxgi(std::uint32_t dxgi) {
  constexpr auto kLinear = ktx2::Transfer::kLinear, kSrgb = ktx2::Transfer::kSrgb;
  constexpr std::array<std::uint32_t, 4> kBgra{0xFF0000, 0xFF00, 0xFF, 0xFF000000}, kBgrx{0xFF0000, 0xFF00, 0xFF, 0};
  switch (dxgi) {
    case 24:
      return Format{TexelFormat::kRgba16, kLinear, false, Masks{32, {0x3FF, 0x3FF << 10, 0x3FF << 20, 0xC0000000}}};
    case 65:
      return Format{TexelFormat::kR8, kLinear, false, Masks{8, {0xFF}, 1}, "000r"};
    case 85:
      return Format{TexelFormat::kRgba8, kLinear, false, Masks{16, {0xF800, 0x7E0, 0x1F, 0}}};
    case 86:
      return Format{TexelFormat::kRgba8, kLinear, false, Masks{16, {0x7C00, 0x3E0, 0x1F, 0x8000}}};
    case 87:
      return Format{TexelFormat::kRgba8, kLinear, false, Masks{32, kBgra}};
    case 88:
      return Format{TexelFormat::kRgba8, kLinear, false, Masks{32, kBgrx}};
    case 91:
      return Format{TexelFormat::kRgba8, kSrgb, false, Masks{32, kBgra}};
    case 93:
      return Format{TexelFormat::kRgba8, kSrgb, false, Masks{32, kBgrx}};
    case 115:
      return Format{TexelFormat::kRgba8, kLinear, false, Masks{16, {0xF00, 0xF0, 0xF, 0xF000}}};
    default:
      return std::nullopt;
  }
}

std::optional<Format> format_of_dxgi(std::uint32_t dxgi) {
  if (dxgi == 0) return std::nullopt;
  for (const gpu::detail::Row& row : gpu::detail::kTextureFormats) {
    if (row.linear.dxgi == dxgi) return Format{row.format, ktx2::Transfer::kLinear};
    if (row.srgb.dxgi == dxgi) return Format{row.format, ktx2::Transfer::kSrgb};
  }
  return unpacked_dxgi(dxgi);
}

Result<Format> format_of_masks(ByteSpan file, std::uint32_t flags) {
  Masks masks{.bits = load<std::uint32_t>(file, kBitsAt)};
  for (std::size_t c = 0; c < 4; ++c) masks.of_channel[c] = load<std::uint32_t>(file, kMasksAt + 4 * c);
  if (masks.bits != 8 && masks.bits != 16 && masks.bits != 24 && masks.bits != 32)
    return unsupported(kBitsAt, "found texels of " + counted(masks.bits, "bit") + ", expected 8, 16, 24 or 32");
  if ((flags & (kAlphaPixels | kAlphaOnly)) == 0) masks.of_channel[3] = 0;
  Format format;
  if ((flags & kLuminance) != 0) {
    const bool has_alpha = masks.of_channel[3] != 0;
    masks.of_channel[1] = has_alpha ? masks.of_channel[3] : 0;
    masks.of_channel[2] = masks.of_channel[3] = 0;
    masks.channel_count = has_alpha ? 2 : 1;
    format.swizzle = has_alpha ? "rrrg" : "rrr1";
  } else if ((flags & kRgb) == 0) {
    masks.of_channel = {masks.of_channel[3]};
    masks.channel_count = 1;
    format.swizzle = "000r";
  }
  unsigned most_bits = 0;
  for (const std::uint32_t mask : masks.of_channel) {
    const auto bits = static_cast<unsigned>(std::popcount(mask));
    if (mask != 0 && (static_cast<unsigned>(std::bit_width(mask)) > masks.bits ||
                      static_cast<unsigned>(std::bit_width(mask >> std::countr_zero(mask))) != bits))
      return invalid(kMasksAt, "found masks of channels with gaps, or beyond the texel");
    most_bits = std::max(most_bits, bits);
  }
  if (most_bits == 0) return invalid(kMasksAt, "found no mask of any channel");
  if (most_bits > 16) return unsupported(kMasksAt, "found a channel of " + counted(most_bits, "bit"));
  using enum TexelFormat;
  const bool is_wide = most_bits > 8;
  switch (masks.channel_count) {
    case 1:
      format.stored = is_wide ? kR16 : kR8;
      break;
    case 2:
      format.stored = is_wide ? kRg16 : kRg8;
      break;
    default:
      format.stored = is_wide ? kRgba16 : kRgba8;
  }
  format.masks = masks;
  return format;
}

// Unpacks the texels of one image.
ByteVector unpack(ByteSpan packed, const Masks& masks, TexelFormat stored) {
  const std::size_t texel_bytes = masks.bits / 8;
  const bool is_wide = block_shape(stored).size_bytes > masks.channel_count;
  const std::uint64_t full = is_wide ? 0xFFFF : 0xFF;
  ByteVector out;
  out.reserve(packed.size() / texel_bytes * block_shape(stored).size_bytes);
  for (std::size_t at = 0; at + texel_bytes <= packed.size(); at += texel_bytes) {
    std::uint32_t texel = 0;
    std::memcpy(&texel, packed.data() + at, texel_bytes);
    for (std::uint32_t c = 0; c < masks.channel_count; ++c) {
      const std::uint32_t mask = masks.of_channel[c];
      std::uint64_t value = c == 3 ? full : 0;
      if (mask != 0) {
        const std::uint64_t most = mask >> std::countr_zero(mask);
        value = (((texel & mask) >> std::countr_zero(mask)) * full + most / 2) / most;
      }
      if (is_wide) {
        append(out, static_cast<std::uint16_t>(value));
      } else {
        append(out, static_cast<std::uint8_t>(value));
      }
    }
  }
  return out;
}

struct Header {
  StoredTexture texture;
  std::uint32_t level_count = 1;
  Format format;
  std::size_t size_bytes = kHeaderBytes;
};

Result<Header> read_header10(ByteSpan file, Header header) {
  header.size_bytes += kHeader10Bytes;
  if (file.size() < header.size_bytes)
    return fail_at(ErrorCode::kTruncated, byte_place(file.size()), "the header of Direct3D 10 is cut short",
                   "export the texture again");
  const auto field = [&](std::size_t i) { return load<std::uint32_t>(file, kHeaderBytes + 4 * i); };
  const std::uint32_t dxgi = field(0), dimension = field(1), alpha = field(4) & 7;
  const auto format = format_of_dxgi(dxgi);
  if (!format)
    return unsupported(kHeaderBytes, "found DXGI format " + std::to_string(dxgi) + ", which is not read here");
  header.format = *format;
  header.format.is_premultiplied = alpha == 2;
  if (alpha == 3 && header.format.stored == TexelFormat::kBc1Rgba) header.format.stored = TexelFormat::kBc1Rgb;
  ktx2::Texture& shape = header.texture.shape;
  shape.face_count = (field(2) & 4) != 0 ? 6 : 1;
  shape.layer_count = field(3) > 1 ? field(3) : 0;
  if (dimension == 4) {
    shape.depth_texels = std::max(load<std::uint32_t>(file, kDepthAt), 1u);
  } else if (dimension == 2) {
    shape.height_texels = 1;
  } else if (dimension != 3) {
    return invalid(kHeaderBytes + 4, "found resource dimension " + std::to_string(dimension) + ", expected 2, 3 or 4");
  }
  if (shape.depth_texels != 0 && (shape.face_count == 6 || shape.layer_count != 0))
    return invalid(kHeaderBytes + 4, "found a three-dimensional texture with layers or faces");
  return header;
}

Result<Header> read_header(ByteSpan file) {
  if (file.size() < kHeaderBytes) {
    return fail_at(ErrorCode::kTruncated, byte_place(file.size()), "the DDS header of 128 bytes is cut short",
                   "export the texture again");
  }
  const auto field = [&](std::size_t at) { return load<std::uint32_t>(file, at); };
  if (field(kSizeAt) != 124 || field(kPixelSizeAt) != 32)
    return invalid(kSizeAt, "found header sizes of " + std::to_string(field(kSizeAt)) + " and " +
                                std::to_string(field(kPixelSizeAt)) + " bytes, expected 124 and 32");
  Header header;
  ktx2::Texture& shape = header.texture.shape;
  shape.width_texels = field(kWidthAt);
  shape.height_texels = field(kHeightAt);
  header.level_count = std::max(field(kLevelsAt), 1u);
  const std::uint32_t flags = field(kPixelFlagsAt);
  if ((flags & kFourCc) != 0 && field(kFourCcAt) == fourcc("DX10")) return read_header10(file, std::move(header));
  const std::uint32_t caps = field(kCapsAt);
  if ((caps & kCubemap) != 0) {
    if ((caps & kAllFaces) != kAllFaces)
      return unsupported(kCapsAt,
                         "found a cubemap of " + counted(std::popcount(caps & kAllFaces), "face") + ", expected all 6");
    shape.face_count = 6;
  } else if ((caps & kVolume) != 0) {
    shape.depth_texels = std::max(field(kDepthAt), 1u);
  }
  if ((flags & kFourCc) != 0) {
    const auto format = format_of_fourcc(field(kFourCcAt));
    if (!format)
      return unsupported(kFourCcAt, "found format " + fourcc_text(field(kFourCcAt)) + ", which is not read here");
    header.format = *format;
  } else {
    ASSETC_TRY(header.format, format_of_masks(file, flags));
  }
  return header;
}

}  // namespace

Result<ByteVector> as_ktx2(ByteSpan file, ktx2::Transfer unsaid) {
  ASSETC_TRY(Header header, read_header(file));
  ktx2::Texture& shape = header.texture.shape;
  const Format& format = header.format;
  shape.format = format.stored;
  shape.transfer = format.transfer.value_or(unsaid);
  if (!has_srgb_form(shape.format) || !ktx2::vk_format(shape.format, shape.transfer))
    shape.transfer = ktx2::Transfer::kLinear;
  shape.premultiplied_alpha = format.is_premultiplied;
  shape.swizzle = format.swizzle;
  ASSETC_CHECK(check_shape(shape, header.level_count, "DDS header"));
  if (shape.face_count == 6 && shape.width_texels != shape.height_texels)
    return invalid(kHeightAt, "found a cubemap whose faces are not square");

  header.texture.levels.resize(header.level_count);
  const std::uint64_t images = std::uint64_t{std::max(shape.layer_count, 1u)} * shape.face_count;
  std::vector<ByteVector> unpacked;
  std::uint64_t at = header.size_bytes;
  for (std::uint64_t image = 0; image < images; ++image) {
    for (std::uint32_t level = 0; level < header.level_count; ++level) {
      std::uint64_t size = image_bytes(shape, level);
      if (format.masks) size = size / block_shape(shape.format).size_bytes * (format.masks->bits / 8);
      if (!range_fits(at, size, file.size())) {
        return fail_at(ErrorCode::kTruncated, byte_place(file.size()),
                       "the file ends in mip level " + std::to_string(level) + " of image " + std::to_string(image) +
                           " of " + std::to_string(images),
                       "export the texture again");
      }
      const ByteSpan stored = file.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(size));
      header.texture.levels[level].push_back(
          format.masks ? ByteSpan(unpacked.emplace_back(unpack(stored, *format.masks, shape.format))) : stored);
      at += size;
    }
  }
  if (at != file.size())
    return invalid(static_cast<std::size_t>(at),
                   "found " + counted(file.size() - at, "byte") + " after the last mip level");
  return write_ktx2(header.texture);
}

}  // namespace dds

Result<ByteVector> ktx2_of_dds(ByteSpan file, ktx2::Transfer unsaid) { return dds::as_ktx2(file, unsaid); }

}  // namespace assetc::importer
