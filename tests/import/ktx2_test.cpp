#include "import/texture/ktx2.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <utility>

#include "corpus.hpp"
#include "etc1s_files.hpp"
#include "places.hpp"
#include "texture/compile.hpp"

namespace assetc::importer {
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
  texture::CompileOptions options;
  options.format = block_compress ? texture::TargetFormat::kUastc : texture::TargetFormat::kRgba8;
  options.zstd_level = zstd_level;
  const auto made = texture::compile_texture([&](std::uint32_t) -> Result<scene::Image> { return image; }, {}, options);
  EXPECT_TRUE(made);
  if (!made) return {};
  ktx2::Texture file;
  file.format = made->format;
  file.width_texels = made->width_texels;
  file.height_texels = made->height_texels;
  if (made->zstd_level != 0) file.supercompression = ktx2::Supercompression::kZstd;
  for (const auto& level : made->levels) file.levels.push_back({level.bytes, level.uncompressed_bytes});
  return ktx2::write(file).value_or(ByteVector());
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

TEST(DecodeKtx2, etc1s_is_exact_in_every_image) {
  for (const auto& [name, shape] : etc1s::shapes()) {
    const etc1s::Writer writer(shape, 9);
    const ByteVector file = writer.file();
    const auto view = ktx2::View::open(file);
    ASSERT_TRUE(view) << name << ": " << view.error().to_string();
    std::size_t i = 0;
    for (std::uint32_t level = 0; level < shape.levels; ++level) {
      for (std::uint32_t layer = 0; layer < std::max(shape.layers, 1u); ++layer) {
        for (std::uint32_t face = 0; face < shape.faces; ++face, ++i) {
          const auto image = decode_ktx2(*view, {level, layer, face}, Channels::kStored);
          ASSERT_TRUE(image) << name << ": " << image.error().to_string();
          const auto expected = std::as_bytes(std::span(writer.texels(i)));
          ASSERT_TRUE(std::ranges::equal(image->pixels, expected)) << name << ", image " << i;
        }
      }
    }
  }
}

// The last texel of an image.
std::array<int, 3> ground_of(const std::filesystem::path& path, const ImageIndex& index = {}) {
  const auto image = decode_ktx2(*corpus::read_file(path), index);
  EXPECT_TRUE(image) << path << ": " << image.error().to_string();
  if (!image) return {};
  const std::size_t wide = channel_bytes(image->type);
  std::array<int, 3> color{};
  for (std::size_t c = 0; c < 3; ++c)
    color[c] = std::to_integer<int>(image->pixels[image->pixels.size() - (4 - c) * wide + wide - 1]);
  return color;
}
void expect_ground(const std::filesystem::path& path, std::array<int, 3> color, const ImageIndex& index = {}) {
  const std::array<int, 3> found = ground_of(path, index);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(found[c], color[c], 3) << path << ", channel " << c;
}

// Each picture is a chessboard whose last square has one color.
TEST(DecodeKtx2, files_of_other_writers_decode) {
  const auto folder = corpus::own_folder("ktx2");
  for (const char* name : {"rgba8", "rgb8", "rgba16", "astc4x4", "bc7", "uastc"})
    expect_ground(folder / (std::string(name) + ".ktx2"), {77, 175, 75});
  // BC1 has 5, 6 and 5 bits per channel; ETC1 in this mode has 4, and its smallest modifier adds 2.
  expect_ground(folder / "bc1.ktx2", {74, 174, 74});
  expect_ground(folder / "etc2.ktx2", {70, 172, 70});
  for (std::uint32_t i = 0; i < 6; ++i)
    expect_ground(folder / "shapes/cube_rgba8.ktx2", {77, 175, 75 + 20 * static_cast<int>(i)}, {.face = i});
  for (std::uint32_t i = 0; i < 3; ++i)
    expect_ground(folder / "shapes/array_rgba8.ktx2", {77, 175, 75 + 20 * static_cast<int>(i)}, {.layer = i});
  // Pictures of the larger corpus show the name of their format on a background of one color.
  constexpr std::pair<const char*, std::array<int, 3>> kMore[] = {{"2d_rgba8.ktx2", {77, 175, 74}},
                                                                  {"2d_rgb8.ktx2", {77, 175, 74}},
                                                                  {"2d_astc4x4.ktx2", {55, 126, 184}},
                                                                  {"2d_bc7.ktx2", {255, 127, 0}},
                                                                  {"2d_uastc.ktx2", {184, 152, 0}}};
  for (const auto& [name, color] : kMore) {
    const auto path = std::filesystem::path(places::kCorpus) / "ktx2" / name;
    if (std::filesystem::exists(path)) expect_ground(path, color);
  }
}

}  // namespace
}  // namespace assetc::importer
