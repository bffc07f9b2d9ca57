#include "texture/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "texture/pictures.hpp"

namespace assetc::texture {
namespace {

using pictures::make_image;
using pictures::noise;
using scene::Image;
using scene::PixelType;

TEST(compare, equal_pictures_have_no_difference) {
  const Image image = make_image(20, 13, noise);
  const auto d = compare_images(image, image);
  ASSERT_TRUE(d);
  EXPECT_TRUE(std::isinf(d->psnr_rgb));
  EXPECT_NEAR(d->ssim, 1.0, 1e-12);
  EXPECT_EQ(d->max_difference, 0);
  EXPECT_EQ(d->max_angle_degrees, 0);
}

TEST(compare, psnr_of_a_known_error) {
  // Red is off by 5 codes everywhere: 20 log10(255 / 5) for red, and a third of the squared error for RGB.
  const Image a = make_image(16, 16, [](std::uint32_t) { return 100; });
  const Image b = make_image(16, 16, [](std::uint32_t i) { return i % 4 == 0 ? 105 : 100; });
  const auto d = compare_images(a, b);
  ASSERT_TRUE(d);
  EXPECT_NEAR(d->psnr_channel[0], 20 * std::log10(255.0 / 5), 1e-4);
  EXPECT_NEAR(d->psnr_rgb, 20 * std::log10(255.0 / 5) + 10 * std::log10(3.0), 1e-4);
  EXPECT_TRUE(std::isinf(d->psnr_channel[1]));
  EXPECT_NEAR(d->max_difference, 5 / 255.0, 1e-6);
}

TEST(compare, ssim_tells_structure_from_brightness) {
  const Image a = make_image(64, 64, noise);
  const Image brighter = make_image(64, 64, [](std::uint32_t i) { return std::min(255, noise(i) + 4); });
  const Image other = make_image(64, 64, [](std::uint32_t i) { return noise(i + 12345); });
  EXPECT_GT(compare_images(a, brighter)->ssim, 0.97);
  EXPECT_LT(compare_images(a, other)->ssim, 0.2);
}

TEST(compare, angles_are_those_between_the_vectors) {
  Image a{1, 1, PixelType::kF32, 4, {}}, b = a;
  const float tilt = 0.3f;
  for (float v : {0.5f, 0.5f, 0.0f, 1.0f}) append(a.pixels, v);
  for (float v : {std::sin(tilt) * 0.5f + 0.5f, 0.5f, 0.0f, 1.0f}) append(b.pixels, v);
  EXPECT_NEAR(compare_images(a, b)->mean_angle_degrees, tilt * 180 / 3.14159265, 1e-4);
}

TEST(compare, sizes_must_agree) {
  const auto d = compare_images(make_image(4, 4, noise), make_image(4, 5, noise));
  ASSERT_FALSE(d);
  EXPECT_EQ(d.error().to_string(),
            "pictures of 4x4 and 4x5 texels cannot be compared; compare pictures of the same size");
}

TEST(compare, heat_map_is_black_where_equal_and_white_where_far_off) {
  Image a = make_image(2, 1, [](std::uint32_t) { return 100; });
  Image b = a;
  b.pixels[4] = std::byte{200};
  const auto map = heat_map(a, b);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->pixels[0], std::byte{0});
  EXPECT_EQ(map->pixels[4], std::byte{255});
  EXPECT_EQ(map->pixels[6], std::byte{255});
  EXPECT_EQ(map->pixels[7], std::byte{255});
}

}  // namespace
}  // namespace assetc::texture
