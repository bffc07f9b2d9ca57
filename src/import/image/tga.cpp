// Reads Truevision TGA (specification 2.0), raw and run-length coded.
#include "import/image/formats.hpp"

namespace assetc::importer {
namespace {

constexpr std::size_t kTgaHeaderBytes = 18;

struct TgaHeader {
  unsigned id_bytes, map_type, image_type, map_first, map_count, map_bits, width, height, bits, descriptor;

  bool coded() const { return image_type >= 9; }
  unsigned kind() const { return image_type & 7; }  // 1 palette, 2 color, 3 gray (16 bits: gray and alpha)
  unsigned alpha_bits() const { return descriptor & 15; }
  bool right_to_left() const { return descriptor & 16; }
  bool top_down() const { return descriptor & 32; }
};

TgaHeader read_tga_header(ByteSpan b) {
  const auto u16 = [&](std::size_t at) { return unsigned{load<std::uint16_t>(b, at)}; };
  return {u8_at(b, 0), u8_at(b, 1), u8_at(b, 2), u16(3),       u16(5),
          u8_at(b, 7), u16(12),     u16(14),     u8_at(b, 16), u8_at(b, 17)};
}

bool is_color_depth(unsigned bits) { return bits == 15 || bits == 16 || bits == 24 || bits == 32; }

struct TgaColor {
  std::uint8_t r, g, b, a;
};

// Reads one value of `bits` (15, 16, 24 or 32) at p: little-endian BGR(A) or 1555.
TgaColor read_color(const std::byte* p, unsigned bits, bool alpha_bit) {
  const auto u = [p](int i) { return std::to_integer<unsigned>(p[i]); };
  if (bits <= 16) {
    const unsigned v = u(0) | u(1) << 8;
    const auto widen = [](unsigned c) { return static_cast<std::uint8_t>((c & 31) * 255 / 31); };
    return {widen(v >> 10), widen(v >> 5), widen(v), static_cast<std::uint8_t>(!alpha_bit || (v & 0x8000) ? 255 : 0)};
  }
  return {static_cast<std::uint8_t>(u(2)), static_cast<std::uint8_t>(u(1)), static_cast<std::uint8_t>(u(0)),
          static_cast<std::uint8_t>(bits == 32 ? u(3) : 255)};
}

std::unexpected<Error> tga_cut_short(ByteSpan bytes) {
  return fail_at(ErrorCode::kTruncated, byte_place(bytes.size()),
                 "the file ends before the last texel of the TGA picture", "export the picture again");
}

}  // namespace

bool is_tga(ByteSpan bytes) {
  if (bytes.size() < kTgaHeaderBytes) return false;
  const TgaHeader h = read_tga_header(bytes);
  if (h.map_type > 1 || (h.descriptor & 0xC0) || h.width == 0 || h.height == 0) return false;
  switch (h.image_type) {
    case 1:
    case 9:
      return h.map_type == 1 && h.bits == 8 && is_color_depth(h.map_bits) && h.map_count > 0;
    case 2:
    case 10:
      return is_color_depth(h.bits);
    case 3:
    case 11:
      return h.bits == 8 || h.bits == 16;
    default:
      return false;
  }
}

Result<ImageInfo> read_tga_info(ByteSpan bytes) {
  const TgaHeader h = read_tga_header(bytes);
  ImageInfo info{ImageFormat::kTga, h.width, h.height};
  const unsigned color_bits = h.kind() == 1 ? h.map_bits : h.bits;
  info.source_channels = h.kind() == 3                                              ? (h.bits == 16 ? 2 : 1)
                         : color_bits == 32 || (color_bits == 16 && h.alpha_bits()) ? 4
                                                                                    : 3;
  ASSETC_CHECK(check_image_size(h.width, h.height, "TGA header"));
  // A run packet encodes at most 128 texels in at least two bytes.
  ASSETC_CHECK(check_image_ratio(info, bytes.size(), 64));
  return info;
}

Result<scene::Image> decode_tga(ByteSpan bytes, const ImageInfo& info) {
  const TgaHeader h = read_tga_header(bytes);
  const bool alpha_bit = h.alpha_bits() == 1;
  std::uint64_t at = kTgaHeaderBytes + h.id_bytes;

  const std::size_t map_entry_bytes = (h.map_bits + 7) / 8;
  const std::uint64_t map_at = at;
  if (h.map_type == 1) {
    at += std::uint64_t{h.map_count} * map_entry_bytes;
    if (at > bytes.size()) return tga_cut_short(bytes);
  }

  const std::size_t source_bytes = (h.bits + 7) / 8;
  scene::Image image = make_image(info);
  bool bad_index = false;
  const auto read_texel = [&](const std::byte* p) -> TgaColor {
    if (h.kind() == 2) return read_color(p, h.bits, alpha_bit);
    const unsigned v = std::to_integer<unsigned>(*p);
    const auto gray = static_cast<std::uint8_t>(v);
    if (h.kind() == 3)
      return {gray, gray, gray, h.bits == 16 ? std::to_integer<std::uint8_t>(p[1]) : std::uint8_t{255}};
    if (v < h.map_first || v - h.map_first >= h.map_count) return bad_index = true, TgaColor{};
    return read_color(bytes.data() + map_at + (v - h.map_first) * map_entry_bytes, h.map_bits, alpha_bit);
  };

  // Packets may cross rows (older writers do this), so the state of the current packet must survive a row.
  unsigned packet_left = 0;
  bool run = false;
  TgaColor run_color{};
  for (std::uint32_t row = 0; row < h.height; ++row) {
    std::byte* out = image.pixels.data() + image.row_bytes() * (h.top_down() ? row : h.height - 1 - row);
    for (std::uint32_t column = 0; column < h.width; ++column) {
      TgaColor texel;
      if (h.coded() && packet_left == 0) {
        if (at >= bytes.size()) return tga_cut_short(bytes);
        const unsigned packet = u8_at(bytes, at++);
        packet_left = (packet & 127) + 1;
        run = packet & 128;
        if (run) {
          if (!range_fits(at, source_bytes, bytes.size())) return tga_cut_short(bytes);
          run_color = read_texel(bytes.data() + at);
          at += source_bytes;
        }
      }
      if (h.coded()) --packet_left;
      if (h.coded() && run) {
        texel = run_color;
      } else {
        if (!range_fits(at, source_bytes, bytes.size())) return tga_cut_short(bytes);
        texel = read_texel(bytes.data() + at);
        at += source_bytes;
      }
      std::memcpy(out + std::size_t{h.right_to_left() ? h.width - 1 - column : column} * 4, &texel, 4);
    }
    if (bad_index) {
      return fail_at(ErrorCode::kInvalidData, byte_place(at), "found a TGA color index outside of its palette",
                     "export the picture again");
    }
  }
  if (info.source_channels % 2 == 0) repair_unused_alpha(image);
  return image;
}

}  // namespace assetc::importer
