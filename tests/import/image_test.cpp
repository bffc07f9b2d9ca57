#include "import/image/image.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "corpus.hpp"
#include "import/image_builders.hpp"

namespace assetc::importer {
namespace {

using assetc::testing::encode_jpeg;
using assetc::testing::encode_png;
using assetc::testing::encode_webp_lossless;
using assetc::testing::noise_bytes;
using scene::PixelType;
using ::testing::HasSubstr;

using Texel = std::array<int, 4>;

Texel texel(const scene::Image& image, std::uint32_t x, std::uint32_t y) {
  const std::size_t at = (std::size_t{y} * image.width_texels + x) * 4;
  Texel t{};
  for (std::size_t c = 0; c < 4; ++c) {
    t[c] = image.type == PixelType::kU16 ? load<std::uint16_t>(image.pixels, (at + c) * 2)
                                         : std::to_integer<int>(image.pixels[at + c]);
  }
  return t;
}

ByteVector bytes_of(std::initializer_list<int> values) {
  ByteVector v;
  for (int value : values) v.push_back(static_cast<std::byte>(value));
  return v;
}

void put16(ByteVector& v, std::size_t at, unsigned value) {
  v[at] = static_cast<std::byte>(value);
  v[at + 1] = static_cast<std::byte>(value >> 8);
}
void put32(ByteVector& v, std::size_t at, std::uint32_t value) {
  put16(v, at, value & 0xFFFF);
  put16(v, at + 2, value >> 16);
}

// The value of sample i of a PNG row packed at `depth` bits.
int sample(ByteSpan row, std::size_t i, int depth) {
  if (depth == 16) return load<std::uint16_t>(row, i * 2);
  const std::size_t bit = i * static_cast<std::size_t>(depth);
  return (std::to_integer<int>(row[bit / 8]) >> (8 - depth - static_cast<int>(bit % 8))) & ((1 << depth) - 1);
}

TEST(png, every_color_type_depth_and_interlace) {
  struct Kind {
    int color_type, channels;
    std::vector<int> depths;
  };
  const std::vector<Kind> kinds{
      {0, 1, {1, 2, 4, 8, 16}}, {2, 3, {8, 16}}, {3, 1, {1, 2, 4, 8}}, {4, 2, {8, 16}}, {6, 4, {8, 16}}};
  constexpr std::uint32_t kWidth = 11, kHeight = 9;
  spng_plte palette{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    palette.entries[i] = {static_cast<std::uint8_t>(i * 7), static_cast<std::uint8_t>(255 - i),
                          static_cast<std::uint8_t>(i ^ 0x55), 255};
  }
  for (const Kind& kind : kinds) {
    for (int depth : kind.depths) {
      palette.n_entries = 1u << std::min(depth, 8);
      const std::size_t row_bytes = (kWidth * static_cast<unsigned>(kind.channels * depth) + 7) / 8;
      const ByteVector rows = noise_bytes(row_bytes * kHeight);
      for (bool interlaced : {false, true}) {
        SCOPED_TRACE(::testing::Message()
                     << "type " << kind.color_type << " depth " << depth << " interlaced " << interlaced);
        const ByteVector png = encode_png(kWidth, kHeight, depth, kind.color_type, rows, interlaced,
                                          kind.color_type == 3 ? &palette : nullptr);
        ASSERT_FALSE(png.empty());
        const auto image = decode_image(png);
        ASSERT_TRUE(image) << image.error().to_string();
        EXPECT_EQ(image->type, depth == 16 ? PixelType::kU16 : PixelType::kU8);
        EXPECT_EQ(image->source_channels, kind.color_type == 3 ? 3 : kind.channels);
        const int full = depth == 16 ? 65535 : 255;
        for (std::uint32_t y = 0; y < kHeight; ++y) {
          const ByteSpan row = ByteSpan(rows).subspan(y * row_bytes, row_bytes);
          for (std::uint32_t x = 0; x < kWidth; ++x) {
            const auto value = [&](int c) {
              const int s =
                  sample(row, x * static_cast<std::size_t>(kind.channels) + static_cast<std::size_t>(c), depth);
              return depth >= 8 ? s : s * 255 / ((1 << depth) - 1);
            };
            Texel expected{};
            if (kind.color_type == 3) {
              const auto& e = palette.entries[sample(row, x, depth)];
              expected = {e.red, e.green, e.blue, 255};
            } else if (kind.channels <= 2) {
              expected = {value(0), value(0), value(0), kind.channels == 2 ? value(1) : full};
            } else {
              expected = {value(0), value(1), value(2), kind.channels == 4 ? value(3) : full};
            }
            ASSERT_EQ(texel(*image, x, y), expected) << x << "," << y;
          }
        }
      }
    }
  }
}

TEST(png, transparency_chunk_becomes_alpha) {
  spng_plte palette{};
  palette.n_entries = 2;
  palette.entries[0] = {10, 20, 30, 255};
  palette.entries[1] = {40, 50, 60, 255};
  spng_trns trns{};
  trns.n_type3_entries = 1;
  trns.type3_alpha[0] = 77;
  const auto indexed = decode_image(encode_png(2, 1, 8, 3, bytes_of({0, 1}), false, &palette, &trns));
  ASSERT_TRUE(indexed);
  EXPECT_EQ(indexed->source_channels, 4);
  EXPECT_EQ(texel(*indexed, 0, 0), (Texel{10, 20, 30, 77}));
  EXPECT_EQ(texel(*indexed, 1, 0), (Texel{40, 50, 60, 255}));

  spng_trns gray{};
  gray.gray = 9;
  const auto keyed = decode_image(encode_png(2, 1, 8, 0, bytes_of({9, 200}), false, nullptr, &gray));
  ASSERT_TRUE(keyed);
  EXPECT_EQ(keyed->source_channels, 2);
  EXPECT_EQ(texel(*keyed, 0, 0)[3], 0);
  EXPECT_EQ(texel(*keyed, 1, 0)[3], 255);
}

TEST(png, index_outside_the_palette_is_located) {
  spng_plte palette{};
  palette.n_entries = 3;
  for (const bool interlaced : {false, true}) {
    // Two bits per texel: 0 1 2 0 2; the second row ends with 0 1 2 3.
    const auto image = decode_image(encode_png(5, 2, 2, 3, bytes_of({0x18, 0x80, 0x1B, 0x00}), interlaced, &palette));
    ASSERT_FALSE(image);
    EXPECT_EQ(image.error().to_string(),
              "PNG IDAT: texel 3, 1 has palette entry 3, the palette has 3; export the picture again");
  }
}

TEST(png, frames_of_an_animation_are_named) {
  ByteVector png = encode_png(1, 1, 8, 0, bytes_of({7}));
  EXPECT_EQ(read_image_info(png)->left_out, "");
  ByteVector control = bytes_of({0, 0, 0, 8, 'a', 'c', 'T', 'L', 0, 0, 0, 3, 0, 0, 0, 0});
  const std::uint32_t crc =
      static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(control.data()) + 4, 12));
  for (int shift : {24, 16, 8, 0}) control.push_back(static_cast<std::byte>(crc >> shift));
  png.insert(png.begin() + 33, control.begin(), control.end());
  EXPECT_EQ(read_image_info(png)->left_out, "the other frames of an animation of 3");
  EXPECT_TRUE(decode_image(png));
}

std::string color_of(ByteSpan picture) {
  const auto info = read_image_info(picture);
  if (!info) return info.error().to_string();
  return info->other_color ? info->other_color->place + ": " + info->other_color->found : std::string();
}
ByteVector colored_png(assetc::testing::PngColor color) {
  const ByteVector png = encode_png(1, 1, 8, 2, bytes_of({7, 8, 9}), false, nullptr, nullptr, std::move(color));
  EXPECT_TRUE(decode_image(png));
  return png;
}

TEST(png, colors_that_are_not_srgb_are_named) {
  using assetc::testing::icc_profile;
  EXPECT_EQ(color_of(colored_png({.gamma = 100000})), "PNG gAMA: a gamma of 1");
  EXPECT_EQ(color_of(colored_png({.gamma = 55556})), "PNG gAMA: a gamma of 0.55556");
  EXPECT_EQ(color_of(colored_png({.profile_name = "ICC Profile", .profile = icc_profile("Adobe RGB (1998)")})),
            "PNG iCCP: the profile \"Adobe RGB (1998)\"");
  EXPECT_EQ(color_of(colored_png({.gamma = 45455, .profile_name = "icc", .profile = icc_profile("Display P3", 4)})),
            "PNG iCCP: the profile \"Display P3\"");
  EXPECT_EQ(color_of(colored_png({.profile_name = "ICC Profile", .profile = icc_profile("Linear sRGB")})),
            "PNG iCCP: the profile \"Linear sRGB\"");
  EXPECT_EQ(color_of(colored_png({.profile_name = "Wide", .profile = bytes_of({1, 2, 3})})),
            "PNG iCCP: the profile \"Wide\"");
}

TEST(png, colors_that_are_srgb_are_nothing_to_tell) {
  using assetc::testing::icc_profile;
  for (const std::uint32_t gamma : {45455u, 45000u, 45454u, 46000u})
    EXPECT_EQ(color_of(colored_png({.gamma = gamma})), "");
  EXPECT_EQ(color_of(colored_png({})), "");
  EXPECT_EQ(color_of(colored_png({.gamma = 100000, .srgb = true})), "");
  EXPECT_EQ(color_of(colored_png({.profile_name = "sRGB IEC61966-2.1", .profile = icc_profile("x")})), "");
  for (const int version : {2, 4}) {
    EXPECT_EQ(
        color_of(colored_png(
            {.gamma = 100000, .profile_name = "ICC Profile", .profile = icc_profile("GIMP built-in sRGB", version)})),
        "");
    EXPECT_EQ(color_of(colored_png(
                  {.profile_name = "ICC Profile", .profile = icc_profile("Generic Gray Gamma 2.2 Profile", version)})),
              "");
  }
}

TEST(png, info_agrees_with_the_picture_without_reading_it) {
  const ByteVector png = encode_png(5, 3, 16, 6, noise_bytes(5 * 3 * 8));
  const auto info = read_image_info(ByteSpan(png).first(60));
  ASSERT_TRUE(info);
  EXPECT_EQ(info->format, ImageFormat::kPng);
  EXPECT_EQ(info->width_texels, 5u);
  EXPECT_EQ(info->height_texels, 3u);
  EXPECT_EQ(info->type, PixelType::kU16);
  EXPECT_EQ(info->decoded_bytes(), 5u * 3 * 8);
}

TEST(png, huge_claim_in_a_short_file_takes_no_memory) {
  ByteVector png = encode_png(4, 4, 8, 6, noise_bytes(64));
  put32(png, 16, 0x00400000);  // 16384, big-endian
  put32(png, 20, 0x00400000);
  const auto image = decode_image(png);
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code, ErrorCode::kTruncated);
  EXPECT_THAT(image.error().to_string(), HasSubstr("too short for the 16384x16384 texels of its header"));
}

TEST(png, side_past_the_limit_is_refused) {
  ByteVector png = encode_png(4, 4, 8, 6, noise_bytes(64));
  put32(png, 16, 0x00000100);  // 65536, big-endian
  const auto info = read_image_info(png);
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().to_string(),
            "PNG IHDR: found a picture of 65536x4 texels, the limits are 32768 a side and 536870912 texels; scale it "
            "down or cut it into tiles");
}

// Each sample must be refused at every length shorter than the whole.
struct Sample {
  const char* name;
  ByteVector bytes;
  std::size_t spare_bytes = 0;  // bytes at the end that carry no information about the picture
  friend void PrintTo(const Sample& sample, std::ostream* out) { *out << sample.name; }
};
struct Prefixes : ::testing::TestWithParam<Sample> {};

TEST_P(Prefixes, every_prefix_is_refused) {
  const ByteVector& whole = GetParam().bytes;
  ASSERT_TRUE(decode_image(whole)) << decode_image(whole).error().to_string();
  for (std::size_t size = 0; size < whole.size() - GetParam().spare_bytes; ++size) {
    const ByteVector exact(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const auto image = decode_image(exact);
    ASSERT_FALSE(image) << size << " of " << whole.size() << " bytes were enough";
  }
}

ByteVector tga(unsigned type, unsigned bits, unsigned descriptor, unsigned width, unsigned height,
               std::initializer_list<int> data, unsigned map_bits = 0, unsigned map_count = 0) {
  ByteVector v(18);
  v[1] = static_cast<std::byte>(map_bits ? 1 : 0);
  v[2] = static_cast<std::byte>(type);
  put16(v, 5, map_count);
  v[7] = static_cast<std::byte>(map_bits);
  put16(v, 12, width);
  put16(v, 14, height);
  v[16] = static_cast<std::byte>(bits);
  v[17] = static_cast<std::byte>(descriptor);
  append_bytes(v, bytes_of(data));
  return v;
}

ByteVector bmp(int width, int height, unsigned bits, unsigned compression, std::initializer_list<int> palette,
               std::initializer_list<int> data) {
  ByteVector v(54);
  v[0] = std::byte{'B'};
  v[1] = std::byte{'M'};
  put32(v, 10, static_cast<std::uint32_t>(54 + palette.size()));
  put32(v, 14, 40);
  put32(v, 18, static_cast<std::uint32_t>(width));
  put32(v, 22, static_cast<std::uint32_t>(height));
  put16(v, 26, 1);
  put16(v, 28, bits);
  put32(v, 30, compression);
  if (bits <= 8) put32(v, 46, static_cast<std::uint32_t>(palette.size() / 4));
  append_bytes(v, bytes_of(palette));
  append_bytes(v, bytes_of(data));
  return v;
}

ByteVector hdr(std::string_view resolution, std::initializer_list<int> data) {
  const std::string head = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n" + std::string(resolution) + "\n";
  ByteVector v = assetc::testing::to_bytes(head.data(), head.size());
  append_bytes(v, bytes_of(data));
  return v;
}

INSTANTIATE_TEST_SUITE_P(
    image, Prefixes,
    ::testing::Values(Sample{"png", encode_png(7, 5, 8, 6, noise_bytes(140)), 4 /* the checksum of IEND */},
                      Sample{"png_interlaced", encode_png(7, 5, 16, 2, noise_bytes(210), true), 4},
                      Sample{"jpeg", encode_jpeg(17, 9, 3, noise_bytes(17 * 9 * 3))},
                      Sample{"jpeg_progressive", encode_jpeg(17, 9, 3, noise_bytes(17 * 9 * 3), true)},
                      Sample{"webp", encode_webp_lossless(9, 7, noise_bytes(9 * 7 * 4))},
                      Sample{"tga", tga(2, 24, 0, 2, 1, {1, 2, 3, 4, 5, 6})},
                      Sample{"tga_runs", tga(10, 24, 0, 3, 1, {0x81, 1, 2, 3, 0, 4, 5, 6})},
                      Sample{"bmp", bmp(2, 1, 24, 0, {}, {1, 2, 3, 4, 5, 6, 0, 0})},
                      Sample{"bmp_runs", bmp(3, 1, 8, 1, {1, 2, 3, 0, 4, 5, 6, 0}, {3, 1, 0, 0, 0, 1})},
                      Sample{"hdr", hdr("-Y 1 +X 8", {2, 2, 0, 8, 136, 5, 136, 6, 136, 7, 136, 128})}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(jpeg, gray_and_color_decode_close_to_their_source) {
  ByteVector rgb;
  for (int i = 0; i < 64; ++i) append_bytes(rgb, bytes_of({200, 100, 50}));
  const auto color = decode_image(encode_jpeg(8, 8, 3, rgb));
  ASSERT_TRUE(color);
  EXPECT_EQ(color->source_channels, 3);
  const Texel t = texel(*color, 3, 3);
  EXPECT_NEAR(t[0], 200, 2);
  EXPECT_NEAR(t[1], 100, 2);
  EXPECT_NEAR(t[2], 50, 2);
  EXPECT_EQ(t[3], 255);
  const auto gray = decode_image(encode_jpeg(8, 8, 1, ByteVector(64, std::byte{90})));
  ASSERT_TRUE(gray);
  EXPECT_EQ(gray->source_channels, 1);
  EXPECT_EQ(texel(*gray, 0, 0), (Texel{90, 90, 90, 255}));
}

// A picture of one color, given as the light that each ink lets through.
Texel cmyk_texel(std::initializer_list<int> light, bool adobe) {
  ByteVector texels;
  for (int i = 0; i < 64; ++i) append_bytes(texels, bytes_of(light));
  ByteVector jpeg = encode_jpeg(8, 8, 4, texels);
  const std::size_t at = as_text(jpeg).find("Adobe");
  EXPECT_NE(at, std::string_view::npos);
  if (!adobe) jpeg[at] = std::byte{'X'};  // an application segment of another program
  const auto image = decode_image(jpeg);
  EXPECT_TRUE(image) << image.error().to_string();
  if (!image) return {};
  EXPECT_EQ(image->source_channels, 3);
  return texel(*image, 3, 3);
}
void expect_near(const Texel& found, const Texel& expected) {
  for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(found[c], expected[c], 2) << c;
}

TEST(jpeg, cmyk_becomes_rgb) {
  expect_near(cmyk_texel({200, 100, 50, 255}, true), {200, 100, 50, 255});
  expect_near(cmyk_texel({200, 100, 50, 128}, true), {100, 50, 25, 255});
  // The encoder stores three inks as luma and chroma. Without an Adobe segment a reader takes them as inks.
  expect_near(cmyk_texel({200, 200, 200, 0}, false), {200, 127, 127, 255});
}

TEST(jpeg, stray_bytes_are_skipped_and_told_of) {
  const ByteVector whole = encode_jpeg(8, 8, 3, noise_bytes(192));
  const auto expected = decode_image(whole);
  ASSERT_TRUE(expected);
  EXPECT_EQ(expected->damage, "");
  ByteVector jpeg = whole;
  const ByteVector stray = bytes_of({1, 2, 0xFF, 0, 3});
  jpeg.insert(jpeg.begin() + 20, stray.begin(), stray.end());  // after the JFIF segment
  const auto image = decode_image(jpeg);
  ASSERT_TRUE(image) << image.error().to_string();
  EXPECT_EQ(image->pixels, expected->pixels);
  EXPECT_THAT(image->damage, HasSubstr("extraneous bytes"));
  jpeg.resize(jpeg.size() - 2);  // the same without its end
  EXPECT_FALSE(decode_image(jpeg));
}

TEST(jpeg, profiles_that_are_not_srgb_are_named) {
  const auto with_profile = [](const char* description) {
    ByteVector jpeg = encode_jpeg(8, 8, 3, noise_bytes(192));
    const ByteVector profile = assetc::testing::icc_profile(description);
    ByteVector app2 = bytes_of({0xFF, 0xE2, 0, 0, 'I', 'C', 'C', '_', 'P', 'R', 'O', 'F', 'I', 'L', 'E', 0, 1, 1});
    app2.insert(app2.end(), profile.begin(), profile.end());
    app2[3] = static_cast<std::byte>(app2.size() - 2);
    jpeg.insert(jpeg.begin() + 2, app2.begin(), app2.end());
    EXPECT_TRUE(decode_image(jpeg));
    return jpeg;
  };
  EXPECT_EQ(color_of(with_profile("Display P3")), "JPEG ICC profile: the profile \"Display P3\"");
  EXPECT_EQ(color_of(with_profile("sRGB built-in")), "");
  EXPECT_EQ(color_of(with_profile("c2")), "");  // a small sRGB profile, as in pictures from a photo service
}

TEST(webp, lossless_is_exact) {
  ByteVector rgba = noise_bytes(9 * 7 * 4);
  for (std::size_t i = 3; i < rgba.size(); i += 4)
    rgba[i] |= std::byte{1};  // the encoder may change colors with alpha 0
  const auto image = decode_image(encode_webp_lossless(9, 7, rgba));
  ASSERT_TRUE(image);
  EXPECT_EQ(image->pixels, rgba);
  EXPECT_EQ(image->source_channels, 4);
}

TEST(tga, origin_and_channels) {
  const auto bottom_up = decode_image(tga(2, 24, 0, 1, 2, {1, 2, 3, 4, 5, 6}));
  ASSERT_TRUE(bottom_up);
  EXPECT_EQ(texel(*bottom_up, 0, 0), (Texel{6, 5, 4, 255}));
  EXPECT_EQ(texel(*bottom_up, 0, 1), (Texel{3, 2, 1, 255}));
  const auto mirrored = decode_image(tga(2, 32, 0x38, 2, 1, {1, 2, 3, 4, 5, 6, 7, 8}));
  ASSERT_TRUE(mirrored);
  EXPECT_EQ(texel(*mirrored, 0, 0), (Texel{7, 6, 5, 8}));
  EXPECT_EQ(texel(*mirrored, 1, 0), (Texel{3, 2, 1, 4}));
  const auto gray = decode_image(tga(3, 8, 0x20, 2, 1, {7, 9}));
  ASSERT_TRUE(gray);
  EXPECT_EQ(gray->source_channels, 1);
  EXPECT_EQ(texel(*gray, 1, 0), (Texel{9, 9, 9, 255}));
  const auto palette = decode_image(tga(1, 8, 0x20, 2, 1, {1, 2, 3, 4, 5, 6, 1, 0}, 24, 2));
  ASSERT_TRUE(palette);
  EXPECT_EQ(texel(*palette, 0, 0), (Texel{6, 5, 4, 255}));
  const auto high = decode_image(tga(2, 16, 0x20, 1, 1, {0x1F, 0x7C}));
  ASSERT_TRUE(high);
  EXPECT_EQ(texel(*high, 0, 0), (Texel{255, 0, 255, 255}));
}

TEST(tga, gray_with_alpha) {
  const auto image = decode_image(tga(3, 16, 0x28, 2, 1, {7, 9, 11, 13}));
  ASSERT_TRUE(image) << image.error().to_string();
  EXPECT_EQ(image->source_channels, 2);
  EXPECT_EQ(texel(*image, 0, 0), (Texel{7, 7, 7, 9}));
  EXPECT_EQ(texel(*image, 1, 0), (Texel{11, 11, 11, 13}));
}

TEST(tga, unused_alpha_of_zeros_is_opaque) {
  const auto image = decode_image(tga(2, 32, 0x20, 2, 1, {1, 2, 3, 0, 5, 6, 7, 0}));
  ASSERT_TRUE(image);
  EXPECT_EQ(image->source_channels, 3);
  EXPECT_EQ(texel(*image, 0, 0)[3], 255);
}

TEST(tga, runs_may_cross_rows) {
  const auto image = decode_image(tga(11, 8, 0x20, 2, 2, {0x82, 5, 0x00, 9}));
  ASSERT_TRUE(image);
  EXPECT_EQ(texel(*image, 0, 1)[0], 5);
  EXPECT_EQ(texel(*image, 1, 1)[0], 9);
}

TEST(tga, index_outside_the_palette_is_located) {
  const auto image = decode_image(tga(1, 8, 0x20, 1, 1, {1, 2, 3, 4}, 24, 1));
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().to_string(),
            "byte 22: found a TGA color index outside of its palette; export the picture again");
}

TEST(bmp, depths_and_row_order) {
  const auto rgb = decode_image(bmp(1, 2, 24, 0, {}, {1, 2, 3, 0, 4, 5, 6, 0}));
  ASSERT_TRUE(rgb) << rgb.error().to_string();
  EXPECT_EQ(texel(*rgb, 0, 0), (Texel{6, 5, 4, 255}));
  const auto top_down = decode_image(bmp(1, -2, 24, 0, {}, {1, 2, 3, 0, 4, 5, 6, 0}));
  ASSERT_TRUE(top_down);
  EXPECT_EQ(texel(*top_down, 0, 0), (Texel{3, 2, 1, 255}));
  const auto bits = decode_image(bmp(3, 1, 1, 0, {1, 2, 3, 0, 4, 5, 6, 0}, {0b10100000, 0, 0, 0}));
  ASSERT_TRUE(bits);
  EXPECT_EQ(texel(*bits, 0, 0), (Texel{6, 5, 4, 255}));
  EXPECT_EQ(texel(*bits, 1, 0), (Texel{3, 2, 1, 255}));
  const auto nibbles = decode_image(bmp(2, 1, 4, 0, {1, 2, 3, 0, 4, 5, 6, 0}, {0x10, 0, 0, 0}));
  ASSERT_TRUE(nibbles);
  EXPECT_EQ(texel(*nibbles, 0, 0), (Texel{6, 5, 4, 255}));
  const auto alpha = decode_image(bmp(1, 1, 32, 0, {}, {1, 2, 3, 4}));
  ASSERT_TRUE(alpha);
  EXPECT_EQ(texel(*alpha, 0, 0), (Texel{3, 2, 1, 4}));
  const auto high = decode_image(bmp(1, 1, 16, 0, {}, {0x1F, 0x7C, 0, 0}));
  ASSERT_TRUE(high);
  EXPECT_EQ(texel(*high, 0, 0), (Texel{255, 0, 255, 255}));
}

TEST(bmp, runs) {
  const auto image =
      decode_image(bmp(5, 2, 8, 1, {1, 2, 3, 0, 4, 5, 6, 0}, {3, 1, 2, 0, 0, 0, 0, 5, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1}));
  ASSERT_TRUE(image) << image.error().to_string();
  EXPECT_EQ(texel(*image, 2, 1), (Texel{6, 5, 4, 255}));
  EXPECT_EQ(texel(*image, 4, 1), (Texel{3, 2, 1, 255}));
  EXPECT_EQ(texel(*image, 1, 0), (Texel{6, 5, 4, 255}));
}

TEST(bmp, what_runs_skip_has_the_first_color) {
  // A texel, a delta of one right and one up, a texel, an early end of the row; the third row is missing.
  const auto image = decode_image(bmp(3, 3, 8, 1, {1, 2, 3, 0, 4, 5, 6, 0}, {1, 1, 0, 2, 1, 1, 1, 1, 0, 0, 0, 1}));
  ASSERT_TRUE(image) << image.error().to_string();
  const Texel first{3, 2, 1, 255}, second{6, 5, 4, 255};
  EXPECT_EQ(texel(*image, 0, 2), second);
  EXPECT_EQ(texel(*image, 1, 2), first);
  EXPECT_EQ(texel(*image, 2, 1), second);
  EXPECT_EQ(texel(*image, 0, 1), first);
  EXPECT_EQ(texel(*image, 2, 0), first);
  const auto outside = decode_image(bmp(3, 1, 8, 1, {1, 2, 3, 0}, {0, 2, 0, 1, 0, 1}));
  ASSERT_FALSE(outside);
  EXPECT_THAT(outside.error().to_string(), HasSubstr("found a BMP delta that leaves the picture"));
  const auto past_the_top = decode_image(bmp(3, 1, 8, 1, {1, 2, 3, 0}, {0, 0, 1, 0, 0, 1}));
  ASSERT_FALSE(past_the_top);
  EXPECT_THAT(past_the_top.error().to_string(), HasSubstr("found a BMP run that leaves its row"));
}

TEST(hdr, values_are_exact_powers) {
  const auto image = decode_image(hdr("-Y 1 +X 1", {64, 128, 255, 129}));
  ASSERT_TRUE(image) << image.error().to_string();
  EXPECT_EQ(image->type, PixelType::kF32);
  EXPECT_EQ(load<float>(image->pixels, 0), 0.5f);
  EXPECT_EQ(load<float>(image->pixels, 4), 1.0f);
  EXPECT_EQ(load<float>(image->pixels, 8), 255.0f / 128);
  EXPECT_EQ(load<float>(image->pixels, 12), 1.0f);
}

TEST(hdr, old_runs) {
  const auto image = decode_image(hdr("-Y 1 +X 4", {64, 64, 64, 129, 1, 1, 1, 3}));
  ASSERT_TRUE(image) << image.error().to_string();
  EXPECT_EQ(load<float>(image->pixels, 16 * 3), 0.5f);
}

TEST(hdr, other_orientations_are_refused_with_advice) {
  const auto image = decode_image(hdr("+Y 1 +X 1", {64, 64, 64, 129}));
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().to_string(),
            "line 4: found HDR resolution \"+Y 1 +X 1\", expected \"-Y height +X width\"; save it with the first row "
            "at the top");
}

TEST(image, format_is_told_by_content_alone) {
  const auto nothing = decode_image(bytes_of({'h', 'e', 'l', 'l', 'o'}));
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().to_string(),
            "byte 0: the first bytes match no supported picture format; save it as PNG, JPEG, "
            "WebP, TGA, BMP, HDR, EXR, PSD or TIFF");
  const auto empty = decode_image({});
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().code, ErrorCode::kTruncated);
}

TEST(image, corpus_decodes) {
  std::size_t count = 0;
  for (const char* part : {"images", "models"}) {
    for (const auto& folder : corpus::folders(part)) {
      for (const std::string& name : corpus::list_files(folder, {".png", ".jpg", ".jpeg", ".hdr"})) {
        const Bytes bytes = *corpus::read_file(folder / name);
        const auto info = read_image_info(bytes);
        const auto image = decode_image(bytes);
        ASSERT_TRUE(info && image) << name << ": " << image.error().to_string();
        EXPECT_EQ(image->pixels.size(), info->decoded_bytes()) << name;
        EXPECT_EQ(image->source_channels, info->source_channels) << name;
        EXPECT_EQ(image->damage, "") << name;
        ++count;
      }
    }
  }
  EXPECT_GE(count, 15u);
}

TEST(image, damaged_pictures_are_refused) {
  const auto folder = corpus::own_folder("bad/refused");
  const auto files = corpus::list_files(folder, {".png", ".hdr", ".tga"});
  EXPECT_GE(files.size(), 4u);
  for (const std::string& name : files) {
    const auto image = decode_image(*corpus::read_file(folder / name));
    ASSERT_FALSE(image) << name;
    EXPECT_FALSE(image.error().place.empty()) << name << ": " << image.error().to_string();
  }
}

// The same formula drew both; the JPEG has every second texel of a part of the PNG.
TEST(image, a_jpeg_shows_what_the_png_shows) {
  const auto read = [](const char* name) {
    return decode_image(*corpus::read_file(corpus::own_folder("images") / name));
  };
  const auto png = read("market.png"), jpeg = read("stall.jpg");
  ASSERT_TRUE(png && jpeg);
  double sum = 0;
  for (std::size_t y = 0; y < jpeg->height_texels; ++y) {
    for (std::size_t x = 0; x < jpeg->width_texels; ++x) {
      for (std::size_t c = 0; c < 3; ++c) {
        const int was = std::to_integer<int>(png->pixels[((40 + 2 * y) * png->width_texels + 2 * x) * 4 + c]);
        const int is = std::to_integer<int>(jpeg->pixels[(y * jpeg->width_texels + x) * 4 + c]);
        sum += (was - is) * (was - is);
      }
    }
  }
  EXPECT_LT(sum / (3.0 * jpeg->height_texels * jpeg->width_texels), 40);  // 32 dB
}

}  // namespace
}  // namespace assetc::importer
