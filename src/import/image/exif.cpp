// Reads the orientation of a picture from Exif 2.3, and turns pictures by it.
#include <cstring>
#include <utility>

#include "import/image/formats.hpp"

namespace assetc::importer {

// The orientation tag (0x0112) of IFD 0.
std::uint8_t exif_orientation(ByteSpan exif) {
  constexpr std::string_view kPrefix("Exif\0\0", 6);
  const ByteSpan tiff = has_prefix(exif, kPrefix) ? exif.subspan(kPrefix.size()) : exif;
  if (tiff.size() < 8) return 1;
  const bool big = u8_at(tiff, 0) == 'M';
  const auto u16 = [&](std::size_t at) { return big ? be16_at(tiff, at) : load<std::uint16_t>(tiff, at); };
  const auto u32 = [&](std::size_t at) { return big ? be32_at(tiff, at) : load<std::uint32_t>(tiff, at); };
  const std::uint64_t ifd = u32(4);
  if (!range_fits(ifd, 2, tiff.size())) return 1;
  const std::uint32_t count = u16(ifd);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t entry = ifd + 2 + std::uint64_t{12} * i;
    if (!range_fits(entry, 12, tiff.size())) return 1;
    if (u16(entry) != 0x0112) continue;
    const std::uint32_t value = u16(entry + 8);
    return static_cast<std::uint8_t>(value >= 1 && value <= 8 ? value : 1);
  }
  return 1;
}

scene::Image oriented(scene::Image image, std::uint8_t orientation) {
  if (orientation == 1) return image;
  const std::size_t texel = 4 * scene::channel_bytes(image.type);
  const std::uint32_t w = image.width_texels, h = image.height_texels;
  const bool swaps = swaps_sides(orientation);
  ByteVector turned(image.pixels.size());
  std::byte* to = turned.data();
  for (std::uint32_t y = 0; y < (swaps ? w : h); ++y) {
    for (std::uint32_t x = 0; x < (swaps ? h : w); ++x, to += texel) {
      std::uint32_t from_x = swaps ? y : x, from_y = swaps ? x : y;
      if (orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8) from_x = w - 1 - from_x;
      if (orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7) from_y = h - 1 - from_y;
      std::memcpy(to, image.pixels.data() + (std::size_t{from_y} * w + from_x) * texel, texel);
    }
  }
  image.pixels = std::move(turned);
  if (swaps) std::swap(image.width_texels, image.height_texels);
  return image;
}

}  // namespace assetc::importer
