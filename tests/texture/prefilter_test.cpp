#include "texture/prefilter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "assetc/base/hash.hpp"
#include "parallel/parallel.hpp"
#include "texture/panorama.hpp"

namespace assetc::texture {
namespace {

using scene::Vec3;
using testing::panorama;

constexpr float kHalfPrecision = 0x1p-11f;  // of a half float, relative
constexpr double kPrefilterPi = std::numbers::pi;

Vec3 unit_vector(Vec3 v) { return scene::normalize_or(v, {0, 0, 0}); }

std::vector<Cube> pyramid_of(const testing::Light& light, std::uint32_t size = 64) {
  return light_pyramid(panorama_cube(to_light(panorama(size * 2, light)), size));
}

template <class Visit>  // void(unit normal, const float* rgb)
void for_each_texel(const Cube& cube, const Visit& visit) {
  for (std::uint32_t face = 0; face < kFaces; ++face) {
    for (std::int32_t y = 0; y < static_cast<std::int32_t>(cube.size()); ++y) {
      for (std::int32_t x = 0; x < static_cast<std::int32_t>(cube.size()); ++x)
        visit(unit_vector(cube.direction(face, x, y)), cube.at(face, x, y));
    }
  }
}

double evaluate(const IrradianceSh& sh, Vec3 n, std::size_t channel) {
  const double x = n.x, y = n.y, z = n.z;
  const double basis[9] = {1, y, z, x, x * y, y * z, 3 * z * z - 1, z * x, x * x - y * y};
  double sum = 0;
  for (std::size_t i = 0; i < 9; ++i) sum += sh[i][channel] * basis[i];
  return sum;
}

// The GGX lobe of a mirror direction times the cosine, by numerical integration: the mean cosine of the light that it
// gathers. Light 1 + a . d filtered by it is 1 + mean * a . n.
double mean_cosine(double roughness) {
  const double alpha2 = std::pow(roughness, 4);
  double sum = 0, weights = 0;
  constexpr int kSteps = 200000;
  for (int i = 0; i < kSteps; ++i) {
    const double theta = (i + 0.5) / kSteps * kPrefilterPi / 2;     // of light to normal
    const double half = std::cos(theta / 2) * std::cos(theta / 2);  // squared cosine of the half vector
    const double spread = half * (alpha2 - 1) + 1;
    const double weight = alpha2 / (spread * spread) * std::cos(theta) * std::sin(theta);
    sum += weight * std::cos(theta);
    weights += weight;
  }
  return sum / weights;
}

TEST(prefilter, a_constant_environment_is_itself_everywhere) {
  const auto pyramid = pyramid_of([](Vec3) { return Vec3{0.8f, 2.0f, 30000.0f}; });
  const auto check = [](const Cube& cube) {
    for_each_texel(cube, [](Vec3, const float* rgb) {
      EXPECT_NEAR(rgb[0], 0.8f, 0.8f * kHalfPrecision);
      EXPECT_NEAR(rgb[1], 2.0f, 2.0f * kHalfPrecision);
      EXPECT_NEAR(rgb[2], 30000.0f, 30000.0f * kHalfPrecision);
    });
  };
  for (const float roughness : {0.0f, 0.1f, 0.5f, 1.0f}) check(prefilter_specular(pyramid, roughness, 64, 16));
  check(convolve_cosine(pyramid[0], 16));
  const IrradianceSh sh = project_irradiance(pyramid[0]);
  EXPECT_NEAR(sh[0][0], 0.8, 1e-6);
  // Opposite texels cancel.
  for (std::size_t i = 1; i < 4; ++i) EXPECT_NEAR(sh[i][0], 0.0, 1e-6) << i;
  // The weight at a texel's center stands for the mean over the texel: h^2 / 24 of 3 along both axes, h = 2 / 64, times
  // 15 / 4.
  for (std::size_t i = 4; i < 9; ++i) EXPECT_NEAR(sh[i][0], 0.0, 0.8 * 15 / 4 * 2.5e-4) << i;
}

// A cosine has only the bands 0 and 1, so its irradiance is known: 1 + (2 / 3) a . n (Ramamoorthi and Hanrahan). The
// sum over texels h = 2 / 64 wide is off by h^2 / 12 of second derivatives of at most 6, and by the bilinear reading of
// the panorama: 0.0005 + 0.0003.
TEST(prefilter, irradiance_of_a_cosine_is_two_thirds_of_it) {
  const Vec3 axis = unit_vector({1, 2, -0.5f});
  const auto pyramid = pyramid_of([&](Vec3 d) { return Vec3{1 + dot(axis, d), 1 - dot(axis, d), 1}; });
  const IrradianceSh sh = project_irradiance(pyramid[0]);
  for_each_texel(convolve_cosine(pyramid[0], 8), [&](Vec3 n, const float* rgb) {
    EXPECT_NEAR(rgb[0], 1 + 2.0f / 3 * dot(axis, n), 0.0008f);
    EXPECT_NEAR(rgb[1], 1 - 2.0f / 3 * dot(axis, n), 0.0008f);
    EXPECT_NEAR(evaluate(sh, n, 0), 1 + 2.0 / 3 * dot(axis, n), 0.0016);
  });
}

// The factor of band 2 is a quarter; the bound is the same.
TEST(prefilter, irradiance_of_the_second_band_is_a_quarter_of_it) {
  const std::array<double (*)(Vec3), 3> bands{[](Vec3 d) { return double{d.x} * d.x - double{d.y} * d.y; },
                                              [](Vec3 d) { return 2.0 * d.y * d.z; },
                                              [](Vec3 d) { return 1.5 * d.z * d.z - 0.5; }};
  for (const auto band : bands) {
    const auto pyramid = pyramid_of([&](Vec3 d) { return Vec3{static_cast<float>(1 + band(d)), 0, 0}; });
    const IrradianceSh sh = project_irradiance(pyramid[0]);
    for_each_texel(convolve_cosine(pyramid[0], 8), [&](Vec3 n, const float* rgb) {
      EXPECT_NEAR(rgb[0], 1 + 0.25 * band(n), 0.0016);
      EXPECT_NEAR(evaluate(sh, n, 0), 1 + 0.25 * band(n), 0.0032);
    });
  }
}

// Compared with the integral of the lobe. The sum of the samples differs because of their count (discrepancy) and the
// bilinear reading of coarse levels; 1024 samples stay within a hundredth.
TEST(prefilter, specular_is_the_mean_over_the_lobe) {
  const Vec3 axis = unit_vector({-1, 0.5f, 2});
  const auto pyramid = pyramid_of([&](Vec3 d) { return Vec3{1 + dot(axis, d), 0, 0}; });
  double last = 1.0;
  for (const float roughness : {0.25f, 0.5f, 0.75f, 1.0f}) {
    const double mean = mean_cosine(roughness);
    EXPECT_LT(mean, last);
    last = mean;
    for_each_texel(prefilter_specular(pyramid, roughness, 1024, 16),
                   [&](Vec3 n, const float* rgb) { EXPECT_NEAR(rgb[0], 1 + mean * dot(axis, n), 0.01) << roughness; });
  }
}

TEST(prefilter, a_small_sun_leaves_no_dots) {
  const Vec3 sun = unit_vector({0.3f, 0.5f, 1});
  const auto pyramid = pyramid_of([&](Vec3 d) { return dot(d, sun) > 0.999f ? Vec3{5000, 0, 0} : Vec3{1, 0, 0}; });
  const Cube cube = prefilter_specular(pyramid, 0.5f, 1024, 32);
  // The light must decrease away from the sun, from one ring of 5 degrees to the next, with a tenth of tolerance for
  // sampling.
  std::array<double, 18> ring{}, count{};
  for_each_texel(cube, [&](Vec3 n, const float* rgb) {
    const auto i = static_cast<std::size_t>(std::acos(std::min(1.0f, dot(n, sun))) / kPrefilterPi * 36);
    if (i >= ring.size()) return;
    ring[i] += rgb[0];
    ++count[i];
  });
  for (std::size_t i = 1; i < ring.size(); ++i) EXPECT_LT(ring[i] / count[i], 1.1 * ring[i - 1] / count[i - 1]) << i;
  // The brightness is even around a ring: at 20 degrees from the sun no texel has twice the mean of its ring.
  for_each_texel(cube, [&](Vec3 n, const float* rgb) {
    const auto i = static_cast<std::size_t>(std::acos(std::min(1.0f, dot(n, sun))) / kPrefilterPi * 36);
    if (i >= 1 && i < 5) {
      EXPECT_LT(rgb[0], 2 * ring[i] / count[i]);
    }
  });
}

TEST(prefilter, same_bits_on_any_machine_and_number_of_threads) {
  const auto light = [](Vec3 d) { return Vec3{d.x > 0.5f ? 9.0f : 0.5f, d.y * d.y, d.z > 0.9f ? 100.0f : 0.0f}; };
  const auto digest = [&](int threads) {
    const ThreadLimit limit(static_cast<std::size_t>(threads));
    // A panorama of whole eighths, so that the sines of this test do not affect the result.
    const auto pyramid = light_pyramid(
        panorama_cube(to_light(panorama(64,
                                        [&](Vec3 d) {
                                          const auto round = [](float v) { return std::round(v * 8) / 8; };
                                          const Vec3 rgb = light({round(d.x), round(d.y), round(d.z)});
                                          return Vec3{round(rgb.x), round(rgb.y), round(rgb.z)};
                                        })),
                      32));
    ByteVector all;
    for (const float roughness : {0.0f, 0.3f, 1.0f}) {
      for_each_texel(
          prefilter_specular(pyramid, roughness, 100, roughness == 0.0f ? 32 : 8),
          [&](Vec3, const float* rgb) { append_bytes(all, as_bytes({reinterpret_cast<const char*>(rgb), 12})); });
    }
    for_each_texel(convolve_cosine(pyramid[0], 8), [&](Vec3, const float* rgb) {
      append_bytes(all, as_bytes({reinterpret_cast<const char*>(rgb), 12}));
    });
    append_bytes(all, object_bytes(project_irradiance(pyramid[0])));
    return xxh3_64(all);
  };
  const std::uint64_t one = digest(1);
  EXPECT_EQ(one, digest(4));
  // The hash of a GCC 12 build at -O3; builds of other compilers and optimizations must agree.
  EXPECT_EQ(one, 16906747727891666930u);
}

}  // namespace
}  // namespace assetc::texture
