#include "texture/cube.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "texture/panorama.hpp"

namespace assetc::texture {
namespace {

using scene::Vec3;
using testing::panorama;

constexpr std::array<Vec3, 6> kAxes{Vec3{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};

Vec3 unit(Vec3 v) { return scene::normalize_or(v, {0, 0, 0}); }

// The table "Cube Map Face Selection" of the Vulkan specification: major axis, then the axis along s and along t.
TEST(cube, faces_are_those_of_vulkan) {
  constexpr std::array<Vec3, 6> kAlongS{Vec3{0, 0, -1}, {0, 0, 1}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}, {-1, 0, 0}};
  constexpr std::array<Vec3, 6> kAlongT{Vec3{0, -1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}, {0, -1, 0}, {0, -1, 0}};
  for (std::uint32_t face = 0; face < kFaces; ++face) {
    for (const float s : {-0.9f, 0.0f, 0.25f}) {
      for (const float t : {-0.5f, 0.0f, 0.75f}) {
        const Vec3 d = face_direction(face, s, t);
        EXPECT_EQ(d, kAxes[face] + kAlongS[face] * s + kAlongT[face] * t) << face;
        const FacePoint back = face_point(d * 3.5f);
        EXPECT_EQ(back.face, face);
        EXPECT_FLOAT_EQ(back.s, s);
        EXPECT_FLOAT_EQ(back.t, t);
      }
    }
  }
}

// A room whose walls have different colors.
TEST(cube, a_panorama_lands_on_the_faces_it_shows) {
  const scene::Image room = to_light(panorama(64, [](Vec3 d) {
    const auto face = face_point(d).face;
    const auto pair = face / 2;
    return Vec3{face % 2 == 0 ? 1.0f : 0.25f, static_cast<float>(pair), 0.0f};
  }));
  const Cube cube = panorama_cube(room, 16);
  for (std::uint32_t face = 0; face < kFaces; ++face) {
    const float* middle = cube.at(face, 8, 8);
    EXPECT_EQ(middle[0], face % 2 == 0 ? 1.0f : 0.25f) << face;
    const auto pair = face / 2;
    EXPECT_EQ(middle[1], static_cast<float>(pair)) << face;
  }
}

scene::Image square_of(std::uint32_t size, const std::function<Vec3(std::uint32_t x, std::uint32_t y)>& light) {
  scene::Image image{size, size, scene::PixelType::kF32, 3, {}};
  for (std::uint32_t i = 0; i < size * size; ++i) {
    const Vec3 rgb = light(i % size, i / size);
    const float texel[4] = {rgb.x, rgb.y, rgb.z, 1.0f};
    const auto* bytes = reinterpret_cast<const std::byte*>(texel);
    image.pixels.insert(image.pixels.end(), bytes, bytes + sizeof texel);
  }
  return image;
}

TEST(cube, a_face_of_its_size_is_taken_as_it_is) {
  Cube cube(4);
  set_face(cube, 3,
           square_of(4, [](auto x, auto y) { return Vec3{static_cast<float>(x), static_cast<float>(y), 0.3f}; }));
  for (std::int32_t y = 0; y < 4; ++y) {
    for (std::int32_t x = 0; x < 4; ++x) {
      EXPECT_EQ(cube.at(3, x, y)[0], static_cast<float>(x));
      EXPECT_EQ(cube.at(3, x, y)[1], static_cast<float>(y));
      EXPECT_EQ(cube.at(3, x, y)[2], 0.3f);
      EXPECT_EQ(cube.at(2, x, y)[2], 0.0f);
    }
  }
}

// A sun of one texel keeps all of its light at all sizes: six texels are scaled to four, which is doubled to eight.
TEST(cube, faces_of_other_sizes_keep_their_light) {
  for (const std::uint32_t size : {1u, 2u, 6u, 7u, 8u, 32u, 100u}) {
    Cube cube(8);
    set_face(cube, 0,
             square_of(size, [&](auto x, auto y) { return Vec3{x == size / 2 && y == 0 ? 1.0f : 0.0f, 2, 0}; }));
    float sum = 0;
    for (std::int32_t y = 0; y < 8; ++y) {
      for (std::int32_t x = 0; x < 8; ++x) {
        sum += cube.at(0, x, y)[0];
        EXPECT_FLOAT_EQ(cube.at(0, x, y)[1], 2.0f) << size;
      }
    }
    EXPECT_NEAR(sum, 64.0f / static_cast<float>(size * size), 1e-5f * sum) << size;
    EXPECT_EQ(cube.at(0, 0, 7)[0], size == 1 ? 1.0f : 0.0f) << size;
  }
}

TEST(cube, a_face_of_colors_becomes_linear_light) {
  Cube cube(2);
  set_face(cube, 5, {2, 2, scene::PixelType::kU8, 4, ByteVector(16, std::byte{188})});
  EXPECT_NEAR(cube.at(5, 1, 1)[0], 0.5029f, 0.0003f);
  scene::Image wide{1, 1, scene::PixelType::kU16, 4, ByteVector(8, std::byte{0xBC})};
  set_face(cube, 5, wide);
  EXPECT_NEAR(cube.at(5, 0, 1)[2], 0.5029f, 0.0003f);
  set_face(cube, 5, square_of(1, [](auto, auto) { return Vec3{-1, std::numeric_limits<float>::quiet_NaN(), 1e20f}; }));
  EXPECT_EQ(cube.at(5, 0, 0)[0], 0.0f);
  EXPECT_EQ(cube.at(5, 0, 0)[1], 0.0f);
  EXPECT_EQ(cube.at(5, 0, 0)[2], 1e9f);
}

// Checks places in the picture independently of this file's tables.
TEST(cube, the_middle_of_the_panorama_is_ahead_and_its_right_on_the_right) {
  scene::Image image = panorama(32, [](Vec3) { return Vec3{}; });
  const auto light_up = [&](std::uint32_t x, std::uint32_t y, std::size_t channel) {
    for (std::uint32_t i = 0; i < 4; ++i) {
      const float one = 1.0f;
      std::memcpy(image.pixels.data() + (std::size_t{y + i / 2} * 64 + x + i % 2) * 16 + channel * 4, &one, 4);
    }
  };
  light_up(31, 15, 0);  // the middle
  light_up(47, 15, 1);  // a quarter of the width to the right
  light_up(35, 11, 2);  // to the right of the middle and above it
  const Cube cube = panorama_cube(to_light(image), 16);
  const auto brightest = [&](std::size_t channel) {
    FacePoint best{};
    float most = 0.0f;
    for (std::uint32_t face = 0; face < kFaces; ++face) {
      for (std::int32_t y = 0; y < 16; ++y) {
        for (std::int32_t x = 0; x < 16; ++x) {
          if (cube.at(face, x, y)[channel] <= most) continue;
          most = cube.at(face, x, y)[channel];
          best = {face, cube.middle(x), cube.middle(y)};
        }
      }
    }
    return best;
  };
  EXPECT_EQ(brightest(0).face, 4u);  // +Z
  EXPECT_EQ(brightest(1).face, 0u);  // +X
  const FacePoint above = brightest(2);
  EXPECT_EQ(above.face, 4u);
  EXPECT_GT(above.s, 0.0f);
  EXPECT_LT(above.t, 0.0f);
}

TEST(cube, a_constant_stays_exact) {
  const scene::Image light = to_light(panorama(33, [](Vec3) { return Vec3{0.7f, 3.1f, 60000.0f}; }));
  for (const std::uint32_t size : {1u, 2u, 7u, 64u}) {
    const Cube cube = panorama_cube(light, size);
    for (std::uint32_t face = 0; face < kFaces; ++face) {
      for (std::int32_t y = -1; y <= static_cast<std::int32_t>(size); ++y) {
        for (std::int32_t x = -1; x <= static_cast<std::int32_t>(size); ++x) {
          EXPECT_EQ(cube.at(face, x, y)[0], 0.7f);
          EXPECT_EQ(cube.at(face, x, y)[1], 3.1f);
          EXPECT_EQ(cube.at(face, x, y)[2], 60000.0f);
        }
      }
    }
  }
}

// The light is linear in the direction. The bilinear reading of a panorama whose texels are a = pi / height wide is off
// by a^2 / 8 of the second derivative, 1, along both axes. The mean over a texel h = 2 / size wide is off by h^2 / 12
// of the cube's second derivative (at most 2 in each direction). The sum is below 0.0004 + 0.0007 here.
TEST(cube, smooth_light_is_kept_and_its_seams_are_smooth) {
  const auto formula = [](Vec3 d) { return 2.0f + d.x - 0.5f * d.y + 0.25f * d.z; };
  const scene::Image light = to_light(panorama(128, [&](Vec3 d) { return Vec3{formula(d), 0, 0}; }));
  constexpr std::int32_t kSize = 32;
  const Cube cube = panorama_cube(light, kSize);
  float worst = 0.0f, worst_seam = 0.0f;
  for (std::uint32_t face = 0; face < kFaces; ++face) {
    for (std::int32_t y = 0; y < kSize; ++y) {
      for (std::int32_t x = 0; x < kSize; ++x)
        worst = std::max(worst, std::fabs(cube.at(face, x, y)[0] - formula(unit(cube.direction(face, x, y)))));
    }
    // The centers of a texel and its neighbor across the edge are at most two texels apart.
    for (std::int32_t i = 0; i < kSize; ++i) {
      const std::array<std::array<std::int32_t, 4>, 4> edges{
          {{i, 0, i, -1}, {i, kSize - 1, i, kSize}, {0, i, -1, i}, {kSize - 1, i, kSize, i}}};
      for (const auto& [x, y, bx, by] : edges)
        worst_seam = std::max(worst_seam, std::fabs(cube.at(face, x, y)[0] - cube.at(face, bx, by)[0]));
    }
  }
  EXPECT_LT(worst, 0.0011f);
  // A slope of at most |(1, -0.5, 0.25)| = 1.15 over two texels of at most 2 / 32 each.
  EXPECT_LT(worst_seam, 1.15f * 2 * 2 / kSize);
  EXPECT_GT(worst_seam, 0.0f);
}

TEST(cube, halves_keep_the_light_of_the_whole_sphere) {
  const scene::Image light =
      to_light(panorama(64, [](Vec3 d) { return d.x > 0.9f ? Vec3{1000, 1, 0} : Vec3{1, 1, 0}; }));
  Cube cube = panorama_cube(light, 64);
  const auto mean = [](const Cube& c) {
    double sum = 0, weights = 0;
    for (std::uint32_t face = 0; face < kFaces; ++face) {
      for (std::int32_t y = 0; y < static_cast<std::int32_t>(c.size()); ++y) {
        for (std::int32_t x = 0; x < static_cast<std::int32_t>(c.size()); ++x) {
          const double w = face_weight(c.middle(x), c.middle(y));
          sum += w * c.at(face, x, y)[0];
          weights += w;
        }
      }
    }
    return sum / weights;
  };
  const double whole = mean(cube);
  for (int i = 0; i < 3; ++i) cube = halve(cube);
  // The weight at a texel's center stands for the mean over the texel: an error of h^2 / 24 of the second derivative, 3
  // along each axis, h = 2 / 8.
  EXPECT_NEAR(mean(cube) / whole, 1.0, 0.016);
}

TEST(cube, light_is_linear_and_finite) {
  scene::Image codes{2, 1, scene::PixelType::kU8, 4, {}};
  for (const int code : {188, 255, 0, 0, 10, 20, 30, 255}) codes.pixels.push_back(static_cast<std::byte>(code));
  const scene::Image light = to_light(codes);
  EXPECT_NEAR(load<float>(light.pixels, 0), 0.5029f, 1e-4f);  // IEC 61966-2-1
  EXPECT_EQ(load<float>(light.pixels, 4), 1.0f);
  EXPECT_EQ(load<float>(light.pixels, 12), 1.0f);  // alpha is no light

  scene::Image odd{2, 1, scene::PixelType::kF32, 3, ByteVector(32)};
  const float values[8] = {
      -1.0f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(), 0, 1e20f, 2.0f, 0, 0};
  std::memcpy(odd.pixels.data(), values, sizeof values);
  const scene::Image bounded = to_light(odd);
  const float expected[8] = {0.0f, 1e9f, 0.0f, 1.0f, 1e9f, 2.0f, 0.0f, 1.0f};
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(load<float>(bounded.pixels, i * 4), expected[i]) << i;
}

}  // namespace
}  // namespace assetc::texture
