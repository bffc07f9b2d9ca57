#include "convert/compare_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "recipes/container/containers.hpp"
#include "texture/compile.hpp"
#include "texture/pictures.hpp"

namespace assetc::convert {
namespace {

using scene::Image;
using scene::PixelType;
using texture::Arrangement;
using texture::CompileOptions;
using texture::Extent;
using texture::TargetFormat;
using texture::TexelKind;
using texture::pictures::make_image;
using texture::pictures::noise;

Image smooth_image() {
  return make_image(64, 64, [](std::uint32_t i) { return static_cast<int>(40 + (i / 4 % 64) * 2 + i / 256); });
}

Result<ByteVector> write_ktx2(const texture::ImageSource& source, Arrangement arrangement,
                              const CompileOptions& options) {
  ASSETC_TRY(const texture::EncodedTexture texture, texture::compile_texture(source, arrangement, options));
  return recipes::kKtx2.write(texture);
}

// Stand-ins for a decoder: they return the picture that a test needs.
Result<Image> read_smooth(ByteSpan) { return smooth_image(); }
Result<Image> read_small(ByteSpan) { return make_image(8, 8, noise); }

const ByteSpan kPicture = as_bytes("a picture");

ByteVector compile_smooth(const CompileOptions& options, Arrangement arrangement = {}) {
  auto file = write_ktx2([](std::uint32_t) -> Result<Image> { return smooth_image(); }, arrangement, options);
  EXPECT_TRUE(file);
  return std::move(*file);
}

TEST(compare_files, raw_texture_equals_its_picture_on_every_level) {
  const ByteVector file = compile_smooth({.mips = {}, .format = TargetFormat::kRgba8});
  const auto differences = compare_files(kPicture, file, read_smooth);
  ASSERT_TRUE(differences) << differences.error().to_string();
  ASSERT_EQ(differences->size(), 7u);
  for (const ImageDifference& d : *differences) {
    EXPECT_TRUE(std::isinf(d.difference.psnr_rgb)) << d.level;
    EXPECT_EQ(d.kind, TexelKind::kColor);
  }
  EXPECT_EQ((*differences)[6].extent, (Extent{1, 1}));
}

TEST(compare_files, kind_is_told_by_the_texture) {
  const ByteVector normal = compile_smooth({.mips = {.kind = TexelKind::kNormal}});
  const auto differences = compare_files(kPicture, normal, read_smooth);
  ASSERT_TRUE(differences);
  EXPECT_EQ(differences->at(0).kind, TexelKind::kNormal);
  EXPECT_LT(differences->at(0).difference.mean_angle_degrees, 1);
  EXPECT_TRUE(std::isinf(differences->at(0).difference.psnr_channel[2]));
  const ByteVector linear = compile_smooth({.mips = {.kind = TexelKind::kLinear}});
  EXPECT_EQ(compare_files(kPicture, linear, read_smooth)->at(0).kind, TexelKind::kLinear);
}

// A ramp of 16 bits whose steps are below the precision of 8 bits.
Result<Image> read_ramp16(ByteSpan) {
  Image image{16, 4, PixelType::kU16, 1, {}};
  for (std::uint32_t i = 0; i < 64; ++i)
    for (const std::uint32_t v : {0x8000 + i % 16 * 40, 0u, 0u, 65535u})
      append(image.pixels, static_cast<std::uint16_t>(v));
  return image;
}

// Rounded to 8 bits the ramp has about 59 dB.
TEST(compare_files, sixteen_bits_are_compared_with_textures_that_keep_them) {
  const auto file = write_ktx2([](std::uint32_t) { return read_ramp16({}); }, {},
                               {.mips = {.kind = TexelKind::kGray}, .format = TargetFormat::kBc4});
  ASSERT_TRUE(file);
  const auto differences = compare_files(kPicture, *file, read_ramp16);
  ASSERT_TRUE(differences) << differences.error().to_string();
  ASSERT_EQ(differences->size(), 5u);
  EXPECT_EQ(differences->at(0).kind, TexelKind::kGray);
  for (const ImageDifference& d : *differences) EXPECT_GT(d.difference.psnr_channel[0], 66) << d.level;
  const auto as_color = compare_files(kPicture, *file, read_ramp16, {.kind = TexelKind::kColor});
  ASSERT_TRUE(as_color) << as_color.error().to_string();
  EXPECT_LT(as_color->at(0).difference.psnr_channel[0], 62);
}

Result<Image> read_float(ByteSpan) {
  Image image{2, 1, PixelType::kF32, 3, {}};
  for (float v : {0.5f, 1000.1f, 0.0f, 1.0f, 0.1f, 0.2f, 0.3f, 1.0f}) append(image.pixels, v);
  return image;
}

TEST(compare_files, float_pictures_against_half_float_textures) {
  const auto file = write_ktx2([](std::uint32_t) { return read_float({}); }, {}, {.mips = {.kind = TexelKind::kHdr}});
  ASSERT_TRUE(file);
  const auto differences = compare_files(kPicture, *file, read_float);
  ASSERT_TRUE(differences) << differences.error().to_string();
  ASSERT_EQ(differences->size(), 2u);
  EXPECT_EQ(differences->at(0).kind, TexelKind::kHdr);
  EXPECT_GT(differences->at(0).difference.psnr_rgb, 60);
  EXPECT_FALSE(std::isinf(differences->at(0).difference.psnr_rgb)) << "half floats differ from the picture";
  EXPECT_TRUE(std::isinf(differences->at(1).difference.psnr_rgb)) << "a level has exactly the written texels";
}

// Color is compared as linear light, which such textures hold; data is compared unchanged.
TEST(compare_files, integer_pictures_against_float_textures) {
  for (const TargetFormat format : {TargetFormat::kRgba16f, TargetFormat::kBc6h}) {
    for (const TexelKind kind : {TexelKind::kColor, TexelKind::kGray, TexelKind::kNormal}) {
      const ByteVector file = compile_smooth({.mips = {.kind = kind}, .format = format});
      CompareOptions options;
      if (kind != TexelKind::kColor) options.kind = kind;
      const auto differences = compare_files(kPicture, file, read_smooth, options);
      ASSERT_TRUE(differences) << differences.error().to_string();
      ASSERT_EQ(differences->size(), 7u);
      for (const ImageDifference& d : *differences) {
        EXPECT_EQ(d.kind, kind);
        if (format == TargetFormat::kRgba16f) {
          EXPECT_TRUE(std::isinf(d.difference.psnr_rgb)) << d.level;
        } else {
          EXPECT_GT(d.difference.psnr_rgb, 40) << d.level;
        }
      }
    }
  }
}

TEST(compare_files, pictures_scaled_down_by_max_size) {
  const ByteVector file = compile_smooth({.mips = {.max_size_texels = 20}, .format = TargetFormat::kRgba8});
  for (const bool swapped : {false, true}) {
    const auto differences =
        swapped ? compare_files(file, kPicture, read_smooth) : compare_files(kPicture, file, read_smooth);
    ASSERT_TRUE(differences) << differences.error().to_string();
    ASSERT_EQ(differences->size(), 5u);
    EXPECT_EQ(differences->at(0).extent, (Extent{20, 20}));
    for (const ImageDifference& d : *differences) EXPECT_TRUE(std::isinf(d.difference.psnr_rgb)) << d.level;
  }
}

TEST(compare_files, two_cubemaps_face_by_face) {
  const ByteVector raw = compile_smooth({.mips = {}, .format = TargetFormat::kRgba8}, {0, 6}),
                   blocks = compile_smooth({}, {0, 6});
  const auto differences = compare_files(raw, blocks, read_smooth);
  ASSERT_TRUE(differences) << differences.error().to_string();
  ASSERT_EQ(differences->size(), 42u);
  EXPECT_EQ(differences->at(7).level, 1u);
  EXPECT_EQ(differences->at(7).face, 1u);
  EXPECT_GT(differences->at(0).difference.psnr_rgb, 40);
}

TEST(compare_files, shapes_must_agree) {
  const auto differences = compare_files(kPicture, compile_smooth({}), read_small);
  ASSERT_FALSE(differences);
  EXPECT_EQ(differences.error().to_string(),
            "found 8x8 and 64x64, expected files of the same shape; compare a texture with the picture that it was "
            "made from");
}

TEST(compare_files, damaged_files_are_told_apart) {
  ByteVector cut = compile_smooth({});
  cut.resize(60);
  const auto differences = compare_files(kPicture, cut, read_smooth);
  ASSERT_FALSE(differences);
  EXPECT_THAT(differences.error().to_string(), ::testing::HasSubstr("the second file"));
}

TEST(compare_files, pairs_for_heat_maps) {
  const ByteVector file = compile_smooth({});
  const auto pair = read_pair(kPicture, file, read_smooth, {.level = 2});
  ASSERT_TRUE(pair) << pair.error().to_string();
  EXPECT_EQ(pair->reference.width_texels, 16u);
  EXPECT_EQ(pair->other.width_texels, 16u);
  const auto message = [&](const importer::ImageIndex& index) {
    const auto none = read_pair(kPicture, file, read_smooth, index);
    return none ? "" : none.error().to_string();
  };
  EXPECT_EQ(message({.level = 9}), "level 9 was asked for, the files share 7; ask for one from 0 to 6");
  EXPECT_EQ(message({.layer = 1}), "layer 1 was asked for, the files share 1; ask for layer 0");
  EXPECT_EQ(message({.face = 1}), "face 1 was asked for, the files share 1; ask for face 0");
  EXPECT_EQ(message({.slice = 1}), "slice 1 was asked for, the files share 1; ask for slice 0");
  const ByteVector layers = compile_smooth({.mips = {}, .format = TargetFormat::kRgba8}, {2, 1});
  EXPECT_TRUE(read_pair(layers, layers, read_smooth, {.level = 1, .layer = 1}));
  const auto pictures = read_pair(kPicture, kPicture, read_smooth, {});
  ASSERT_TRUE(pictures);
  EXPECT_EQ(pictures->reference.pixels, pictures->other.pixels);
}

}  // namespace
}  // namespace assetc::convert
