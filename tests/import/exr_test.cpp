#include <ImfDeepFrameBuffer.h>
#include <ImfDeepScanLineOutputFile.h>
#include <ImfMultiPartOutputFile.h>
#include <ImfOutputPart.h>
#include <ImfPartType.h>
#include <ImfStandardAttributes.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "import/exr_builders.hpp"
#include "import/image/image.hpp"

namespace assetc::importer {
namespace {

using assetc::testing::encode_exr;
using assetc::testing::exr_value;
using assetc::testing::ExrMemory;
using assetc::testing::ExrPlanes;
using assetc::testing::ExrSpec;
using scene::PixelType;
using ::testing::HasSubstr;

using ExrTexel = std::array<float, 4>;

ExrTexel exr_texel(const scene::Image& image, std::uint32_t x, std::uint32_t y) {
  ExrTexel t{};
  std::memcpy(t.data(), image.pixels.data() + (std::size_t{y} * image.width_texels + x) * 16, 16);
  return t;
}
float value(std::size_t channel, int x, int y) { return static_cast<float>(exr_value(channel, x, y)); }

std::string failure(ByteSpan bytes) {
  const auto image = decode_image(bytes);
  return image ? "decoded" : image.error().to_string();
}

TEST(exr, lossless_compressions_types_and_layouts_are_exact) {
  for (const Imf::Compression compression : {Imf::NO_COMPRESSION, Imf::RLE_COMPRESSION, Imf::ZIPS_COMPRESSION,
                                             Imf::ZIP_COMPRESSION, Imf::PIZ_COMPRESSION, Imf::PXR24_COMPRESSION}) {
    for (const Imf::PixelType type : {Imf::HALF, Imf::FLOAT, Imf::UINT}) {
      for (const int tile_size : {0, 16, 64}) {
        for (const Imf::LineOrder order : {Imf::INCREASING_Y, Imf::DECREASING_Y}) {
          SCOPED_TRACE(::testing::Message() << "compression " << compression << " type " << type << " tiles "
                                            << tile_size << " order " << order);
          ExrSpec spec;
          spec.data = spec.display = {{0, 0}, {36, 42}};
          spec.channels = {{"R", type}, {"G", type}, {"B", type}, {"A", type}};
          spec.compression = compression;
          spec.tile_size = tile_size;
          spec.line_order = order;
          const auto image = decode_image(encode_exr(spec));
          ASSERT_TRUE(image) << image.error().to_string();
          ASSERT_EQ(image->width_texels, 37u);
          ASSERT_EQ(image->height_texels, 43u);
          EXPECT_EQ(image->type, PixelType::kF32);
          EXPECT_EQ(image->source_channels, 4);
          for (int y = 0; y < 43; ++y) {
            for (int x = 0; x < 37; ++x) {
              ASSERT_EQ(exr_texel(*image, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)),
                        (ExrTexel{value(0, x, y), value(1, x, y), value(2, x, y), value(3, x, y)}))
                  << x << "," << y;
            }
          }
        }
      }
    }
  }
}

TEST(exr, lossy_b44_is_near) {
  for (const Imf::Compression compression : {Imf::B44_COMPRESSION, Imf::B44A_COMPRESSION}) {
    ExrSpec spec;
    spec.data = spec.display = {{0, 0}, {17, 9}};
    spec.compression = compression;
    const auto image = decode_image(encode_exr(spec));
    ASSERT_TRUE(image) << image.error().to_string();
    for (int y = 0; y < 10; ++y) {
      for (int x = 0; x < 18; ++x) {
        // Four by four half floats are stored as the largest one and fifteen differences of six bits: within a 16th
        // here.
        EXPECT_NEAR(exr_texel(*image, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y))[1], value(1, x, y),
                    value(1, x, y) / 16);
      }
    }
  }
}

TEST(exr, channels_of_mixed_types_in_any_number) {
  ExrSpec spec;
  spec.channels = {{"R", Imf::HALF}, {"G", Imf::FLOAT}, {"B", Imf::UINT}, {"Z", Imf::FLOAT}, {"A", Imf::HALF}};
  const ByteVector file = encode_exr(spec);
  const auto info = read_image_info(file);
  const auto image = decode_image(file);
  ASSERT_TRUE(info && image) << image.error().to_string();
  EXPECT_EQ(exr_texel(*image, 2, 1), (ExrTexel{value(0, 2, 1), value(1, 2, 1), value(2, 2, 1), value(4, 2, 1)}));
  EXPECT_EQ(info->left_out, "channels Z");
}

TEST(exr, luminance_alone_or_with_alpha_is_gray) {
  ExrSpec spec;
  spec.channels = {{"Y"}};
  auto image = decode_image(encode_exr(spec));
  ASSERT_TRUE(image);
  EXPECT_EQ(image->source_channels, 1);
  EXPECT_EQ(exr_texel(*image, 3, 2), (ExrTexel{value(0, 3, 2), value(0, 3, 2), value(0, 3, 2), 1.0f}));
  spec.channels = {{"Y"}, {"A"}};
  image = decode_image(encode_exr(spec));
  ASSERT_TRUE(image);
  EXPECT_EQ(image->source_channels, 2);
  EXPECT_EQ(exr_texel(*image, 3, 2), (ExrTexel{value(0, 3, 2), value(0, 3, 2), value(0, 3, 2), value(1, 3, 2)}));
  spec.channels = {{"height", Imf::FLOAT}};
  image = decode_image(encode_exr(spec));
  ASSERT_TRUE(image);
  EXPECT_EQ(exr_texel(*image, 1, 1), (ExrTexel{value(0, 1, 1), value(0, 1, 1), value(0, 1, 1), 1.0f}));
}

TEST(exr, missing_colors_are_black) {
  ExrSpec spec;
  spec.channels = {{"R"}, {"G"}};
  const auto image = decode_image(encode_exr(spec));
  ASSERT_TRUE(image);
  EXPECT_EQ(exr_texel(*image, 0, 0), (ExrTexel{value(0, 0, 0), value(1, 0, 0), 0.0f, 1.0f}));
}

TEST(exr, the_display_window_is_the_picture) {
  for (const int tile_size : {0, 4}) {
    for (const bool alpha : {false, true}) {
      ExrSpec spec;
      spec.display = {{10, -5}, {14, -2}};  // 5x4
      spec.data = {{8, -4}, {12, 6}};       // starts to the left of it and below its top; ends inside it and below it
      spec.tile_size = tile_size;
      if (alpha) spec.channels.push_back({"A"});
      const auto image = decode_image(encode_exr(spec));
      ASSERT_TRUE(image) << image.error().to_string();
      ASSERT_EQ(image->width_texels, 5u);
      ASSERT_EQ(image->height_texels, 4u);
      for (int y = -5; y <= -2; ++y) {
        for (int x = 10; x <= 14; ++x) {
          const ExrTexel inside{value(0, x, y), value(1, x, y), value(2, x, y), alpha ? value(3, x, y) : 1.0f};
          const ExrTexel outside{0.0f, 0.0f, 0.0f, alpha ? 0.0f : 1.0f};
          EXPECT_EQ(exr_texel(*image, static_cast<std::uint32_t>(x - 10), static_cast<std::uint32_t>(y + 5)),
                    x <= 12 && y >= -4 ? inside : outside)
              << x << "," << y;
        }
      }
    }
  }
}

TEST(exr, the_largest_level_of_tiled_mips_is_read) {
  ExrSpec spec;
  spec.data = spec.display = {{0, 0}, {16, 8}};
  spec.tile_size = 4;
  for (const Imf::LevelMode mode : {Imf::MIPMAP_LEVELS}) {
    spec.levels = mode;
    const auto image = decode_image(encode_exr(spec));
    ASSERT_TRUE(image) << image.error().to_string();
    EXPECT_EQ(exr_texel(*image, 16, 8)[0], value(0, 16, 8));
  }
}

TEST(exr, what_is_no_number_becomes_one) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  ExrSpec spec;
  spec.channels = {{"R", Imf::FLOAT}, {"G", Imf::HALF}, {"B", Imf::FLOAT}};
  const auto image = decode_image(encode_exr(spec, [](std::size_t channel, int, int) {
    return channel == 0 ? std::numeric_limits<double>::quiet_NaN() : channel == 1 ? kInfinity : -kInfinity;
  }));
  ASSERT_TRUE(image);
  EXPECT_EQ(exr_texel(*image, 0, 0), (ExrTexel{0.0f, 65504.0f, -65504.0f, 1.0f}));
}

TEST(exr, first_of_several_parts_is_read_and_the_rest_named) {
  ExrSpec first, second;
  first.channels = {{"R"}, {"G"}, {"B"}};
  second.channels = {{"Z", Imf::FLOAT}};
  ExrPlanes planes1(first, exr_value), planes2(second, exr_value);
  ExrMemory memory;
  {
    std::array headers{assetc::testing::exr_header(first), assetc::testing::exr_header(second)};
    headers[0].setName("beauty");
    headers[1].setName("depth");
    for (Imf::Header& header : headers) header.setType(Imf::SCANLINEIMAGE);
    Imf::MultiPartOutputFile file(memory, headers.data(), 2);
    Imf::OutputPart part1(file, 0), part2(file, 1);
    part1.setFrameBuffer(planes1.frame);
    part1.writePixels(3);
    part2.setFrameBuffer(planes2.frame);
    part2.writePixels(3);
  }
  const auto info = read_image_info(memory.bytes);
  ASSERT_TRUE(info) << info.error().to_string();
  EXPECT_EQ(info->left_out, "part 1");
  const auto image = decode_image(memory.bytes);
  ASSERT_TRUE(image) << image.error().to_string();
  EXPECT_EQ(exr_texel(*image, 3, 2), (ExrTexel{value(0, 3, 2), value(1, 3, 2), value(2, 3, 2), 1.0f}));
}

TEST(exr, deep_data_is_refused_with_advice) {
  ExrMemory memory;
  {
    ExrSpec spec;
    spec.channels = {{"R", Imf::FLOAT}};
    spec.compression = Imf::ZIPS_COMPRESSION;
    Imf::Header header = assetc::testing::exr_header(spec);
    header.setType(Imf::DEEPSCANLINE);
    std::vector<unsigned> counts(12, 1);
    float sample = 1.0f;
    std::vector<float*> pointers(12, &sample);
    Imf::DeepFrameBuffer frame;
    frame.insertSampleCountSlice(
        Imf::Slice(Imf::UINT, reinterpret_cast<char*>(counts.data()), sizeof(unsigned), sizeof(unsigned) * 4));
    frame.insert("R", Imf::DeepSlice(Imf::FLOAT, reinterpret_cast<char*>(pointers.data()), sizeof(float*),
                                     sizeof(float*) * 4, sizeof(float)));
    Imf::DeepScanLineOutputFile file(memory, header, 0);
    file.setFrameBuffer(frame);
    file.writePixels(3);
  }
  EXPECT_EQ(failure(memory.bytes),
            "part 0: found deep EXR data, expected scan lines or tiles of texels; flatten it to one sample a texel");
}

TEST(exr, what_cannot_be_read_the_same_everywhere_is_refused) {
  ExrSpec spec;
  spec.compression = Imf::DWAA_COMPRESSION;
  EXPECT_EQ(failure(encode_exr(spec)),
            "compression: found DWA compression, which does not decode to the same values on every machine; save it "
            "with ZIP or PIZ compression");
}

ExrTexel layer_texel(const ExrSpec& spec, std::string_view layer = {}) {
  const ByteVector file = encode_exr(spec);
  const auto info = read_image_info(file, layer);
  EXPECT_TRUE(info) << info.error().to_string();
  const auto image = decode_image(file, *info);
  EXPECT_TRUE(image) << image.error().to_string();
  return exr_texel(*image, 0, 0);
}

TEST(exr, the_only_layer_is_read) {
  const ExrTexel rgb{value(0, 0, 0), value(1, 0, 0), value(2, 0, 0), 1};
  ExrSpec spec;
  for (const std::string prefix : {"", ".", "beauty.", "view.left.beauty."}) {
    for (const bool lower : {false, true}) {
      spec.channels = {{prefix + (lower ? "r" : "R")}, {prefix + (lower ? "g" : "G")}, {prefix + (lower ? "b" : "B")}};
      EXPECT_EQ(layer_texel(spec), rgb) << prefix << lower;
    }
  }
  spec.channels = {{"beauty.R"}, {"beauty.G"}, {"beauty.B"}, {"beauty.A"}, {"depth.Z", Imf::FLOAT}};
  EXPECT_EQ(layer_texel(spec), (ExrTexel{rgb[0], rgb[1], rgb[2], value(3, 0, 0)}));
  EXPECT_EQ(read_image_info(encode_exr(spec))->left_out, "channels depth.Z");
}

TEST(exr, a_layer_is_chosen_by_name) {
  ExrSpec spec;
  spec.channels = {{"R"}, {"G"}, {"B"}, {"light.R"}, {"light.G"}, {"light.B"}, {"depth.Z", Imf::FLOAT}};
  EXPECT_EQ(layer_texel(spec), (ExrTexel{value(0, 0, 0), value(1, 0, 0), value(2, 0, 0), 1}));
  EXPECT_EQ(layer_texel(spec, "light"), (ExrTexel{value(3, 0, 0), value(4, 0, 0), value(5, 0, 0), 1}));
  const float depth = value(6, 0, 0);
  EXPECT_EQ(layer_texel(spec, "depth"), (ExrTexel{depth, depth, depth, 1}));
  const auto missing = read_image_info(encode_exr(spec), "lights");
  ASSERT_FALSE(missing);
  EXPECT_EQ(
      missing.error().to_string(),
      "channels: found no EXR layer \"lights\", the channels are B, G, R, depth.Z, light.B, light.G, light.R; set "
      "texture.layer to the name of a layer or a part");
  spec.channels = {{"key.R"}, {"key.G"}, {"fill.R"}, {"fill.G"}};
  EXPECT_EQ(failure(encode_exr(spec)),
            "channels: found the EXR layers fill, key, expected one; choose one with texture.layer");
  EXPECT_EQ(layer_texel(spec, "fill"), (ExrTexel{value(2, 0, 0), value(3, 0, 0), 0, 1}));
  // Before the settings of a file are known.
  EXPECT_EQ(layer_texel(spec, kAnyLayer), layer_texel(spec, "fill"));
  spec.channels = {{"depth.Z", Imf::FLOAT}, {"mask.Z", Imf::FLOAT}};
  EXPECT_EQ(layer_texel(spec, kAnyLayer), layer_texel(spec, "depth"));
}

TEST(exr, a_part_is_chosen_by_name) {
  ExrSpec first, second;
  first.channels = {{"R"}, {"G"}, {"B"}};
  second.channels = {{"Z", Imf::FLOAT}};
  ExrPlanes planes(first, exr_value), depth(second, [](std::size_t, int, int) { return 7; });
  std::vector<Imf::Header> headers{assetc::testing::exr_header(first), assetc::testing::exr_header(second)};
  headers[0].setName("color"), headers[1].setName("depth");
  for (Imf::Header& header : headers) header.setType(Imf::SCANLINEIMAGE);
  ExrMemory memory;
  {
    Imf::MultiPartOutputFile file(memory, headers.data(), 2);
    Imf::OutputPart color(file, 0), z(file, 1);
    color.setFrameBuffer(planes.frame), z.setFrameBuffer(depth.frame);
    color.writePixels(3), z.writePixels(3);
  }
  const auto info = read_image_info(memory.bytes, "depth");
  ASSERT_TRUE(info) << info.error().to_string();
  EXPECT_EQ(info->left_out, "the other parts");
  const auto image = decode_image(memory.bytes, *info);
  ASSERT_TRUE(image) << image.error().to_string();
  EXPECT_EQ(exr_texel(*image, 2, 1), (ExrTexel{7, 7, 7, 1}));
}

TEST(exr, chromaticities_are_declared) {
  for (const char* names : {"RGB", "Y"}) {
    ExrSpec spec;
    spec.channels.clear();
    for (const char c : std::string_view(names)) spec.channels.push_back({std::string(1, c)});
    ExrPlanes planes(spec, exr_value);
    Imf::Header header = assetc::testing::exr_header(spec);
    Imf::addChromaticities(header, {{0.7347f, 0.2653f}, {0, 1}, {0.0001f, -0.077f}, {0.32168f, 0.33767f}});
    ExrMemory memory;
    {
      Imf::OutputFile file(memory, header, 0);
      file.setFrameBuffer(planes.frame);
      file.writePixels(3);
    }
    const auto info = read_image_info(memory.bytes);
    ASSERT_TRUE(info) << info.error().to_string();
    EXPECT_EQ(info->primaries.has_value(), names == std::string_view("RGB")) << "gray has no primaries";
    if (info->primaries) {
      EXPECT_EQ(name_of(info->primaries->primaries), "ACES AP0");
    }
  }
  EXPECT_FALSE(read_image_info(encode_exr(ExrSpec{}))->primaries);
}

TEST(exr, unknown_channels_and_subsampling_are_refused) {
  ExrSpec spec;
  spec.channels = {{"A"}, {"depth.Z"}};
  EXPECT_EQ(
      failure(encode_exr(spec)),
      "channels: found the EXR channels A, depth.Z, expected R, G and B, or Y; export the layer to use with these "
      "channel names, or choose a layer with texture.layer");
  spec.data = spec.display = {{0, 0}, {3, 3}};
  spec.channels = {{"Y"}, {"RY", Imf::HALF, 2}};
  EXPECT_EQ(failure(encode_exr(spec)),
            "channel RY: found a subsampled EXR channel, expected a value for each texel; save it as RGB instead of "
            "luminance and chroma");
}

TEST(exr, windows_past_the_limits_are_refused_before_memory_is_taken) {
  ExrSpec spec;
  const ByteVector good = encode_exr(spec);
  const std::string_view text = as_text(good);
  const auto patch = [&](std::string_view name, std::size_t word, std::int32_t v) {
    ByteVector bytes = good;
    // name, NUL, "box2i", NUL, size, then the box
    const std::size_t at = text.find(name) + name.size() + 1 + 6 + 4 + word * 4;
    std::memcpy(bytes.data() + at, &v, 4);
    return failure(bytes);
  };
  EXPECT_EQ(patch("displayWindow", 2, 40000),
            "displayWindow: found a picture of 40001x3 texels, the limits are 32768 a side and 536870912 texels; scale "
            "it down or cut it into tiles");
  EXPECT_EQ(patch("dataWindow", 2, 40000),
            "dataWindow: found a picture of 40001x3 texels, the limits are 32768 a side and 536870912 texels; scale "
            "it down or cut it into tiles");
  EXPECT_THAT(patch("dataWindow", 3, 32000), HasSubstr("too short for the offsets of its 2001 chunks"));
  EXPECT_THAT(patch("displayWindow", 3, 32000), HasSubstr("decoded"));
  ByteVector wide = good;
  const std::size_t at = text.find("displayWindow") + 14 + 6 + 4 + 8;
  const std::array<std::int32_t, 2> corner{16000, 30000};
  std::memcpy(wide.data() + at, corner.data(), 8);
  EXPECT_THAT(failure(wide), HasSubstr("too short for the 16001x30001 texels of its header"));
}

TEST(exr, tiny_tiles_and_giant_ones_are_refused_before_memory_is_taken) {
  ExrSpec spec;
  spec.data = spec.display = {{0, 0}, {63, 63}};
  spec.tile_size = 64;
  ByteVector bytes = encode_exr(spec);
  const std::string_view text = as_text(bytes);
  const std::size_t tiles = text.find("tiledesc") + 9 + 4;
  const std::array<std::uint32_t, 2> tiny{1, 1};
  ByteVector many = bytes;
  std::memcpy(many.data() + tiles, tiny.data(), 8);
  EXPECT_THAT(failure(many), HasSubstr("too short for the offsets of its 4096 chunks"));

  const std::size_t data = text.find("dataWindow") + 11 + 6 + 4;
  const std::array<std::int32_t, 4> window{0, 0, 16383, 16383};
  const std::array<std::uint32_t, 2> giant{16384, 16384};
  ByteVector one = bytes;
  std::memcpy(one.data() + data, window.data(), 16);
  std::memcpy(one.data() + tiles, giant.data(), 8);
  EXPECT_EQ(failure(one),
            "tiles: found EXR chunks of 268435456 texels of 6 bytes, the limit is 1073741824 bytes a chunk; save it "
            "as scan lines or in smaller tiles");
}

TEST(exr, damage_is_located) {
  ExrSpec spec;
  spec.data = spec.display = {{0, 0}, {36, 42}};
  ByteVector bytes = encode_exr(spec);
  bytes[bytes.size() - 20] ^= std::byte{0x55};  // inside the last chunk, whose lines begin at 32
  EXPECT_THAT(failure(bytes), HasSubstr("scan line 32: damaged EXR: "));
  spec.tile_size = 16;
  bytes = encode_exr(spec);
  bytes[bytes.size() - 20] ^= std::byte{0x55};
  EXPECT_THAT(failure(bytes), HasSubstr("tile 2,2: damaged EXR: "));
}

TEST(exr, a_file_cut_short_says_so) {
  ExrSpec spec;
  spec.data = spec.display = {{0, 0}, {36, 42}};
  for (const int tile_size : {0, 16}) {
    spec.tile_size = tile_size;
    ByteVector bytes = encode_exr(spec);
    for (const std::size_t size : {bytes.size() - 1, bytes.size() / 2, std::size_t{12}}) {
      bytes.resize(size);
      EXPECT_EQ(failure(bytes),
                "byte " + std::to_string(size) +
                    ": the file ends before the last texel of the EXR picture; export the picture again");
    }
  }
}

struct ExrPrefixes : ::testing::TestWithParam<int> {};

TEST_P(ExrPrefixes, every_prefix_is_refused) {
  ExrSpec spec;
  spec.data = spec.display = {{0, 0}, {16, 19}};
  spec.compression = static_cast<Imf::Compression>(GetParam() % 10);
  spec.tile_size = GetParam() / 10;
  const ByteVector whole = encode_exr(spec);
  ASSERT_EQ(failure(whole), "decoded");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const ByteVector exact(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_NE(failure(exact), "decoded") << size << " of " << whole.size() << " bytes were enough";
  }
}

INSTANTIATE_TEST_SUITE_P(image, ExrPrefixes,
                         ::testing::Values(Imf::NO_COMPRESSION, Imf::RLE_COMPRESSION, Imf::ZIP_COMPRESSION,
                                           Imf::PIZ_COMPRESSION, Imf::PXR24_COMPRESSION, Imf::B44_COMPRESSION,
                                           80 + Imf::NO_COMPRESSION, 80 + Imf::PIZ_COMPRESSION,
                                           80 + Imf::B44A_COMPRESSION));

}  // namespace
}  // namespace assetc::importer
