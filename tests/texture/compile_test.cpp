// Every format that the compiler writes, for pictures of awkward sizes: what is stored, and what it decodes to.
#include "texture/compile.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "parallel/parallel.hpp"
#include "texture/compiled.hpp"

namespace assetc::texture {
namespace {

// A smooth picture whose channels vary independently, as in real pictures.
scene::Image smooth(std::uint32_t width, std::uint32_t height) {
  scene::Image image{width, height, scene::PixelType::kU8, 4, {}};
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      for (const std::uint32_t v : {40 + x * 3, 200 - y * 4, 90 + (x + y), 250 - x})
        image.pixels.push_back(static_cast<std::byte>(v));
    }
  }
  return image;
}

EncodedTexture compiled(const CompileOptions& options, std::uint32_t width, std::uint32_t height,
                        Arrangement arrangement = {}) {
  auto texture = compile_texture([&](std::uint32_t) -> Result<scene::Image> { return smooth(width, height); },
                                 arrangement, options);
  EXPECT_TRUE(texture) << texture.error().to_string();
  return texture.value_or(EncodedTexture());
}

struct Case {
  const char* name;
  TargetFormat target;
  TexelKind kind;
  TexelFormat format;
  bool srgb;
  std::size_t channels;  // source channels that are kept
  // The largest error in 8-bit steps for a block of `smooth`, along a line of colors: half an interpolation step
  // between endpoints, plus an endpoint's rounding, plus, for four channels that are not on one line, the distance from
  // the line.
  int largest;
};
constexpr Case kCases[] = {
    {"uastc", TargetFormat::kUastc, TexelKind::kColor, TexelFormat::kUastc, true, 4, 6},
    {"bc7", TargetFormat::kBc7, TexelKind::kColor, TexelFormat::kBc7, true, 4, 6},
    {"bc7_linear", TargetFormat::kBc7, TexelKind::kLinear, TexelFormat::kBc7, false, 4, 6},
    {"bc6h", TargetFormat::kBc6h, TexelKind::kLinear, TexelFormat::kBc6h, false, 3, 12},
    {"bc5", TargetFormat::kBc5, TexelKind::kNormal, TexelFormat::kBc5, false, 2, 1},
    {"bc4", TargetFormat::kBc4, TexelKind::kGray, TexelFormat::kBc4, false, 1, 1},
    {"bc3", TargetFormat::kBc3, TexelKind::kColor, TexelFormat::kBc3, true, 4, 12},
    {"bc1", TargetFormat::kBc1, TexelKind::kColor, TexelFormat::kBc1Rgb, true, 3, 12},
    {"bc1_linear", TargetFormat::kBc1, TexelKind::kLinear, TexelFormat::kBc1Rgb, false, 3, 12},
    {"astc4x4", TargetFormat::kAstc4x4, TexelKind::kColor, TexelFormat::kAstc4x4, true, 4, 6},
    {"astc6x6", TargetFormat::kAstc6x6, TexelKind::kColor, TexelFormat::kAstc6x6, true, 4, 12},
    {"astc8x8", TargetFormat::kAstc8x8, TexelKind::kLinear, TexelFormat::kAstc8x8, false, 4, 16},
    {"astc6x6_normal", TargetFormat::kAstc6x6, TexelKind::kNormal, TexelFormat::kAstc6x6, false, 2, 8},
    {"etc2_rgba", TargetFormat::kEtc2, TexelKind::kColor, TexelFormat::kEtc2Rgba, true, 4, 8},
    {"etc2_gray", TargetFormat::kEtc2, TexelKind::kGray, TexelFormat::kEacR11, false, 1, 1},
    {"etc2_normal", TargetFormat::kEtc2, TexelKind::kNormal, TexelFormat::kEacRg11, false, 2, 1},
    {"rgba8", TargetFormat::kRgba8, TexelKind::kColor, TexelFormat::kRgba8, true, 4, 0},
    {"rgba16f", TargetFormat::kRgba16f, TexelKind::kLinear, TexelFormat::kRgba16f, false, 4, 0},
};

class EveryFormat : public testing::TestWithParam<Case> {
 protected:
  CompileOptions options() const {
    CompileOptions made;
    made.mips.kind = GetParam().kind;
    made.format = GetParam().target;
    return made;
  }
};
INSTANTIATE_TEST_SUITE_P(Compile, EveryFormat, testing::ValuesIn(kCases),
                         [](const auto& one) { return one.param.name; });

int code_of(const scene::Image& image, std::size_t i) {
  if (image.type == scene::PixelType::kU8) return std::to_integer<int>(image.pixels[i]);
  if (image.type == scene::PixelType::kU16) return (load<std::uint16_t>(image.pixels, i * 2) + 128) / 257;
  return static_cast<int>(std::lround(load<float>(image.pixels, i * 4) * 255.0f));
}

TEST_P(EveryFormat, small_pictures_come_back) {
  for (std::uint32_t width = 1; width <= 7; ++width) {
    for (std::uint32_t height = 1; height <= 9; ++height) {
      const EncodedTexture texture = compiled(options(), width, height);
      EXPECT_EQ(texture.format, GetParam().format);
      EXPECT_EQ(texture.is_srgb(), GetParam().srgb);
      EXPECT_EQ(texture.width_texels, width);
      EXPECT_EQ(texture.height_texels, height);
      ASSERT_EQ(texture.levels.size(), full_level_count({width, height}));
      const auto image = decode(texture);
      ASSERT_TRUE(image) << image.error().to_string();
      const scene::Image source = smooth(width, height);
      for (std::size_t t = 0; t < std::size_t{width} * height; ++t) {
        for (std::size_t c = 0; c < GetParam().channels; ++c) {
          ASSERT_NEAR(code_of(*image, t * 4 + c), code_of(source, t * 4 + c), GetParam().largest)
              << width << "x" << height << " texel " << t << " channel " << c;
        }
      }
    }
  }
}

TEST_P(EveryFormat, levels_are_whole_blocks_and_decode) {
  CompileOptions o = options();
  const EncodedTexture texture = compiled(o, 50, 37);
  ASSERT_FALSE(texture.levels.empty());
  for (std::uint32_t level = 0; level < texture.levels.size(); ++level) {
    const Extent extent = extent_of(texture, level);
    EXPECT_EQ(texture.levels[level].uncompressed_bytes, image_bytes(extent, GetParam().format));
    const auto image = decode(texture, {.level = level});
    ASSERT_TRUE(image) << image.error().to_string();
    EXPECT_EQ(image->width_texels, extent.width_texels);
  }
}

TEST_P(EveryFormat, layers_and_faces_are_all_there) {
  CompileOptions o = options();
  o.mips.all_levels = false;
  for (const Arrangement arrangement : {Arrangement{3, 1}, Arrangement{0, 6}}) {
    const EncodedTexture texture = compiled(o, 12, 12, arrangement);
    ASSERT_EQ(texture.levels.size(), 1u);
    EXPECT_EQ(texture.layer_count, arrangement.layer_count);
    EXPECT_EQ(texture.face_count, arrangement.face_count);
    EXPECT_EQ(texture.levels[0].uncompressed_bytes,
              arrangement.image_count() * image_bytes({12, 12}, GetParam().format));
    ImageAt last;
    (arrangement.face_count == 6 ? last.face : last.layer) = arrangement.image_count() - 1;
    const auto first = decode(texture), other = decode(texture, last);
    ASSERT_TRUE(other);
    EXPECT_EQ(other->pixels, first->pixels);
  }
}

TEST_P(EveryFormat, zstd_inflates_to_the_same_texels) {
  CompileOptions o = options();
  const EncodedTexture plain = compiled(o, 33, 18);
  o.zstd_level = 3;
  const EncodedTexture packed = compiled(o, 33, 18);
  EXPECT_EQ(packed.zstd_level, 3);
  EXPECT_EQ(decode(packed)->pixels, decode(plain)->pixels);
}

TEST_P(EveryFormat, bytes_do_not_depend_on_threads) {
  const EncodedTexture many = compiled(options(), 130, 131);
  const ThreadLimit one(1);
  EXPECT_TRUE(compiled(options(), 130, 131) == many);
}

TEST_P(EveryFormat, the_estimate_covers_what_is_held) {
  const CompileOptions o = options();
  const std::uint64_t bytes = compile_peak_bytes({256, 256}, scene::PixelType::kU8, {}, o);
  // The image, plus twice the blocks of its levels while the file is assembled.
  std::uint64_t payload = 0;
  for (Extent e{256, 256};; e = next_level(e)) {
    payload += image_bytes(e, GetParam().format);
    if (e == Extent{1, 1}) break;
  }
  EXPECT_GE(bytes, 256u * 256 * 4 + payload);
  EXPECT_GE(bytes, 2 * payload);
}

TEST(Channels, are_kept_moved_and_filled) {
  const scene::Image source = smooth(8, 8);
  const auto texel = [&](TargetFormat target, TexelKind kind, const char* channels) {
    CompileOptions o;
    o.format = target;
    o.channels = parse_channels(channels);
    o.mips.kind = kind;
    const auto image = decode(compiled(o, 8, 8));
    EXPECT_TRUE(image);
    std::array<int, 4> t{};
    for (std::size_t c = 0; c < 4; ++c) t[c] = code_of(*image, 9 * 4 + c);
    return t;
  };
  const auto from = [&](std::size_t c) { return code_of(source, 9 * 4 + c); };
  using Texel = std::array<int, 4>;
  EXPECT_EQ(texel(TargetFormat::kRgba8, TexelKind::kColor, "bgra"), (Texel{from(2), from(1), from(0), from(3)}));
  EXPECT_EQ(texel(TargetFormat::kRgba8, TexelKind::kColor, "rgb"), (Texel{from(0), from(1), from(2), 255}));
  EXPECT_EQ(texel(TargetFormat::kRgba8, TexelKind::kLinear, "a"), (Texel{from(3), 0, 0, 255}));
  EXPECT_EQ(texel(TargetFormat::kRgba8, TexelKind::kGray, "ggg1"), (Texel{from(1), from(1), from(1), 255}));
  EXPECT_EQ(texel(TargetFormat::kRgba16f, TexelKind::kLinear, "gr01"), (Texel{from(1), from(0), 0, 255}));
}

TEST(Channels, a_swizzle_gives_readers_what_was_asked_for) {
  CompileOptions o;
  o.format = TargetFormat::kBc5;
  o.mips.kind = TexelKind::kLinear;
  o.channels = parse_channels("bbba");
  const EncodedTexture texture = compiled(o, 4, 4);
  EXPECT_EQ(texture.swizzle, parse_channels("rrrg"));
  const scene::Image source = smooth(4, 4);
  const auto read = decode(texture), stored = decode_stored(texture);
  for (std::size_t t = 0; t < 16; ++t) {
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(code_of(*read, t * 4 + c), code_of(source, t * 4 + 2), 1);
    EXPECT_NEAR(code_of(*read, t * 4 + 3), code_of(source, t * 4 + 3), 1);
    EXPECT_EQ(code_of(*stored, t * 4), code_of(*read, t * 4));
    EXPECT_EQ(code_of(*stored, t * 4 + 1), code_of(*read, t * 4 + 3));
    EXPECT_EQ(code_of(*stored, t * 4 + 3), 255);
  }
}

TEST(Channels, alpha_that_is_dropped_weighs_no_color) {
  // Visible red beside invisible blue: with alpha the next level is red, without it purple.
  scene::Image image{2, 2, scene::PixelType::kU8, 4, {}};
  for (int i = 0; i < 4; ++i) {
    for (const int v : {i % 2 == 0 ? 255 : 0, 0, i % 2 == 0 ? 0 : 255, i % 2 == 0 ? 255 : 0})
      image.pixels.push_back(static_cast<std::byte>(v));
  }
  CompileOptions o;
  o.format = TargetFormat::kRgba8;
  const auto level1 = [&](const char* channels) {
    o.channels = parse_channels(channels);
    const auto texture = compile_texture([&](std::uint32_t) -> Result<scene::Image> { return image; }, {}, o);
    const auto decoded = decode(*texture, {.level = 1});
    return std::array<int, 3>{code_of(*decoded, 0), code_of(*decoded, 2), code_of(*decoded, 3)};
  };
  EXPECT_EQ(level1("rgba"), (std::array<int, 3>{255, 0, 128}));
  EXPECT_EQ(level1("rgb"), (std::array<int, 3>{188, 188, 255}));
}

TEST(Channels, z_of_a_normal_map_is_made_of_x_and_y) {
  CompileOptions o;
  o.format = TargetFormat::kRgba8;
  o.mips.kind = TexelKind::kNormal;
  o.channels = parse_channels("rgb");
  scene::Image image{4, 4, scene::PixelType::kU8, 3, {}};
  for (int i = 0; i < 16; ++i) {
    for (const int v : {204, 128, 0, 255}) image.pixels.push_back(static_cast<std::byte>(v));  // x = 0.6, so z = 0.8
  }
  const auto texture = compile_texture([&](std::uint32_t) -> Result<scene::Image> { return image; }, {}, o);
  for (const std::uint32_t level : {0u, 1u}) {
    const auto decoded = decode(*texture, {.level = level});
    EXPECT_EQ(code_of(*decoded, 0), 204);
    EXPECT_EQ(code_of(*decoded, 2), 229) << level;  // (0.8 + 1) / 2 * 255
  }
}

// One picture with alpha among opaque ones, and none: the whole texture gets one format.
TEST(Compile, etc2_has_alpha_where_some_picture_has) {
  for (const int transparent : {-1, 0, 2}) {
    CompileOptions o;
    o.format = TargetFormat::kEtc2;
    const auto texture = compile_texture(
        [&](std::uint32_t index) -> Result<scene::Image> {
          scene::Image image = smooth(9, 6);
          for (std::size_t t = 0; t < 54; ++t)
            image.pixels[t * 4 + 3] = static_cast<std::byte>(static_cast<int>(index) == transparent ? 100 : 255);
          return image;
        },
        {3, 1}, o);
    ASSERT_TRUE(texture);
    EXPECT_EQ(texture->format, transparent < 0 ? TexelFormat::kEtc2Rgb : TexelFormat::kEtc2Rgba);
    EXPECT_TRUE(texture->is_srgb());
    for (std::uint32_t layer = 0; layer < 3; ++layer) {
      const auto image = decode(*texture, {.layer = layer});
      ASSERT_TRUE(image);
      EXPECT_EQ(code_of(*image, 3), static_cast<int>(layer) == transparent ? 100 : 255);
      EXPECT_NEAR(code_of(*image, 0), 40, 6);
    }
  }
}

TEST(Compile, half_floats_of_color_are_light) {
  CompileOptions o;
  o.format = TargetFormat::kRgba16f;
  scene::Image image{1, 1, scene::PixelType::kU8, 4, {}};
  for (const int v : {188, 255, 0, 128}) image.pixels.push_back(static_cast<std::byte>(v));
  const auto texture = compile_texture([&](std::uint32_t) -> Result<scene::Image> { return image; }, {}, o);
  const auto decoded = decode(*texture);
  EXPECT_NEAR(load<float>(decoded->pixels, 0), 0.503f, 0.001f);
  EXPECT_EQ(load<float>(decoded->pixels, 4), 1.0f);
  EXPECT_NEAR(load<float>(decoded->pixels, 12), 128.0f / 255.0f, 0.001f);
}

// Grainy waves with more blocks than one segment's 8192.
scene::Image grainy(std::uint32_t width, std::uint32_t height) {
  scene::Image image = smooth(width, height);
  std::uint32_t state = 5;
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    state = state * 1664525 + 1013904223;
    if (i % 4 == 3) {
      image.pixels[i] = std::byte{255};
    } else {
      image.pixels[i] = static_cast<std::byte>(80 + std::to_integer<unsigned>(image.pixels[i]) / 4 + (state >> 27));
    }
  }
  return image;
}

CompileOptions rdo_options(float rdo, std::uint32_t zstd_level, TargetFormat format) {
  CompileOptions options;
  options.effort = codec::Effort::kFast;
  options.rdo = rdo;
  options.zstd_level = zstd_level;
  options.format = format;
  return options;
}

std::uint64_t stored_bytes(const EncodedTexture& texture) {
  std::uint64_t bytes = 0;
  for (const EncodedTexture::Level& level : texture.levels) bytes += level.bytes.size();
  return bytes;
}

TEST(Compile, rdo_turns_zstd_on_and_reports) {
  const auto make = [](float rdo, std::uint32_t zstd_level, TargetFormat format) {
    auto texture = compile_texture([](std::uint32_t) -> Result<scene::Image> { return grainy(512, 600); }, {},
                                   rdo_options(rdo, zstd_level, format));
    EXPECT_TRUE(texture);
    return texture.value_or(EncodedTexture());
  };
  const EncodedTexture plain = make(0, 6, TargetFormat::kUastc);
  EXPECT_FALSE(plain.rdo);
  EXPECT_FALSE(make(20, 0, TargetFormat::kAstc8x8).rdo) << "a format that does not take it has no report";
  const EncodedTexture light = make(5, 0, TargetFormat::kUastc), heavy = make(50, 0, TargetFormat::kUastc);
  ASSERT_TRUE(light.rdo && heavy.rdo);
  EXPECT_LE(stored_bytes(light), stored_bytes(plain));
  EXPECT_LT(stored_bytes(heavy), stored_bytes(light));
  EXPECT_LT(heavy.rdo->psnr_db, light.rdo->psnr_db);
  EXPECT_EQ(heavy.zstd_level, kDefaultRawZstdLevel);
  std::uint64_t uncompressed = 0;
  for (const EncodedTexture::Level& level : heavy.levels) uncompressed += level.uncompressed_bytes;
  EXPECT_EQ(heavy.rdo->compressed_bytes, stored_bytes(heavy));
  EXPECT_EQ(heavy.rdo->uncompressed_bytes, uncompressed);
  // The reported PSNR is that of the decoded texture.
  const auto decoded = decode(heavy);
  ASSERT_TRUE(decoded) << decoded.error().to_string();
  const scene::Image source = grainy(512, 600);
  double sum = 0;
  for (std::size_t i = 0; i < source.pixels.size(); ++i) {
    const double miss = std::to_integer<int>(source.pixels[i]) - std::to_integer<int>(decoded->pixels[i]);
    sum += miss * miss;  // alpha is 255 in both
  }
  EXPECT_NEAR(heavy.rdo->psnr_db, 10 * std::log10(255.0 * 255.0 * 3 * 512 * 600 / sum), 1e-6);
}

TEST(Compile, rdo_of_every_format_reports_the_error_of_its_texels) {
  const scene::Image source = grainy(256, 200);
  struct Blocks {
    TargetFormat format;
    const char* letters;  // CompileOptions::channels; empty: those of the kind
    unsigned channels;    // that the error is measured over
    std::uint32_t block_bits;
  };
  for (const auto& [format, letters, channels, block_bits] : {Blocks{TargetFormat::kBc1, "", 3, 4},
                                                              {TargetFormat::kBc3, "", 3, 8},
                                                              {TargetFormat::kBc4, "", 1, 4},
                                                              {TargetFormat::kBc5, "rg", 2, 8},
                                                              {TargetFormat::kBc7, "", 3, 8},
                                                              {TargetFormat::kEtc2, "", 3, 4},
                                                              {TargetFormat::kEtc2, "rgb", 3, 4},
                                                              {TargetFormat::kEtc2, "", 1, 4},
                                                              {TargetFormat::kEtc2, "rg", 2, 8}}) {
    const auto make = [&](float rdo, std::uint32_t zstd_level) {
      CompileOptions options = rdo_options(rdo, zstd_level, format);
      options.mips.kind = channels == 1 ? TexelKind::kGray : channels == 2 ? TexelKind::kLinear : TexelKind::kColor;
      if (*letters != '\0') options.channels = parse_channels(letters);
      auto texture = compile_texture([&](std::uint32_t) -> Result<scene::Image> { return source; }, {}, options);
      EXPECT_TRUE(texture) << texture.error().to_string();
      return texture.value_or(EncodedTexture());
    };
    const EncodedTexture plain = make(0, 6), small = make(50, 0);
    EXPECT_FALSE(plain.rdo);
    ASSERT_TRUE(small.rdo);
    EXPECT_EQ(small.zstd_level, kDefaultRawZstdLevel);
    EXPECT_LT(stored_bytes(small), stored_bytes(plain));
    EXPECT_EQ(small.rdo->block_bits, block_bits);
    const auto decoded = decode(small);
    ASSERT_TRUE(decoded) << decoded.error().to_string();
    double sum = 0;
    for (std::size_t i = 0; i < source.pixels.size(); ++i) {
      if (i % 4 >= channels) continue;
      const bool wide = decoded->type == scene::PixelType::kU16;
      const auto byte = [&](std::size_t at) { return std::to_integer<int>(decoded->pixels[at]); };
      const int found = wide ? (byte(2 * i) + 256 * byte(2 * i + 1) + 128) / 257 : byte(i);
      const double miss = std::to_integer<int>(source.pixels[i]) - found;
      sum += miss * miss;
    }
    EXPECT_NEAR(small.rdo->psnr_db, 10 * std::log10(255.0 * 255.0 * channels * 256 * 200 / sum), 0.01);
  }
}

TEST(Compile, rdo_gives_the_same_texture_with_any_number_of_threads) {
  std::vector<EncodedTexture> textures;
  for (const std::size_t threads : {1, 3, 8}) {
    const ThreadLimit limit(threads);
    auto texture = compile_texture([](std::uint32_t) -> Result<scene::Image> { return grainy(512, 600); }, {},
                                   rdo_options(20, 0, TargetFormat::kUastc));
    ASSERT_TRUE(texture);
    textures.push_back(std::move(*texture));
  }
  EXPECT_TRUE(textures[0] == textures[1]);
  EXPECT_TRUE(textures[0] == textures[2]);
}

// Heights that differ by less than an 8-bit step: EAC keeps 11 bits, and BC4 has seven steps between neighboring 8-bit
// values. The next level has 16 bits too.
TEST(compile, heights_of_sixteen_bits_reach_their_blocks) {
  const auto height = [](std::uint32_t x) { return static_cast<std::uint16_t>(0x8000 + x / 2 * 64); };
  const auto source = [&](std::uint32_t) -> Result<scene::Image> {
    scene::Image image{8, 8, scene::PixelType::kU16, 1, {}};
    for (std::uint32_t i = 0; i < 64; ++i)
      for (const std::uint32_t v : {std::uint32_t{height(i % 8)}, 0u, 0u, 65535u})
        append(image.pixels, static_cast<std::uint16_t>(v));
    return image;
  };
  CompileOptions options;
  options.mips.kind = TexelKind::kGray;
  options.mips.filter = Filter::kBox;
  for (const TargetFormat format : {TargetFormat::kEtc2, TargetFormat::kBc4}) {
    options.format = format;
    const auto texture = compile_texture(source, {}, options);
    ASSERT_TRUE(texture) << texture.error().to_string();
    for (const std::uint32_t level : {0u, 1u}) {
      const auto image = decode(*texture, {.level = level});
      ASSERT_TRUE(image) << image.error().to_string();
      ASSERT_EQ(image->type, scene::PixelType::kU16);
      for (std::uint32_t t = 0; t < image->width_texels * image->height_texels; ++t)
        EXPECT_NEAR(load<std::uint16_t>(image->pixels, t * 8), height((t % image->width_texels) << level), 50) << level;
    }
  }
}

}  // namespace
}  // namespace assetc::texture
