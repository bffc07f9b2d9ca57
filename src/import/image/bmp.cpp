// Windows bitmaps: core, info, V2 to V5 headers; 1, 4, 8 bits with palette, 16, 24, 32 bits with masks; RLE4 and RLE8.
#include <bit>

#include "base/plural.hpp"
#include "import/image/formats.hpp"

namespace assetc::importer {
namespace {

constexpr std::size_t kFileHeaderBytes = 14;

enum Compression : std::uint32_t { kRgb = 0, kRle8 = 1, kRle4 = 2, kBitFields = 3, kAlphaBitFields = 6 };

struct BmpHeader {
  std::uint32_t pixels_at = 0;
  std::uint32_t header_bytes = 0;
  std::uint32_t width = 0, height = 0;
  bool top_down = false;
  std::uint32_t bits = 0;
  std::uint32_t compression = kRgb;
  std::uint32_t palette_count = 0;
  std::uint32_t palette_entry_bytes = 4;
  std::uint64_t palette_at = 0;
  std::uint32_t masks[4] = {};  // R, G, B, A

  bool coded() const { return compression == kRle4 || compression == kRle8; }
};

std::unexpected<Error> invalid(std::uint64_t at, std::string what) {
  return fail_at(ErrorCode::kInvalidData, byte_place(at), std::move(what), "export the picture again");
}
std::unexpected<Error> bmp_cut_short(ByteSpan bytes) {
  return fail_at(ErrorCode::kTruncated, byte_place(bytes.size()), "the file ends before the BMP picture does",
                 "export the picture again");
}

Result<BmpHeader> read_bmp_header(ByteSpan b) {
  BmpHeader h;
  if (b.size() < kFileHeaderBytes + 12) return bmp_cut_short(b);
  h.pixels_at = load<std::uint32_t>(b, 10);
  h.header_bytes = load<std::uint32_t>(b, 14);
  const bool core = h.header_bytes == 12;
  if (!core && (h.header_bytes < 40 || h.header_bytes > 124)) {
    return invalid(14, "found a BMP header of " + counted(h.header_bytes, "byte") + ", expected 12 or 40 to 124");
  }
  if (!range_fits(kFileHeaderBytes, h.header_bytes, b.size())) return bmp_cut_short(b);
  std::uint64_t after = kFileHeaderBytes + h.header_bytes;
  if (core) {
    h.width = load<std::uint16_t>(b, 18);
    h.height = load<std::uint16_t>(b, 20);
    h.bits = load<std::uint16_t>(b, 24);
    h.palette_entry_bytes = 3;
  } else {
    const auto width = load<std::int32_t>(b, 18);
    const auto height = load<std::int32_t>(b, 22);
    if (width <= 0 || height == 0 || height == INT32_MIN) return invalid(18, "found a BMP without texels");
    h.width = static_cast<std::uint32_t>(width);
    h.top_down = height < 0;
    h.height = static_cast<std::uint32_t>(h.top_down ? -height : height);
    h.bits = load<std::uint16_t>(b, 28);
    h.compression = load<std::uint32_t>(b, 30);
    h.palette_count = load<std::uint32_t>(b, 46);
  }
  switch (h.bits) {
    case 1:
    case 4:
    case 8:
    case 16:
    case 24:
    case 32:
      break;
    default:
      return invalid(28, "found a BMP of " + counted(h.bits, "bit") + " a texel, expected 1, 4, 8, 16, 24 or 32");
  }
  const bool fields = h.compression == kBitFields || h.compression == kAlphaBitFields;
  if (h.compression != kRgb && !(h.compression == kRle8 && h.bits == 8) && !(h.compression == kRle4 && h.bits == 4) &&
      !(fields && (h.bits == 16 || h.bits == 32))) {
    return fail_at(ErrorCode::kUnsupported, byte_place(30),
                   "found BMP compression " + std::to_string(h.compression) + " at " + counted(h.bits, "bit"),
                   "save it as PNG");
  }
  if (h.coded() && h.top_down)
    return invalid(22, "found a run-length coded BMP stored top down, which the format forbids");
  if (fields) {
    std::size_t mask_count = 3;
    if (h.compression == kAlphaBitFields || h.header_bytes >= 56) mask_count = 4;
    if (!range_fits(54, mask_count * 4, b.size())) return bmp_cut_short(b);
    for (std::size_t i = 0; i < mask_count; ++i) h.masks[i] = load<std::uint32_t>(b, 54 + i * 4);
    if (h.header_bytes == 40) after += mask_count * 4;
  } else if (h.bits == 16) {
    h.masks[0] = 0x7C00, h.masks[1] = 0x03E0, h.masks[2] = 0x001F;
  } else if (h.bits == 32) {
    h.masks[0] = 0xFF0000, h.masks[1] = 0xFF00, h.masks[2] = 0xFF, h.masks[3] = 0xFF000000;
  }
  for (std::uint32_t mask : h.masks) {
    const auto packed = mask == 0 ? 0u : mask >> std::countr_zero(mask);
    if (packed & (packed + 1)) return invalid(54, "found a BMP channel mask with a gap");
  }
  if (h.bits <= 8) {
    const std::uint32_t most = 1u << h.bits;
    if (h.palette_count == 0) h.palette_count = most;
    if (h.palette_count > most)
      return invalid(46, "found a BMP palette of " + counted(h.palette_count, "color") + ", expected at most " +
                             std::to_string(most));
    h.palette_at = after;
    if (!range_fits(after, std::uint64_t{h.palette_count} * h.palette_entry_bytes, b.size())) return bmp_cut_short(b);
  }
  if (h.pixels_at < after) return invalid(10, "found BMP texels that start inside its header");
  return h;
}

std::uint8_t take_channel(std::uint32_t value, std::uint32_t mask) {
  if (mask == 0) return 0;
  const std::uint64_t most = mask >> std::countr_zero(mask);
  const std::uint64_t v = (value & mask) >> std::countr_zero(mask);
  return static_cast<std::uint8_t>((v * 255 + most / 2) / most);
}

struct BmpColor {
  std::uint8_t r, g, b, a;
};

// Expands RLE4 and RLE8 to one index per texel, bottom row first. Texels that a delta, an early end of row or an early
// end of bitmap skips get index 0, as Windows draws them.
Result<ByteVector> expand_runs(ByteSpan bytes, const BmpHeader& h) {
  ByteVector indices(std::size_t{h.width} * h.height);
  std::uint64_t at = h.pixels_at;
  std::size_t x = 0, y = 0;
  const bool nibbles = h.compression == kRle4;
  const auto put = [&](unsigned value) { indices[y * h.width + x++] = static_cast<std::byte>(value); };
  while (true) {
    if (!range_fits(at, 2, bytes.size())) return bmp_cut_short(bytes);
    const unsigned count = u8_at(bytes, at), value = u8_at(bytes, at + 1);
    const std::uint64_t packet_at = at;
    at += 2;
    if (count == 0 && value == 1) return indices;
    if (count == 0 && value == 0) {
      x = 0, ++y;
      continue;
    }
    if (count == 0 && value == 2) {
      if (!range_fits(at, 2, bytes.size())) return bmp_cut_short(bytes);
      x += u8_at(bytes, at), y += u8_at(bytes, at + 1);
      at += 2;
      if (x > h.width || y >= h.height) return invalid(packet_at, "found a BMP delta that leaves the picture");
      continue;
    }
    if (x == h.width) x = 0, ++y;  // writers may omit the end of a full row
    const unsigned texels = count == 0 ? value : count;
    if (y >= h.height || texels > h.width - x) return invalid(packet_at, "found a BMP run that leaves its row");
    if (count > 0) {
      for (unsigned i = 0; i < count; ++i) put(!nibbles ? value : i % 2 ? value & 15 : value >> 4);
      continue;
    }
    const std::size_t literal_bytes = nibbles ? (value + 1) / 2 : value;
    const std::size_t padded_bytes = (literal_bytes + 1) / 2 * 2;
    if (!range_fits(at, padded_bytes, bytes.size())) return bmp_cut_short(bytes);
    for (unsigned i = 0; i < value; ++i) {
      const unsigned v = u8_at(bytes, at + (nibbles ? i / 2 : i));
      put(!nibbles ? v : i % 2 ? v & 15 : v >> 4);
    }
    at += padded_bytes;
  }
}

}  // namespace

// "BM" alone is not enough. The header length that follows must be a valid one.
bool is_bmp(ByteSpan bytes) {
  if (bytes.size() < 18) return true;
  const auto header_bytes = load<std::uint32_t>(bytes, 14);
  return header_bytes == 12 || (header_bytes >= 40 && header_bytes <= 124);
}

Result<ImageInfo> read_bmp_info(ByteSpan bytes) {
  ASSETC_TRY(const BmpHeader h, read_bmp_header(bytes));
  ASSETC_CHECK(check_image_size(h.width, h.height, "BMP header"));
  ImageInfo info{ImageFormat::kBmp, h.width, h.height};
  info.source_channels = h.bits > 8 && h.masks[3] != 0 ? 4 : 3;
  if (std::ranges::any_of(h.masks, [](std::uint32_t mask) { return std::popcount(mask) > 8; }))
    info.left_out = kBitsBeyond8;
  ASSETC_CHECK(check_image_ratio(info, bytes.size(), h.coded() ? 128 : 8));
  return info;
}

Result<scene::Image> decode_bmp(ByteSpan bytes, const ImageInfo& info) {
  ASSETC_TRY(BmpHeader h, read_bmp_header(bytes));
  ByteVector expanded;
  ByteSpan source = bytes;
  std::uint64_t at = h.pixels_at;
  std::uint64_t stride_bytes = (std::uint64_t{h.width} * h.bits + 31) / 32 * 4;
  if (h.coded()) {
    ASSETC_TRY(expanded, expand_runs(bytes, h));
    source = expanded;
    at = 0;
    stride_bytes = h.width;
    h.bits = 8;
  } else if (!range_fits(at, stride_bytes * h.height, bytes.size())) {
    return bmp_cut_short(bytes);
  }

  BmpColor palette[256] = {};
  for (std::uint32_t i = 0; i < h.palette_count && h.bits <= 8; ++i) {
    const std::size_t entry = h.palette_at + std::size_t{i} * h.palette_entry_bytes;
    palette[i] = {u8_at(bytes, entry + 2), u8_at(bytes, entry + 1), u8_at(bytes, entry), 255};
  }

  scene::Image image = make_image(info);
  for (std::uint32_t y = 0; y < h.height; ++y) {
    const std::size_t row_at = at + stride_bytes * (h.top_down ? y : h.height - 1 - y);
    std::byte* out = image.pixels.data() + image.row_bytes() * y;
    for (std::uint32_t x = 0; x < h.width; ++x, out += 4) {
      BmpColor texel{};
      if (h.bits <= 8) {
        const unsigned per_byte = 8 / h.bits;
        const unsigned shift = 8 - h.bits * (x % per_byte + 1);
        const unsigned index = (u8_at(source, row_at + x / per_byte) >> shift) & ((1u << h.bits) - 1);
        if (index >= h.palette_count)
          return invalid(row_at + x / per_byte, "found a BMP color index outside of its palette");
        texel = palette[index];
      } else if (h.bits == 24) {
        texel = {u8_at(source, row_at + x * 3u + 2), u8_at(source, row_at + x * 3u + 1), u8_at(source, row_at + x * 3u),
                 255};
      } else {
        const std::uint32_t v = h.bits == 16 ? load<std::uint16_t>(source, row_at + std::size_t{x} * 2)
                                             : load<std::uint32_t>(source, row_at + std::size_t{x} * 4);
        texel = {take_channel(v, h.masks[0]), take_channel(v, h.masks[1]), take_channel(v, h.masks[2]),
                 h.masks[3] ? take_channel(v, h.masks[3]) : std::uint8_t{255}};
      }
      std::memcpy(out, &texel, 4);
    }
  }
  if (info.source_channels == 4) repair_unused_alpha(image);
  return image;
}

}  // namespace assetc::importer
