#include "texture/decode.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "assetc/formats/ktx2.hpp"
#include "texture/compile.hpp"

namespace assetc::texture {
namespace {

scene::Image gradient(std::uint32_t width, std::uint32_t height) {
  scene::Image image;
  image.width_texels = width;
  image.height_texels = height;
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      for (const std::uint32_t v : {x * 8, y * 8, (x + y) * 4, 255u}) image.pixels.push_back(static_cast<std::byte>(v));
    }
  }
  return image;
}

ByteVector compiled(const scene::Image& image, bool block_compress, std::uint32_t zstd_level) {
  CompileOptions options;
  options.format = block_compress ? TargetFormat::kUastc : TargetFormat::kRgba8;
  options.zstd_level = zstd_level;
  auto file = compile_texture([&](std::uint32_t) -> Result<scene::Image> { return image; }, {}, options);
  EXPECT_TRUE(file);
  return file ? *file : ByteVector();
}

TEST(DecodeKtx2, raw_texels_come_back_exactly_through_zstd) {
  const scene::Image image = gradient(13, 7);
  const auto decoded = decode_ktx2(compiled(image, false, 0));
  ASSERT_TRUE(decoded) << decoded.error().to_string();
  EXPECT_EQ(decoded->width_texels, 13u);
  EXPECT_EQ(decoded->pixels, image.pixels);
}

TEST(DecodeKtx2, uastc_is_near_with_and_without_zstd) {
  const scene::Image image = gradient(13, 7);
  const auto plain = decode_ktx2(compiled(image, true, 0));
  ASSERT_TRUE(plain) << plain.error().to_string();
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    EXPECT_NEAR(static_cast<int>(plain->pixels[i]), static_cast<int>(image.pixels[i]), 12);
  }
  EXPECT_EQ(decode_ktx2(compiled(image, true, 5))->pixels, plain->pixels);
}

TEST(DecodeKtx2, levels_halve_and_an_image_that_is_not_there_is_named) {
  const ByteVector file = compiled(gradient(16, 4), true, 0);
  const auto level = decode_ktx2(file, {.level = 2});
  ASSERT_TRUE(level);
  EXPECT_EQ(level->width_texels, 4u);
  EXPECT_EQ(level->height_texels, 1u);
  EXPECT_EQ(decode_ktx2(file, {.level = 5}).error().to_string(),
            "level 5 was asked for, the texture has 5; ask for one from 0 to 4");
  EXPECT_EQ(decode_ktx2(file, {.face = 1}).error().to_string(),
            "face 1 was asked for, the texture has 1; ask for face 0");
}

TEST(DecodeKtx2, a_damaged_zstd_frame_is_an_error) {
  ByteVector file = compiled(gradient(32, 32), false, 0);
  const auto view = ktx2::View::open(file);
  ASSERT_TRUE(view);
  const auto offset = static_cast<std::size_t>(view->levels()[0].bytes.data() - file.data());
  for (std::size_t i = 0; i < 8; ++i) file[offset + i] ^= std::byte{0x5A};
  const auto decoded = decode_ktx2(file);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code, ErrorCode::kInvalidData);
  EXPECT_EQ(decoded.error().place, "level 0");
}

TEST(DecodeKtx2, files_of_other_writers_decode) {
  const std::filesystem::path folder = std::filesystem::path(ASSETC_CORPUS_DIR) / "ktx2";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "needs the corpus at " << folder;
  // Each shows the name of its format on a ground of one colour.
  const auto expect_ground = [&](const char* name, std::array<int, 3> color) {
    std::ifstream in(folder / name, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    const auto image = decode_ktx2(as_bytes(text));
    ASSERT_TRUE(image) << name << ": " << image.error().to_string();
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(static_cast<int>(image->pixels[image->pixels.size() - 4 + c]), color[c], 3) << name;
    }
  };
  expect_ground("2d_rgba8.ktx2", {77, 175, 74});
  expect_ground("2d_rgb8.ktx2", {77, 175, 74});
  expect_ground("2d_astc4x4.ktx2", {55, 126, 184});
  expect_ground("2d_bc7.ktx2", {255, 127, 0});
  expect_ground("2d_uastc.ktx2", {184, 152, 0});
}

}  // namespace
}  // namespace assetc::texture
