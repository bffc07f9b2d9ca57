// Pictures with an orientation in their Exif data.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "import/image/image.hpp"
#include "import/image_builders.hpp"

namespace assetc::importer {
namespace {

using assetc::testing::encode_jpeg;
using assetc::testing::encode_png_rgba8;
using assetc::testing::noise_bytes;
using Texel = std::array<int, 4>;

Texel texel_of(const scene::Image& image, std::uint32_t x, std::uint32_t y) {
  Texel t{};
  for (std::size_t c = 0; c < 4; ++c)
    t[c] = std::to_integer<int>(image.pixels[(std::size_t{y} * image.width_texels + x) * 4 + c]);
  return t;
}
ByteVector exif_bytes(std::initializer_list<int> values) {
  ByteVector out;
  for (const int v : values) out.push_back(static_cast<std::byte>(v));
  return out;
}
void extend(ByteVector& out, const ByteVector& more) { out.insert(out.end(), more.begin(), more.end()); }

ByteVector png_chunk(std::string_view type, const ByteVector& data) {
  ByteVector checked;
  for (const char c : type) checked.push_back(static_cast<std::byte>(c));
  extend(checked, data);
  std::uint32_t crc = ~0u;
  for (const std::byte b : checked) {
    crc ^= std::to_integer<std::uint32_t>(b);
    for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
  }
  crc = ~crc;
  const auto big = [](std::uint32_t v) {
    return exif_bytes({static_cast<int>(v >> 24), static_cast<int>(v >> 16 & 255), static_cast<int>(v >> 8 & 255),
                       static_cast<int>(v & 255)});
  };
  ByteVector chunk = big(static_cast<std::uint32_t>(data.size()));
  extend(chunk, checked);
  extend(chunk, big(crc));
  return chunk;
}

// An Exif block with an orientation; prefix: with the prefix "Exif".
ByteVector exif_block(int orientation, bool prefix = true) {
  ByteVector exif = prefix ? exif_bytes({'E', 'x', 'i', 'f', 0, 0}) : ByteVector();
  extend(exif,
         exif_bytes({'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0}));
  return exif;
}
// The stored place of the texel that is shown at (x, y).
std::pair<std::uint32_t, std::uint32_t> stored_at(int orientation, std::uint32_t x, std::uint32_t y, std::uint32_t w,
                                                  std::uint32_t h) {
  switch (orientation) {
    case 2:
      return {w - 1 - x, y};
    case 3:
      return {w - 1 - x, h - 1 - y};
    case 4:
      return {x, h - 1 - y};
    case 5:
      return {y, x};
    case 6:
      return {y, h - 1 - x};
    case 7:
      return {w - 1 - y, h - 1 - x};
    case 8:
      return {w - 1 - y, x};
    default:
      return {x, y};
  }
}
void expect_oriented(const ByteVector& plain, const ByteVector& marked, int orientation) {
  const auto stored = decode_image(plain), seen = decode_image(marked);
  const auto info = read_image_info(marked);
  ASSERT_TRUE(stored && seen && info) << orientation;
  EXPECT_EQ(info->exif_orientation, orientation);
  const std::uint32_t w = stored->width_texels, h = stored->height_texels;
  EXPECT_EQ(seen->width_texels, orientation < 5 ? w : h);
  EXPECT_EQ(seen->height_texels, orientation < 5 ? h : w);
  EXPECT_EQ(info->width_texels, seen->width_texels);
  for (std::uint32_t y = 0; y < seen->height_texels; ++y) {
    for (std::uint32_t x = 0; x < seen->width_texels; ++x) {
      const auto [from_x, from_y] = stored_at(orientation, x, y, w, h);
      ASSERT_EQ(texel_of(*seen, x, y), texel_of(*stored, from_x, from_y)) << orientation << ": " << x << ", " << y;
    }
  }
}

TEST(Exif, turns_pictures_as_they_are_seen) {
  const ByteVector jpeg = encode_jpeg(7, 4, 3, noise_bytes(7 * 4 * 3));
  const ByteVector png = encode_png_rgba8(7, 4, noise_bytes(7 * 4 * 4));
  for (int orientation = 1; orientation <= 8; ++orientation) {
    ByteVector marked = jpeg;
    const ByteVector exif = exif_block(orientation);
    ByteVector app1 = exif_bytes({0xFF, 0xE1, 0, static_cast<int>(exif.size()) + 2});
    extend(app1, exif);
    marked.insert(marked.begin() + 2, app1.begin(), app1.end());
    expect_oriented(jpeg, marked, orientation);

    // After the texels, before IEND.
    const ByteVector chunk = png_chunk("eXIf", exif_block(orientation, false));
    ByteVector marked_png = png;
    marked_png.insert(marked_png.end() - 12, chunk.begin(), chunk.end());
    expect_oriented(png, marked_png, orientation);
  }
}

// A lossless WebP without and with the extended header, which EXIF requires.
TEST(Exif, of_webp_counts_too) {
  const ByteVector plain = assetc::testing::encode_webp_lossless(7, 4, noise_bytes(7 * 4 * 4));
  const ByteVector exif = exif_block(8);
  ByteVector marked(plain.begin(), plain.begin() + 12);
  extend(marked, exif_bytes({'V', 'P', '8', 'X', 10, 0, 0, 0, 0x18, 0, 0, 0, 6, 0, 0, 3, 0, 0}));  // alpha, EXIF, 7x4
  marked.insert(marked.end(), plain.begin() + 12, plain.end());
  if (marked.size() % 2 != 0) marked.push_back(std::byte{0});
  extend(marked, exif_bytes({'E', 'X', 'I', 'F', static_cast<int>(exif.size()), 0, 0, 0}));
  extend(marked, exif);
  const auto riff = static_cast<std::uint32_t>(marked.size() - 8);
  std::memcpy(marked.data() + 4, &riff, sizeof riff);
  expect_oriented(plain, marked, 8);
}

}  // namespace
}  // namespace assetc::importer
