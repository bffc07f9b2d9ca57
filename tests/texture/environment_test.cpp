#include "texture/environment.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "parallel/parallel.hpp"
#include "texture/compiled.hpp"
#include "texture/cube.hpp"
#include "texture/panorama.hpp"

namespace assetc::texture {
namespace {

using scene::Vec3;
using testing::panorama;

EnvironmentOptions options_of(TexelKind kind = TexelKind::kHdr) {
  EnvironmentOptions options;
  options.compile.mips.kind = kind;
  options.compile.effort = codec::Effort::kFast;
  options.specular_texels = 32;
  options.irradiance_texels = 8;
  options.sample_count = 32;
  return options;
}

scene::Image sky() {
  return panorama(64, [](Vec3 d) { return Vec3{1 + d.y, 1, d.x > 0.4f ? 90000.0f : 0.5f}; });
}

float first_texel(const std::optional<EncodedTexture>& texture, std::uint32_t level, std::uint32_t face,
                  std::size_t channel) {
  const auto image = decode(texture.value(), {.level = level, .face = face});
  EXPECT_TRUE(image) << image.error().to_string();
  return image ? load<float>(image->pixels, channel * 4) : 0.0f;
}

TEST(environment, becomes_three_cubemaps) {
  const auto made = compile_environment(sky(), options_of());
  ASSERT_TRUE(made) << made.error().to_string();
  ASSERT_TRUE(made->specular && made->irradiance);
  for (const EncodedTexture* texture : {&made->environment, &*made->specular, &*made->irradiance}) {
    EXPECT_EQ(texture->face_count, 6u);
    EXPECT_EQ(texture->color_space, ColorSpace::kLinear);
    EXPECT_EQ(texture->format, TexelFormat::kRgba16f);
  }
  EXPECT_EQ(made->environment.width_texels, 32u);  // a quarter of 128
  EXPECT_EQ(made->environment.levels.size(), 6u);
  EXPECT_EQ(made->specular->width_texels, 32u);
  EXPECT_EQ(made->specular->levels.size(), 2u);
  EXPECT_EQ(made->irradiance->width_texels, 8u);
  EXPECT_EQ(made->irradiance->levels.size(), 1u);
  EXPECT_FALSE(made->environment.irradiance);
  // The levels have their full contents: the corner of -Y is darker in red than that of +Y.
  EXPECT_GT(first_texel(made->environment, 0, 2, 0), first_texel(made->environment, 0, 3, 0) + 1.0f);
  EXPECT_GT(first_texel(made->specular, 1, 2, 0), first_texel(made->specular, 1, 3, 0));
  EXPECT_GT(first_texel(made->irradiance, 0, 2, 0), first_texel(made->irradiance, 0, 3, 0));
  // Values above the largest half float become the largest half float.
  EXPECT_EQ(first_texel(made->environment, 5, 0, 2), 65504.0f);
}

TEST(environment, auto_stores_light_as_bc6h_and_irradiance_as_halves) {
  EnvironmentOptions options = options_of();
  options.compile.format = TargetFormat::kAuto;
  const auto made = compile_environment(sky(), options);
  ASSERT_TRUE(made) << made.error().to_string();
  ASSERT_TRUE(made->specular && made->irradiance);
  EXPECT_EQ(made->environment.format, TexelFormat::kBc6h);
  EXPECT_EQ(made->specular->format, TexelFormat::kBc6h);
  EXPECT_EQ(made->irradiance->format, TexelFormat::kRgba16f);
  // The same light as in half floats, within half a step of 16 over a block whose light doubles.
  const auto halves = compile_environment(sky(), options_of());
  ASSERT_TRUE(halves);
  for (std::uint32_t face = 0; face < 6; ++face) {
    for (std::uint32_t level = 0; level < 2; ++level) {
      const float exact = first_texel(halves->specular, level, face, 0);
      EXPECT_NEAR(first_texel(made->specular, level, face, 0), exact, exact / 32) << face << " " << level;
    }
  }
}

TEST(environment, irradiance_has_its_spherical_harmonics) {
  const auto made = compile_environment(panorama(32, [](Vec3) { return Vec3{0.25f, 1, 8}; }), options_of());
  ASSERT_TRUE(made && made->irradiance && made->irradiance->irradiance);
  const EncodedTexture::Sh& sh = *made->irradiance->irradiance;
  EXPECT_FLOAT_EQ(sh[0][0], 0.25f);
  EXPECT_FLOAT_EQ(sh[0][1], 1.0f);
  EXPECT_FLOAT_EQ(sh[0][2], 8.0f);
  for (std::size_t i = 1; i < sh.size(); ++i) EXPECT_NEAR(sh[i][2], 0, 0.1) << i;
}

TEST(environment, sizes_follow_the_picture_and_the_options) {
  EXPECT_EQ(environment_size(4096), 1024u);
  EXPECT_EQ(environment_size(6000), 1024u);
  EXPECT_EQ(environment_size(2), 1u);
  EXPECT_EQ(specular_level_count(16), 2u);
  EXPECT_EQ(specular_level_count(32), 2u);
  EXPECT_EQ(specular_level_count(256), 5u);
  EXPECT_EQ(specular_level_count(1024), 7u);

  EnvironmentOptions options = options_of();
  options.size_texels = 64;
  options.specular_texels = 256;  // larger than the picture
  options.irradiance_texels = 0;
  auto made = compile_environment(sky(), options);
  ASSERT_TRUE(made) << made.error().to_string();
  EXPECT_EQ(made->environment.width_texels, 64u);
  EXPECT_EQ(made->specular.value().width_texels, 32u);
  EXPECT_FALSE(made->irradiance);
  options.specular_texels = 0;
  options.irradiance_texels = 4;
  made = compile_environment(panorama(1, [](Vec3) { return Vec3{1, 1, 1}; }), options);
  ASSERT_TRUE(made) << made.error().to_string();
  EXPECT_FALSE(made->specular);
  EXPECT_EQ(first_texel(made->irradiance, 0, 5, 1), 1.0f);
}

TEST(environment, colors_of_eight_bits_stay_srgb_and_their_light_is_linear) {
  scene::Image image{32, 16, scene::PixelType::kU8, 4, ByteVector(32 * 16 * 4, std::byte{188})};
  const auto made = compile_environment(std::move(image), options_of(TexelKind::kColor));
  ASSERT_TRUE(made) << made.error().to_string();
  EXPECT_TRUE(made->environment.is_srgb());
  EXPECT_EQ(made->environment.format, TexelFormat::kUastc);
  const auto texel = decode(made->environment, {.face = 3});
  ASSERT_TRUE(texel);
  EXPECT_EQ(std::to_integer<int>(texel->pixels[0]), 188);
  EXPECT_NEAR(first_texel(made->specular, 1, 0, 0), 0.5029f, 0.0003f);
  EXPECT_NEAR(first_texel(made->irradiance, 0, 0, 0), 0.5029f, 0.0003f);
}

TEST(environment, a_picture_of_another_shape_is_refused) {
  const auto made = compile_environment({30, 10, scene::PixelType::kU8, 4, ByteVector(1200)}, options_of());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().to_string(),
            "found a panorama of 30x10 texels, expected one twice as wide as high; export the environment as an "
            "equirectangular (latitude-longitude) picture");
}

ImageSource faces_of(const scene::Image& panorama, std::uint32_t size) {
  return [light = to_light(panorama), size](std::uint32_t face) -> Result<scene::Image> {
    return panorama_face(light, face, size);
  };
}

// The light comes from a cubemap of 64 texels, so faces of that size are exactly the texels of the panorama.
TEST(environment, six_faces_give_what_their_panorama_gives) {
  EnvironmentOptions options = options_of();
  options.size_texels = 64;
  const auto panorama = compile_environment(sky(), options), faces = compile_environment(faces_of(sky(), 64), options);
  ASSERT_TRUE(panorama && faces);
  EXPECT_TRUE(panorama->environment == faces->environment);
  EXPECT_TRUE(panorama->specular == faces->specular);
  EXPECT_TRUE(panorama->irradiance == faces->irradiance);
}

TEST(environment, faces_keep_their_size_or_shrink) {
  EnvironmentOptions options = options_of();
  options.specular_texels = 256;
  const auto compile = [&](std::uint32_t size) {
    auto made = compile_environment(faces_of(sky(), size), options);
    EXPECT_TRUE(made);
    return std::pair(made->environment.width_texels, made->specular.value().width_texels);
  };
  EXPECT_EQ(compile(48), std::pair(48u, 32u));
  options.size_texels = 64;
  EXPECT_EQ(compile(48), std::pair(48u, 32u));
  EXPECT_EQ(compile(100), std::pair(64u, 64u));
  options.compile.mips.max_size_texels = 20;
  EXPECT_EQ(compile(100), std::pair(20u, 64u));
  EXPECT_EQ(compile(4), std::pair(4u, 16u));
}

TEST(environment, faces_of_another_shape_are_refused) {
  const auto compile = [](std::uint32_t width, std::uint32_t second) {
    return compile_environment(
        [=](std::uint32_t face) -> Result<scene::Image> {
          const std::uint32_t size = face == 1 ? second : width;
          return scene::Image{size, width, scene::PixelType::kU8, 4, ByteVector(std::size_t{size} * width * 4)};
        },
        options_of(TexelKind::kColor));
  };
  EXPECT_EQ(compile(8, 12).error().to_string(), "found a face of 12x8 texels, expected a square");
  EXPECT_TRUE(compile(8, 8));
  const ImageSource growing = [](std::uint32_t face) -> Result<scene::Image> {
    return scene::Image{face + 1, face + 1, scene::PixelType::kU8, 4, ByteVector((face + 1) * (face + 1) * 4)};
  };
  EXPECT_EQ(compile_environment(growing, options_of(TexelKind::kColor)).error().code, ErrorCode::kInvalidData);
  const ImageSource broken = [](std::uint32_t) -> Result<scene::Image> { return fail(ErrorCode::kTruncated, "cut"); };
  EXPECT_EQ(compile_environment(broken, options_of()).error().to_string(), "cut");
}

TEST(environment, what_rdo_did_is_reported) {
  EnvironmentOptions options = options_of(TexelKind::kColor);
  options.compile.rdo = 10;
  options.specular_texels = options.irradiance_texels = 0;
  const auto made =
      compile_environment({64, 32, scene::PixelType::kU8, 4, ByteVector(64 * 32 * 4, std::byte{188})}, options);
  ASSERT_TRUE(made && made->environment.rdo);
  EXPECT_EQ(made->environment.rdo->uncompressed_bytes, 6u * 16 * (16 + 4 + 1 + 1 + 1));
  EXPECT_FALSE(compile_environment(sky(), options_of())->environment.rdo);
}

TEST(environment, same_bytes_on_any_number_of_threads) {
  const auto compile = [](std::size_t threads) {
    const ThreadLimit limit(threads);
    return compile_environment(sky(), options_of());
  };
  const auto one = compile(1), four = compile(4);
  ASSERT_TRUE(one && four);
  EXPECT_TRUE(one->environment == four->environment);
  EXPECT_TRUE(one->specular == four->specular);
  EXPECT_TRUE(one->irradiance == four->irradiance);
}

TEST(environment, the_estimate_covers_what_is_certain) {
  const EnvironmentOptions options = options_of();
  const std::uint64_t floats = 2048ull * 1024 * 16;
  EXPECT_GT(panorama_peak_bytes({2048, 1024}, scene::PixelType::kF32, options), floats);
  EXPECT_GT(panorama_peak_bytes({2048, 1024}, scene::PixelType::kU8, options),
            panorama_peak_bytes({1024, 512}, scene::PixelType::kU8, options) * 2);
  EnvironmentOptions large = options;
  large.size_texels = 4096;
  EXPECT_GT(panorama_peak_bytes({2048, 1024}, scene::PixelType::kF32, large), 2 * 6ull * 4096 * 4096 * 8);
  EXPECT_GT(faces_peak_bytes(1024, scene::PixelType::kF32, options), 1024ull * 1024 * 16 + 6ull * 1024 * 1024 * 8);
  EnvironmentOptions only_seen = options;
  only_seen.specular_texels = only_seen.irradiance_texels = 0;
  EXPECT_GT(faces_peak_bytes(64, scene::PixelType::kU8, options),
            faces_peak_bytes(64, scene::PixelType::kU8, only_seen) + 6ull * 64 * 64 * 16);
}

}  // namespace
}  // namespace assetc::texture
