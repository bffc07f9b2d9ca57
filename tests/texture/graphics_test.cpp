// Which pictures are no photographs, and how they are stored.
#include "texture/graphics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "assetc/base/bytes.hpp"

namespace assetc::texture {
namespace {

using Rgba = std::array<std::uint32_t, 4>;

scene::Image picture(std::uint32_t width, std::uint32_t height,
                     const std::function<Rgba(std::uint32_t x, std::uint32_t y)>& texel) {
  scene::Image image{width, height, scene::PixelType::kU8, 4, {}};
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      for (const std::uint32_t v : texel(x, y)) image.pixels.push_back(static_cast<std::byte>(v));
    }
  }
  return image;
}

std::uint32_t mixed(std::uint32_t x, std::uint32_t y, std::uint32_t salt) {
  std::uint32_t h = x * 0x9E3779B1u ^ y * 0x85EBCA77u ^ salt * 0xC2B2AE3Du;
  h = (h ^ h >> 15) * 0x2C1B3C6Du;
  return h ^ h >> 13;
}

// Cells of two by two texels in one of `colors` colors; every fourth is invisible, with hidden colors that differ.
scene::Image sprite(std::uint32_t side, std::uint32_t colors = 12) {
  return picture(side, side, [colors](std::uint32_t x, std::uint32_t y) -> Rgba {
    const std::uint32_t cell = mixed(x / 2, y / 2, 1);
    if (cell % 4 == 0) return {x & 255, y & 255, 7, 0};
    const std::uint32_t color = cell / 4 % colors;
    return {color * 61 & 255, color * 149 & 255, color * 29 & 255, 255};
  });
}

// A disk of one color whose edge fades over two texels.
scene::Image icon(std::uint32_t side) {
  return picture(side, side, [side](std::uint32_t x, std::uint32_t y) -> Rgba {
    const auto from_center = [side](std::uint32_t v) { return static_cast<int>(2 * v) - static_cast<int>(side) + 1; };
    const int radius = static_cast<int>(side) * 3 / 4, dx = from_center(x), dy = from_center(y);
    const int past = (dx * dx + dy * dy - radius * radius) / (2 * radius);
    return {200, 60, 20, static_cast<std::uint32_t>(std::clamp(128 - past * 60, 0, 255))};
  });
}

// Smooth colors under noise, as a camera gives them.
scene::Image photograph(std::uint32_t side) {
  return picture(side, side, [side](std::uint32_t x, std::uint32_t y) -> Rgba {
    const std::uint32_t noise = mixed(x, y, 2);
    return {x * 200 / side + noise % 13, y * 200 / side + noise / 16 % 13, (x + y) * 90 / side + noise / 256 % 13, 255};
  });
}

PictureClass class_of(const scene::Image& image, TexelKind kind = TexelKind::kColor) { return look_at(image, kind).is; }

TEST(Graphics, sprites_are_pixel_art) {
  for (const std::uint32_t side : {16u, 22u, 100u, 256u}) EXPECT_EQ(class_of(sprite(side)), PictureClass::kPixelArt);
  EXPECT_EQ(class_of(sprite(512, 100)), PictureClass::kPixelArt);
}

TEST(Graphics, many_colors_keep_their_mips) { EXPECT_EQ(class_of(sprite(512, 200)), PictureClass::kGraphics); }

TEST(Graphics, the_colors_of_invisible_texels_say_nothing) {
  const auto hidden = [](std::uint32_t salt) {
    return picture(128, 128, [salt](std::uint32_t x, std::uint32_t y) -> Rgba {
      if (x / 16 % 2 == y / 16 % 2) return {200, 30, 40, 255};
      const std::uint32_t noise = mixed(x, y, salt);
      return {noise & 255, noise >> 8 & 255, noise >> 16 & 255, 0};
    });
  };
  EXPECT_EQ(class_of(hidden(1)), PictureClass::kPixelArt);
  EXPECT_EQ(class_of(hidden(2)), PictureClass::kPixelArt);
}

TEST(Graphics, smooth_outlines_keep_their_mips) {
  EXPECT_EQ(class_of(icon(128)), PictureClass::kGraphics);
  EXPECT_EQ(class_of(icon(32)), PictureClass::kGraphics);
}

TEST(Graphics, drawings_of_many_colors_are_flat_with_hard_edges) {
  // Cells of 8x8 texels, each in a color of its own.
  const scene::Image drawing = picture(512, 512, [](std::uint32_t x, std::uint32_t y) -> Rgba {
    const std::uint32_t color = mixed(x / 8, y / 8, 3);
    return {color & 255, color >> 8 & 255, color >> 16 & 255, 255};
  });
  EXPECT_EQ(class_of(drawing), PictureClass::kGraphics);
}

TEST(Graphics, photographs_gradients_noise_and_single_colors_are_none) {
  EXPECT_EQ(class_of(photograph(256)), PictureClass::kPhotograph);
  const auto gradient = [](std::uint32_t x, std::uint32_t y) -> Rgba { return {x / 2, y / 2, 80, 255}; };
  EXPECT_EQ(class_of(picture(256, 256, gradient)), PictureClass::kPhotograph);
  const auto gray_gradient = [](std::uint32_t x, std::uint32_t y) -> Rgba {
    const std::uint32_t v = (x + y) / 2;
    return {v, v, v, 255};
  };
  EXPECT_EQ(class_of(picture(256, 256, gray_gradient)), PictureClass::kPhotograph);
  const auto noise = [](std::uint32_t x, std::uint32_t y) -> Rgba {
    const std::uint32_t v = mixed(x, y, 4) & 255;
    return {v, v, v, 255};
  };
  EXPECT_EQ(class_of(picture(256, 256, noise)), PictureClass::kPhotograph);
  const auto white = [](std::uint32_t, std::uint32_t) -> Rgba { return {255, 255, 255, 255}; };
  EXPECT_EQ(class_of(picture(256, 256, white)), PictureClass::kPhotograph);
}

TEST(Graphics, tiny_pictures_are_kept_but_prove_nothing) {
  const PictureLooks small = look_at(photograph(64), TexelKind::kColor),
                     large = look_at(photograph(65), TexelKind::kColor);
  EXPECT_EQ(small.is, PictureClass::kTiny);
  EXPECT_FALSE(small.is_at_any_size);
  EXPECT_EQ(large.is, PictureClass::kPhotograph);
  EXPECT_TRUE(look_at(sprite(16), TexelKind::kColor).is_at_any_size);
  EXPECT_EQ(class_of(photograph(64), TexelKind::kNormal), PictureClass::kPhotograph);
  for (const std::uint32_t width : {1u, 2u, 3u})
    EXPECT_EQ(class_of(picture(width, 1, [](auto, auto) -> Rgba { return {9, 9, 9, 255}; })), PictureClass::kTiny);
}

TEST(Graphics, data_needs_a_map_of_regions) {
  const scene::Image regions = picture(128, 128, [](std::uint32_t x, std::uint32_t y) -> Rgba {
    const std::uint32_t id = mixed(x / 16, y / 16, 5) % 6 * 50;
    return {id, id, id, 255};
  });
  for (const TexelKind kind : {TexelKind::kLinear, TexelKind::kGray})
    EXPECT_EQ(class_of(regions, kind), PictureClass::kGraphics);
  EXPECT_EQ(class_of(regions, TexelKind::kNormal), PictureClass::kPhotograph);
  EXPECT_EQ(class_of(regions, TexelKind::kHdr), PictureClass::kPhotograph);
  // The roughness of a real surface: few values, but no flat regions.
  const scene::Image rough = picture(128, 128, [](std::uint32_t x, std::uint32_t y) -> Rgba {
    const std::uint32_t v = 120 + mixed(x, y, 6) % 24;
    return {v, v, v, 255};
  });
  EXPECT_EQ(class_of(rough, TexelKind::kGray), PictureClass::kPhotograph);
  EXPECT_EQ(class_of(sprite(256, 100), TexelKind::kLinear), PictureClass::kPhotograph);
}

TEST(Graphics, more_than_8_bits_are_no_graphics) {
  scene::Image image = sprite(64);
  ByteVector wide;
  for (const std::byte b : image.pixels) wide.insert(wide.end(), {b, b});
  image.type = scene::PixelType::kU16;
  image.pixels = std::move(wide);
  EXPECT_EQ(class_of(image), PictureClass::kPhotograph);
}

// The threshold of a hard step, from both sides and in each channel.
TEST(Graphics, a_step_of_an_eighth_is_hard) {
  for (std::size_t channel = 0; channel < 4; ++channel) {
    for (const bool is_hard : {false, true}) {
      const scene::Image stripes = picture(256, 256, [&](std::uint32_t x, std::uint32_t y) -> Rgba {
        // 128 colors, so that only hard steps make graphics of them.
        Rgba texel{100, 100, 100, 200};
        texel[(channel + 1) % 3] = y / 4 % 64 * 2;
        if (x / 4 % 2 == 1) texel[channel] += is_hard ? 32 : 31;
        return texel;
      });
      EXPECT_EQ(class_of(stripes) != PictureClass::kPhotograph, is_hard) << channel;
    }
  }
}

CompileOptions keeping() {
  CompileOptions options;
  options.keeps_graphics = true;
  options.stands_alone = true;
  return options;
}

Result<EncodedTexture> compiled(const scene::Image& image, const CompileOptions& options) {
  return compile_texture([&](std::uint32_t) -> Result<scene::Image> { return image; }, {}, options);
}

TEST(Graphics, kept_pixel_art_is_exact_and_has_one_level) {
  const scene::Image image = sprite(40);
  const auto texture = compiled(image, keeping());
  ASSERT_TRUE(texture);
  EXPECT_EQ(texture->format, TexelFormat::kRgba8);
  EXPECT_TRUE(texture->is_srgb());
  ASSERT_EQ(texture->levels.size(), 1u);
  const auto level = texture->inflated_level(0);
  ASSERT_TRUE(level);
  EXPECT_TRUE(std::ranges::equal(level->span(), image.pixels));
  EXPECT_FALSE(texture->graphics) << "nothing is lost";
}

TEST(Graphics, what_a_model_uses_keeps_its_mips) {
  CompileOptions options = keeping();
  options.stands_alone = false;
  const auto texture = compiled(sprite(40), options);
  ASSERT_TRUE(texture);
  EXPECT_EQ(texture->format, TexelFormat::kRgba8);
  EXPECT_EQ(texture->levels.size(), 6u);
}

TEST(Graphics, photographs_get_the_format_that_was_asked_for) {
  CompileOptions options = keeping();
  for (const TargetFormat format : {TargetFormat::kUastc, TargetFormat::kBc7}) {
    options.format = format;
    CompileOptions plain = options;
    plain.keeps_graphics = plain.stands_alone = false;
    const auto kept = compiled(photograph(68), options), asked = compiled(photograph(68), plain);
    ASSERT_TRUE(kept && asked);
    EXPECT_EQ(*kept, *asked);
  }
}

TEST(Graphics, the_largest_that_is_kept_has_four_million_texels) {
  CompileOptions options = keeping();
  const scene::Image large = sprite(2050);
  EXPECT_EQ(options_for(large, options).format, TargetFormat::kUastc);
  options.mips.max_size_texels = 2048;
  EXPECT_EQ(options_for(large, options).format, TargetFormat::kRgba8);
  EXPECT_FALSE(options_for(large, options).keeps_graphics);
}

TEST(Graphics, arrays_are_not_decided_by_their_first_layer) {
  CompileOptions options = keeping();
  const auto layers = [](std::uint32_t i) -> Result<scene::Image> { return i == 0 ? sprite(40) : photograph(40); };
  const auto texture = compile_texture(layers, {2, 1}, options);
  ASSERT_TRUE(texture);
  EXPECT_EQ(texture->format, TexelFormat::kUastc);
}

TEST(Graphics, blocks_report_what_they_cost) {
  const auto texture = compiled(sprite(128), {});
  ASSERT_TRUE(texture);
  ASSERT_TRUE(texture->graphics);
  EXPECT_EQ(texture->format, TexelFormat::kUastc);
  EXPECT_EQ(texture->graphics->block_bytes, 21872u);
  const auto kept = compiled(sprite(128), keeping());
  ASSERT_TRUE(kept);
  EXPECT_EQ(texture->graphics->lossless_bytes, kept->levels[0].bytes.size());
  EXPECT_LT(texture->graphics->psnr_db, 45);
  CompileOptions bc7;
  bc7.format = TargetFormat::kBc7;
  const auto other = compiled(sprite(128), bc7);
  ASSERT_TRUE(other && other->graphics);
  EXPECT_TRUE(std::isinf(other->graphics->psnr_db)) << "not measured";
  EXPECT_FALSE(compiled(photograph(128), {})->graphics);
  EXPECT_FALSE(compiled(photograph(32), {})->graphics);
  CompileOptions scaled;
  scaled.mips.max_size_texels = 64;
  EXPECT_FALSE(compiled(sprite(128), scaled)->graphics);
}

TEST(Graphics, memory_is_bounded_for_either_outcome) {
  CompileOptions raw;
  raw.format = TargetFormat::kRgba8;
  const Extent extent{512, 512};
  const auto peak = [&](const CompileOptions& options, Extent of) {
    return compile_peak_bytes(of, scene::PixelType::kU8, {}, options);
  };
  EXPECT_GE(peak(keeping(), extent), peak(raw, extent));
  EXPECT_GE(peak(keeping(), extent), peak({}, extent));
  EXPECT_EQ(peak(keeping(), {4096, 4096}), peak({}, {4096, 4096}));
}

}  // namespace
}  // namespace assetc::texture
