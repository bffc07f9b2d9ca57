// Photoshop documents, written here byte by byte; tests/interop/pictures.py has documents of other programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <initializer_list>
#include <string>

#include "import/image/image.hpp"

namespace assetc::importer {
namespace {

using ::testing::HasSubstr;

struct Psd {
  std::uint16_t version = 1, channels = 3, bits = 8, mode = 3;
  std::uint32_t width = 2, height = 1;
  ByteVector palette = {}, resources = {}, layers = {};
};

void put(ByteVector& out, std::uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) out.push_back(static_cast<std::byte>(value >> (8 * i)));
}
void put_section(ByteVector& out, ByteSpan bytes, int size_bytes) {
  put(out, bytes.size(), size_bytes);
  append_bytes(out, bytes);
}
ByteVector bytes(std::initializer_list<int> values) {
  ByteVector out;
  for (const int v : values) out.push_back(static_cast<std::byte>(v));
  return out;
}

// picture: the data from the compression field on.
ByteVector psd(const Psd& p, ByteSpan picture) {
  ByteVector out;
  append_bytes(out, as_bytes("8BPS"));
  put(out, p.version, 2);
  out.resize(out.size() + 6);
  put(out, p.channels, 2);
  put(out, p.height, 4);
  put(out, p.width, 4);
  put(out, p.bits, 2);
  put(out, p.mode, 2);
  put_section(out, p.palette, 4);
  put_section(out, p.resources, 4);
  put_section(out, p.layers, p.version == 2 ? 8 : 4);
  append_bytes(out, picture);
  return out;
}

std::string texels(const Psd& p, const ByteVector& picture) {
  const auto image = decode_image(psd(p, picture));
  if (!image) return image.error().to_string();
  std::string out;
  for (std::size_t i = 0; i < image->pixels.size(); i += scene::channel_bytes(image->type)) {
    switch (image->type) {
      case scene::PixelType::kU8:
        out += std::to_string(load<std::uint8_t>(image->pixels, i));
        break;
      case scene::PixelType::kU16:
        out += std::to_string(load<std::uint16_t>(image->pixels, i));
        break;
      case scene::PixelType::kF32:
        out += std::to_string(load<float>(image->pixels, i));
        break;
    }
    out += ' ';
  }
  return out;
}

ByteVector layer_count(int count) { return bytes({0, 0, 0, 2, (count >> 8) & 0xFF, count & 0xFF}); }

TEST(Psd, rows_come_by_channel_plain_or_packed) {
  EXPECT_EQ(texels({}, bytes({0, 0, 1, 2, 3, 4, 5, 6})), "1 3 5 255 2 4 6 255 ");
  // Row sizes, then rows: two literal bytes; one byte repeated twice; the same after a no-op byte.
  EXPECT_EQ(texels({}, bytes({0, 1, 0, 3, 0, 2, 0, 3, 1, 1, 2, 255, 9, 128, 255, 7})), "1 9 7 255 2 9 7 255 ");
  EXPECT_EQ(texels({.version = 2, .channels = 1, .mode = 1}, bytes({0, 1, 0, 0, 0, 3, 1, 1, 2})),
            "1 1 1 255 2 2 2 255 ");
}

TEST(Psd, channels_of_16_and_32_bits) {
  EXPECT_EQ(texels({.channels = 1, .bits = 16, .mode = 1}, bytes({0, 0, 1, 2, 255, 255})),
            "258 258 258 65535 65535 65535 65535 65535 ");
  ByteVector light = bytes({0, 0});
  for (const float v : {0.5f, std::bit_cast<float>(0x7F800000u), 3.0f, std::bit_cast<float>(0x7FC00000u), 1.0f, -1.0f})
    put(light, std::bit_cast<std::uint32_t>(v), 4);
  EXPECT_EQ(texels({.bits = 32}, light),
            "0.500000 3.000000 1.000000 1.000000 65504.000000 0.000000 -1.000000 1.000000 ");
}

TEST(Psd, color_on_white_is_taken_off_it) {
  const ByteVector picture = bytes({0, 0, 255, 100, 255, 100, 127, 100, 128, 255});
  EXPECT_EQ(texels({.channels = 4, .layers = layer_count(-1)}, picture), "255 255 0 128 100 100 100 255 ");
  EXPECT_EQ(texels({.channels = 4, .layers = layer_count(1)}, picture), "255 255 127 128 100 100 100 255 ")
      << "a saved selection becomes alpha unchanged";
}

TEST(Psd, other_color_modes) {
  EXPECT_EQ(texels({.channels = 4, .mode = 4}, bytes({0, 0, 255, 0, 255, 0, 0, 0, 255, 255})),
            "255 255 0 255 0 0 0 255 ");
  ByteVector palette(768);
  palette[5] = std::byte{50}, palette[256 + 5] = std::byte{60}, palette[512 + 5] = std::byte{70};
  EXPECT_EQ(texels({.channels = 1, .mode = 2, .palette = palette}, bytes({0, 0, 5, 0})), "50 60 70 255 0 0 0 255 ");
  EXPECT_EQ(texels({.channels = 2, .mode = 1}, bytes({0, 0, 9, 8, 7, 6})), "9 9 9 7 8 8 8 6 ");
  EXPECT_THAT(texels({.mode = 9}, bytes({0, 0, 1, 2, 3, 4, 5, 6})),
              HasSubstr("found color mode 9, expected grayscale"));
}

TEST(Psd, a_document_without_its_picture_is_refused) {
  ByteVector resources;
  append_bytes(resources, as_bytes("8BIM"));
  put(resources, 1057, 2);
  put(resources, 0, 2);
  put_section(resources, bytes({0, 0, 0, 1, 0}), 4);
  resources.push_back(std::byte{0});
  EXPECT_THAT(texels({.resources = resources}, bytes({0, 0, 1, 2, 3, 4, 5, 6})), HasSubstr("Maximize Compatibility"));
  resources[resources.size() - 2] = std::byte{1};
  EXPECT_EQ(texels({.resources = resources}, bytes({0, 0, 1, 2, 3, 4, 5, 6})), "1 3 5 255 2 4 6 255 ");
}

TEST(Psd, every_prefix_is_refused) {
  const ByteVector file = psd({.layers = layer_count(1)}, bytes({0, 1, 0, 3, 0, 2, 0, 2, 1, 1, 2, 255, 9, 255, 7}));
  ASSERT_TRUE(decode_image(file));
  for (std::size_t size = 0; size < file.size(); ++size) {
    const ByteVector prefix(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(decode_image(prefix)) << size;
  }
}

TEST(Psd, damage_has_a_place) {
  EXPECT_THAT(texels({}, bytes({0, 1, 0, 2, 0, 2, 0, 2, 200, 1, 255, 9, 255, 7})),
              HasSubstr("found a row of PackBits"));
  EXPECT_THAT(texels({}, bytes({0, 2, 1, 2, 3})), HasSubstr("found compression 2, expected none or PackBits"));
  EXPECT_THAT(texels({.width = 40000}, bytes({0, 0})), HasSubstr("the limits are"));
  EXPECT_THAT(texels({.width = 16384, .height = 16384}, bytes({0, 0})), HasSubstr("too short for"));
}

}  // namespace
}  // namespace assetc::importer
