// Reads DDS: the header of Direct3D 9, and the optional header of Direct3D 10 that follows it.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "assetc/formats/fourcc.hpp"
#include "assetc/runtime/gpu.hpp"
#include "base/plural.hpp"
#include "import/texture/parts.hpp"
#include "texture/color.hpp"

namespace assetc::importer {
namespace dds {
namespace {

constexpr std::size_t kHeaderBytes = 128, kHeader10Bytes = 20;
// Offsets of header fields, counted from the magic.
constexpr std::size_t kSizeAt = 4, kFlagsAt = 8, kHeightAt = 12, kWidthAt = 16, kPitchAt = 20, kDepthAt = 24,
                      kLevelsAt = 28, kPixelSizeAt = 76, kPixelFlagsAt = 80, kFourCcAt = 84, kBitsAt = 88,
                      kMasksAt = 92, kCapsAt = 112;
enum PixelFlags : std::uint32_t {
  kAlphaPixels = 0x1,
  kAlphaOnly = 0x2,
  kFourCc = 0x4,
  kPalette = 0x20,
  kRgb = 0x40,
  kLuminance = 0x20000,
  kBumpDuDv = 0x80000
};
constexpr std::uint32_t kPitchFlag = 0x8;  // of the header's flags
constexpr std::size_t kPaletteBytes = 256 * 4;
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

// How texels become those of the stored format.
enum class Unpack : std::uint8_t {
  kNone,
  kMasks,
  kSignedMasks,  // of two's complement numbers, which become 0 to 1
  kPalette,      // 256 entries of RGBA precede the texels
  kRgb9e5,       // an exponent for three channels
  kR11g11b10f,   // floats without signs
};

struct Format {
  TexelFormat stored = TexelFormat::kRgba8;
  std::optional<ktx2::Transfer> transfer = {};  // nothing if the file does not say
  bool is_premultiplied = false;
  std::optional<Masks> masks = {};  // of Unpack::kMasks and kSignedMasks
  std::string swizzle = {};
  Unpack special = Unpack::kNone;

  Unpack unpack() const { return special != Unpack::kNone ? special : masks ? Unpack::kMasks : Unpack::kNone; }
  // Bytes of a texel in the file. Requires unpack() != kNone, or a format without blocks.
  std::size_t packed_bytes() const {
    switch (unpack()) {
      case Unpack::kNone:
        return block_shape(stored).size_bytes;
      case Unpack::kMasks:
      case Unpack::kSignedMasks:
        return masks->bits / 8;
      case Unpack::kPalette:
        return 1;
      case Unpack::kRgb9e5:
      case Unpack::kR11g11b10f:
        break;
    }
    return 4;
  }
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
  if (is("ATI2") || is("BC5U") || is("A2XY")) return Format{TexelFormat::kBc5};
  if (is("RXGB")) return Format{TexelFormat::kBc3, ktx2::Transfer::kLinear, false, {}, "agb1"};  // X in alpha
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
    case 26:
      return Format{.stored = TexelFormat::kRgba16f, .transfer = kLinear, .special = Unpack::kR11g11b10f};
    case 67:
      return Format{.stored = TexelFormat::kRgba16f, .transfer = kLinear, .special = Unpack::kRgb9e5};
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
  if ((flags & kPalette) != 0 && masks.bits == 8) return Format{.special = Unpack::kPalette};
  for (std::size_t c = 0; c < 4; ++c) masks.of_channel[c] = load<std::uint32_t>(file, kMasksAt + 4 * c);
  if (masks.bits != 8 && masks.bits != 16 && masks.bits != 24 && masks.bits != 32)
    return unsupported(kBitsAt, "found texels of " + counted(masks.bits, "bit") + ", expected 8, 16, 24 or 32");
  if ((flags & (kAlphaPixels | kAlphaOnly)) == 0) masks.of_channel[3] = 0;
  Format format;
  if ((flags & kBumpDuDv) != 0) {
    if (masks.of_channel[2] == 0) masks.channel_count = 2;
    format.transfer = ktx2::Transfer::kLinear;
    format.special = Unpack::kSignedMasks;
  } else if ((flags & kLuminance) != 0) {
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

// A number of `bits` in two's complement as 0 to `full`: -1 to 1 become 0 to full.
std::uint64_t unsigned_of(std::uint64_t number, int bits, std::uint64_t full) {
  const std::int64_t most = (std::int64_t{1} << (bits - 1)) - 1;
  auto value = static_cast<std::int64_t>(number);
  if (value > most) value -= std::int64_t{1} << bits;
  if (most == 0) return value == 0 ? full : 0;
  const std::int64_t above_least = std::max(value, -most) + most;  // the least number has no positive twin
  return (static_cast<std::uint64_t>(above_least) * full + static_cast<std::uint64_t>(most)) /
         static_cast<std::uint64_t>(2 * most);
}

// Unpacks the texels of one image.
ByteVector unpack(ByteSpan packed, const Masks& masks, TexelFormat stored, bool is_signed) {
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
        const std::uint64_t number = (texel & mask) >> std::countr_zero(mask);
        value = is_signed ? unsigned_of(number, std::popcount(mask), full) : (number * full + most / 2) / most;
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

// Unpacks 32-bit texels of floats to half floats, which hold all their values.
ByteVector unpack_floats(ByteSpan packed, Unpack kind) {
  ByteVector out;
  out.reserve(packed.size() * 2);
  for (std::size_t at = 0; at + 4 <= packed.size(); at += 4) {
    const auto texel = load<std::uint32_t>(packed, at);
    std::array<std::uint16_t, 4> halves{0, 0, 0, 0x3C00};
    if (kind == Unpack::kRgb9e5) {
      // VK_FORMAT_E5B9G9R9_UFLOAT_PACK32: a mantissa of 9 bits times 2^(exponent - 24).
      const auto scale = std::bit_cast<float>(((texel >> 27) + 127 - 24) << 23);
      for (unsigned c = 0; c < 3; ++c)
        halves[c] = texture::half_from_float(static_cast<float>(texel >> (9 * c) & 511) * scale);
    } else {
      // The exponent of a half, and 6 bits (5 in blue) of its mantissa.
      halves[0] = static_cast<std::uint16_t>((texel & 0x7FF) << 4);
      halves[1] = static_cast<std::uint16_t>((texel >> 11 & 0x7FF) << 4);
      halves[2] = static_cast<std::uint16_t>((texel >> 22) << 5);
    }
    append_array(out, std::span<const std::uint16_t>(halves));
  }
  return out;
}

ByteVector unpack_palette(ByteSpan packed, ByteSpan palette) {
  ByteVector out;
  out.reserve(packed.size() * 4);
  for (const std::byte index : packed) append_bytes(out, palette.subspan(std::to_integer<std::size_t>(index) * 4, 4));
  return out;
}

ByteVector unpack(ByteSpan packed, const Format& format, ByteSpan palette) {
  switch (format.unpack()) {
    case Unpack::kPalette:
      return unpack_palette(packed, palette);
    case Unpack::kRgb9e5:
    case Unpack::kR11g11b10f:
      return unpack_floats(packed, format.unpack());
    case Unpack::kNone:
      return {packed.begin(), packed.end()};
    case Unpack::kMasks:
    case Unpack::kSignedMasks:
      break;
  }
  return unpack(packed, *format.masks, format.stored, format.unpack() == Unpack::kSignedMasks);
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
  // Some writers count 24 bytes of pixel format, without two of its masks.
  if (field(kSizeAt) != 124 || (field(kPixelSizeAt) != 32 && field(kPixelSizeAt) != 24))
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

// Where the images of a file are.
class Images {
 public:
  Images(ByteSpan file, const Header& header) : file_(file), header_(header) {
    const ktx2::Texture& shape = header.texture.shape;
    is_plain_ = header.format.unpack() != Unpack::kNone || block_shape(shape.format).width_texels == 1;
    data_at_ = header.size_bytes + (header.format.unpack() == Unpack::kPalette ? kPaletteBytes : 0);
    // The pitch of many writers is wrong, so rows have padding only if the size of the file says so, too.
    const std::uint64_t tight = row_bytes(0), pitch = load<std::uint32_t>(file, kPitchAt);
    const bool has_pitch = is_plain_ && (load<std::uint32_t>(file, kFlagsAt) & kPitchFlag) != 0 && pitch > tight;
    if (!has_pitch || total_bytes() == file.size() - std::min<std::uint64_t>(data_at_, file.size())) return;
    alignment_ = pitch == (tight + 3) / 4 * 4 ? 4 : 1;
    pitch_ = pitch;
    if (data_at_ + total_bytes() == file.size()) return;
    alignment_ = 1;
    pitch_ = 0;
  }

  std::uint64_t data_at() const { return data_at_; }
  // Bytes of a level of one image in the file, with the padding of rows.
  std::uint64_t level_bytes(std::uint32_t level) const {
    if (!is_plain_) return image_bytes(header_.texture.shape, level);
    const LevelExtent extent = level_extent(header_.texture.shape, level);
    return padded_row(level) * extent.height_texels * extent.depth_texels;
  }
  bool has_padding() const { return pitch_ != 0; }
  ByteVector without_padding(ByteSpan stored, std::uint32_t level) const {
    ByteVector out;
    const std::uint64_t padded = padded_row(level), tight = row_bytes(level);
    for (std::uint64_t at = 0; at < stored.size(); at += padded) append_bytes(out, stored.subspan(at, tight));
    return out;
  }

 private:
  std::uint64_t row_bytes(std::uint32_t level) const {
    return std::uint64_t{level_extent(header_.texture.shape, level).width_texels} * header_.format.packed_bytes();
  }
  std::uint64_t padded_row(std::uint32_t level) const {
    if (pitch_ == 0) return row_bytes(level);
    return level == 0 ? pitch_ : (row_bytes(level) + alignment_ - 1) / alignment_ * alignment_;
  }
  std::uint64_t total_bytes() const {
    std::uint64_t one = 0;
    for (std::uint32_t level = 0; level < header_.level_count; ++level) one += level_bytes(level);
    return one * std::max(header_.texture.shape.layer_count, 1u) * header_.texture.shape.face_count;
  }

  ByteSpan file_;
  const Header& header_;
  bool is_plain_ = false;
  std::uint64_t data_at_ = 0, pitch_ = 0, alignment_ = 1;
};

// Writers that stop at the size of a block count levels that they do not write.
bool may_lack(const ktx2::Texture& shape, std::uint32_t level) {
  constexpr std::uint32_t kBlockTexels = 4;
  const LevelExtent extent = level_extent(shape, level);
  return level > 0 && shape.layer_count == 0 && shape.face_count == 1 && block_shape(shape.format).width_texels > 1 &&
         extent.width_texels <= kBlockTexels && extent.height_texels <= kBlockTexels;
}

}  // namespace

Result<ByteVector> as_ktx2(ByteSpan file, ktx2::Transfer unsaid, std::string* left_out) {
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
  const Images layout(file, header);
  const bool unpacks = format.unpack() != Unpack::kNone;
  ByteSpan palette;
  if (format.unpack() == Unpack::kPalette) {
    if (!range_fits(header.size_bytes, kPaletteBytes, file.size()))
      return fail_at(ErrorCode::kTruncated, byte_place(file.size()), "the file ends in the palette",
                     "export the texture again");
    palette = file.subspan(header.size_bytes, kPaletteBytes);
  }
  std::uint64_t at = layout.data_at();
  for (std::uint64_t image = 0; image < images; ++image) {
    for (std::uint32_t level = 0; level < header.level_count; ++level) {
      const std::uint64_t size = layout.level_bytes(level);
      if (at == file.size() && may_lack(shape, level)) {
        if (left_out != nullptr)
          *left_out = "mip levels from " + std::to_string(level) + " on, which the header counts and the file lacks";
        header.texture.levels.resize(level);
        break;
      }
      if (!range_fits(at, size, file.size())) {
        return fail_at(ErrorCode::kTruncated, byte_place(file.size()),
                       "the file ends in mip level " + std::to_string(level) + " of image " + std::to_string(image) +
                           " of " + std::to_string(images),
                       "export the texture again");
      }
      ByteSpan stored = file.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(size));
      if (layout.has_padding()) stored = unpacked.emplace_back(layout.without_padding(stored, level));
      if (unpacks) stored = unpacked.emplace_back(unpack(stored, format, palette));
      header.texture.levels[level].push_back(stored);
      at += size;
    }
  }
  if (at != file.size() && left_out != nullptr)
    *left_out = counted(file.size() - at, "byte") + " after the last mip level";
  return write_ktx2(header.texture);
}

}  // namespace dds

Result<ByteVector> ktx2_of_dds(ByteSpan file, ktx2::Transfer unsaid, std::string* left_out) {
  return dds::as_ktx2(file, unsaid, left_out);
}

}  // namespace assetc::importer
