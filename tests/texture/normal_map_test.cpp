#include "texture/normal_map.hpp"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <vector>

namespace assetc::texture {
namespace {

using NormalTexel = std::array<std::uint8_t, 4>;

scene::Image row(const std::vector<NormalTexel>& texels) {
  scene::Image image;
  image.width_texels = static_cast<std::uint32_t>(texels.size());
  image.height_texels = 1;
  for (const NormalTexel& t : texels) {
    for (const std::uint8_t v : t) image.pixels.push_back(static_cast<std::byte>(v));
  }
  return image;
}

void expect_completed(scene::Image image, NormalLayout layout, const std::vector<NormalTexel>& expected) {
  EXPECT_EQ(find_normal_layout(image), layout);
  complete_normals(image, layout);
  EXPECT_EQ(image.pixels, row(expected).pixels);
}

// (0, 0, 1), (0.6, 0, 0.8), (0, 1, 0): 0.8 is code 229.5 of 255, except for the rounding of X.
constexpr NormalTexel kUp{128, 128, 255, 255}, kTilted{204, 128, 229, 255}, kAlong{128, 255, 128, 255};

TEST(NormalMap, every_layout_becomes_x_y_z) {
  const std::vector<NormalTexel> all{kUp, kTilted, kAlong};
  expect_completed(row(all), NormalLayout::kXyz, all);
  expect_completed(row({{128, 128, 0, 255}, {204, 128, 0, 255}, {128, 255, 0, 255}}), NormalLayout::kXy, all);
  expect_completed(row({{128, 128, 128, 128}, {204, 204, 204, 128}, {128, 128, 128, 255}}), NormalLayout::kXxxy, all);
  expect_completed(row({{255, 128, 0, 128}, {255, 128, 0, 204}, {255, 255, 0, 128}}), NormalLayout::k1y0x, all);
}

TEST(NormalMap, y_is_turned_in_every_pixel_type) {
  scene::Image u8 = row({{10, 0, 30, 40}, {1, 200, 3, 4}});
  turn_y(u8);
  EXPECT_EQ(u8.pixels, row({{10, 255, 30, 40}, {1, 55, 3, 4}}).pixels);
  const auto turned = [](scene::PixelType type, auto x, auto y) {
    using T = decltype(x);
    const std::array<T, 4> texel{x, y, x, x};
    scene::Image image{1, 1, type, 4, {}};
    const auto bytes = std::as_bytes(std::span(texel));
    image.pixels.assign(bytes.begin(), bytes.end());
    turn_y(image);
    EXPECT_EQ(load<T>(image.pixels, 0), x);
    EXPECT_EQ(load<T>(image.pixels, 2 * sizeof(T)), x);
    return load<T>(image.pixels, sizeof(T));
  };
  EXPECT_EQ(turned(scene::PixelType::kU16, std::uint16_t{7}, std::uint16_t{0x1234}), 0xFFFF - 0x1234);
  EXPECT_EQ(turned(scene::PixelType::kF32, 0.5f, 0.25f), 0.75f);
}

TEST(NormalMap, channels_of_sixteen_bits_keep_their_precision) {
  scene::Image image{1, 1, scene::PixelType::kU16, 4, ByteVector(8)};
  const std::array<std::uint16_t, 4> xy{52428, 32768, 0, 65535};  // X 0.6
  std::memcpy(image.pixels.data(), xy.data(), sizeof xy);
  complete_normals(image, find_normal_layout(image));
  std::array<std::uint16_t, 4> xyz;
  std::memcpy(xyz.data(), image.pixels.data(), sizeof xyz);
  EXPECT_EQ(xyz[0], xy[0]);
  EXPECT_NEAR(xyz[2], 0.9 * 65535, 1);
}

TEST(NormalMap, masks_and_colors_are_not_taken_for_normals) {
  EXPECT_TRUE(looks_like_xy_normals(row({{128, 128, 0, 255}, {204, 128, 0, 255}})));
  EXPECT_FALSE(looks_like_xy_normals(row({{128, 128, 0, 255}, {255, 255, 0, 255}}))) << "longer than 1";
  EXPECT_FALSE(looks_like_xy_normals(row({{0, 0, 0, 255}}))) << "black";
  EXPECT_FALSE(looks_like_xy_normals(row({{128, 128, 9, 255}}))) << "blue is not zero";
  EXPECT_FALSE(looks_like_xy_normals(row({{128, 128, 0, 128}}))) << "alpha is not opaque";
}

// The direction stays, also where only X and Y are kept.
TEST(NormalMap, normals_of_another_length_are_normalized) {
  constexpr NormalTexel kShort{166, 128, 204, 77};  // (0.3, 0, 0.6)
  scene::Image image = row({kUp, kTilted, kAlong, kShort});
  normalize_normals(image);
  EXPECT_EQ(image.pixels, row({kUp, kTilted, kAlong, {185, 128, 241, 77}}).pixels);
}

TEST(NormalMap, blue_that_is_not_z_has_no_effect) {
  const std::vector<NormalTexel> constant{{166, 128, 255, 255}, {204, 128, 255, 255}}, none{{166, 128, 0, 255}, kUp},
      data{{166, 128, 200, 255}, {166, 128, 30, 255}};
  for (const std::vector<NormalTexel>& texels : {constant, none, data}) {
    scene::Image image = row(texels);
    normalize_normals(image);
    EXPECT_EQ(image.pixels, row(texels).pixels);
  }
}

TEST(NormalMap, pictures_of_more_bits_are_normalized_too) {
  scene::Image half{2, 1, scene::PixelType::kU16, 3, ByteVector(16)};
  const std::array<std::uint16_t, 8> wide{42598, 32768, 52428, 65535, 32768, 32768, 65535, 65535};  // (0.3, 0, 0.6)
  std::memcpy(half.pixels.data(), wide.data(), sizeof wide);
  normalize_normals(half);
  EXPECT_NEAR(load<std::uint16_t>(half.pixels, 0), (0.4472 / 2 + 0.5) * 65535, 4);
  scene::Image floats{2, 1, scene::PixelType::kF32, 3, ByteVector(32)};
  const std::array<float, 8> exact{0.65f, 0.5f, 0.8f, 1, 0.5f, 0.5f, 1, 1};
  std::memcpy(floats.pixels.data(), exact.data(), sizeof exact);
  normalize_normals(floats);
  EXPECT_NEAR(load<float>(floats.pixels, 0), 0.4472f / 2 + 0.5f, 1e-4f);
  EXPECT_EQ(load<float>(floats.pixels, 16), 0.5f);
}

}  // namespace
}  // namespace assetc::texture
