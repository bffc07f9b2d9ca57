#include "texture/mips.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "parallel/parallel.hpp"

namespace assetc::texture {
namespace {

using scene::Image;
using scene::PixelType;
using Texel = std::array<int, 4>;
using Paint = std::function<Texel(std::uint32_t x, std::uint32_t y)>;

Image make_image(std::uint32_t width, std::uint32_t height, const Paint& paint, std::uint8_t channels = 4) {
  Image image{width, height, PixelType::kU8, channels, {}};
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      for (int v : paint(x, y)) image.pixels.push_back(static_cast<std::byte>(v));
    }
  }
  return image;
}

Image make_image16(std::uint32_t width, std::uint32_t height, const Paint& paint) {
  Image image{width, height, PixelType::kU16, 4, {}};
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      for (int v : paint(x, y)) append(image.pixels, static_cast<std::uint16_t>(v));
    }
  }
  return image;
}

// Data of 16 bits: unchanged at level 0, means below; 8 bits are widened.
TEST(mips, data_is_read_in_sixteen_bits) {
  const auto read = [](const MipChain& chain) {
    std::vector<std::uint16_t> texels(std::size_t{chain.extent().width_texels} * chain.extent().height_texels * 4);
    chain.read_rgba16(0, chain.extent().height_texels, std::as_writable_bytes(std::span(texels)));
    return texels;
  };
  MipOptions options;
  options.kind = TexelKind::kLinear;
  options.filter = Filter::kBox;
  MipChain wide(make_image16(2, 1, [](auto x, auto) { return Texel{static_cast<int>(x) * 3 + 0x8000, 1, 2, 65535}; }),
                options);
  EXPECT_EQ(read(wide), (std::vector<std::uint16_t>{0x8000, 1, 2, 65535, 0x8003, 1, 2, 65535}));
  ASSERT_TRUE(wide.advance());
  EXPECT_EQ(read(wide), (std::vector<std::uint16_t>{0x8002, 1, 2, 65535}));  // of 0x8001.8
  options.kind = TexelKind::kGray;
  MipChain narrow(make_image(1, 1, [](auto, auto) { return Texel{7, 8, 9, 10}; }), options);
  EXPECT_EQ(read(narrow), (std::vector<std::uint16_t>{7 * 257, 0, 0, 65535}));
  options.kind = TexelKind::kNormal;
  MipChain normal(make_image16(1, 1, [](auto, auto) { return Texel{0x9000, 0x7001, 9, 10}; }), options);
  EXPECT_EQ(read(normal), (std::vector<std::uint16_t>{0x9000, 0x7001, 0, 65535}));
}

struct Level {
  Extent extent;
  ByteVector rgba;
  Texel at(std::uint32_t x, std::uint32_t y) const {
    Texel t{};
    for (std::size_t c = 0; c < 4; ++c)
      t[c] = std::to_integer<int>(rgba[(std::size_t{y} * extent.width_texels + x) * 4 + c]);
    return t;
  }
};

std::vector<Level> all_levels(Image image, const MipOptions& options) {
  std::vector<Level> levels;
  MipChain chain(std::move(image), options);
  do {
    Level level{chain.extent(), {}};
    level.rgba.resize(std::size_t{level.extent.width_texels} * level.extent.height_texels * 4);
    chain.read_rgba8(0, level.extent.height_texels, level.rgba);
    levels.push_back(std::move(level));
  } while (chain.advance());
  EXPECT_EQ(levels.size(), chain.level_count());
  return levels;
}

int noise(std::uint32_t x, std::uint32_t y, std::uint32_t salt = 0) {
  std::uint32_t h = (x * 0x9E3779B1u) ^ (y * 0x85EBCA77u) ^ (salt * 0xC2B2AE3Du);
  h ^= h >> 15;
  h *= 0x2C1B3C6Du;
  h ^= h >> 12;
  return static_cast<int>(h >> 24);
}

constexpr Filter kFilters[] = {Filter::kKaiser, Filter::kBox, Filter::kLanczos};
constexpr TexelKind kKinds[] = {TexelKind::kColor, TexelKind::kLinear, TexelKind::kNormal, TexelKind::kGray};

TEST(mips, checkerboard_of_black_and_white_is_188_in_srgb_and_128_in_data) {
  const Paint checkers = [](std::uint32_t x, std::uint32_t y) {
    return (x + y) % 2 ? Texel{255, 255, 255, 255} : Texel{0, 0, 0, 255};
  };
  for (Filter filter : kFilters) {
    const auto color = all_levels(make_image(16, 16, checkers), {.kind = TexelKind::kColor, .filter = filter});
    const auto data = all_levels(make_image(16, 16, checkers), {.kind = TexelKind::kLinear, .filter = filter});
    ASSERT_EQ(color.size(), 5u);
    EXPECT_EQ(color[1].at(3, 3), (Texel{188, 188, 188, 255}));
    EXPECT_EQ(color[4].at(0, 0), (Texel{188, 188, 188, 255}));
    EXPECT_EQ(data[1].at(3, 3), (Texel{128, 128, 128, 255}));
  }
}

TEST(mips, one_color_stays_itself_on_every_level) {
  for (Filter filter : kFilters) {
    for (Wrap wrap : {Wrap::kRepeat, Wrap::kClamp}) {
      for (Extent e : {Extent{16, 16}, Extent{13, 7}, Extent{1, 9}, Extent{31, 1}, Extent{1, 1}, Extent{100, 3}}) {
        for (int alpha : {255, 100, 0}) {
          const auto levels = all_levels(
              make_image(e.width_texels, e.height_texels, [&](auto, auto) { return Texel{200, 90, 13, alpha}; }),
              {.kind = TexelKind::kColor, .filter = filter, .wrap = wrap});
          ASSERT_EQ(levels.size(), full_level_count(e));
          EXPECT_EQ(levels.back().extent, (Extent{1, 1}));
          for (const Level& level : levels) {
            for (std::uint32_t x = 0; x < level.extent.width_texels; ++x)
              ASSERT_EQ(level.at(x, 0), (Texel{200, 90, 13, alpha}));
          }
        }
      }
    }
  }
}

TEST(mips, level_zero_is_the_source_itself) {
  const Paint paint = [](std::uint32_t x, std::uint32_t y) {
    return Texel{noise(x, y), noise(x, y, 1), noise(x, y, 2), noise(x, y, 3)};
  };
  const Image image = make_image(9, 5, paint);
  EXPECT_EQ(all_levels(image, {.kind = TexelKind::kColor})[0].rgba, image.pixels);
  EXPECT_EQ(all_levels(image, {.kind = TexelKind::kLinear})[0].rgba, image.pixels);
  const auto normal = all_levels(image, {.kind = TexelKind::kNormal})[0];
  EXPECT_EQ(normal.at(4, 3), (Texel{noise(4, 3), noise(4, 3, 1), 0, 255}));
  const auto gray = all_levels(image, {.kind = TexelKind::kGray})[0];
  EXPECT_EQ(gray.at(4, 3), (Texel{noise(4, 3), 0, 0, 255}));
}

TEST(mips, box_of_odd_sizes_is_the_area_mean) {
  const auto levels =
      all_levels(make_image(3, 1, [](std::uint32_t x, auto) { return Texel{static_cast<int>(x) * 60, 0, 0, 255}; }),
                 {.kind = TexelKind::kLinear, .filter = Filter::kBox});
  ASSERT_EQ(levels.size(), 2u);
  EXPECT_EQ(levels[1].at(0, 0)[0], 60);
}

TEST(mips, hidden_color_does_not_bleed_out_of_transparent_texels) {
  // Opaque red beside fully transparent green: no visible texel may turn from red toward green.
  const Paint paint = [](std::uint32_t x, std::uint32_t y) {
    return (x / 3 + y / 5) % 2 ? Texel{255, 0, 0, 255} : Texel{0, 255, 0, 0};
  };
  for (Filter filter : kFilters) {
    for (const Level& level : all_levels(make_image(64, 48, paint), {.kind = TexelKind::kColor, .filter = filter})) {
      for (std::uint32_t y = 0; y < level.extent.height_texels; ++y) {
        for (std::uint32_t x = 0; x < level.extent.width_texels; ++x) {
          const Texel t = level.at(x, y);
          if (t[3] >= 16) {
            ASSERT_LE(t[1], 8) << "alpha " << t[3];
            ASSERT_GE(t[0], 250);
          }
        }
      }
    }
  }
}

TEST(mips, alpha_of_color_is_filtered_as_data_is) {
  // A small opaque square: the faint edge that a kernel leaves around it counts as coverage.
  const auto opaque = [](std::uint32_t x, std::uint32_t y) { return x >= 16 && x < 48 && y >= 16 && y < 48 ? 255 : 0; };
  const Paint leaf = [&](std::uint32_t x, std::uint32_t y) {
    return opaque(x, y) ? Texel{40, 200, 30, 255} : Texel{255, 0, 255, 0};
  };
  const Paint mask = [&](std::uint32_t x, std::uint32_t y) { return Texel{opaque(x, y), 0, 0, 255}; };
  for (Filter filter : kFilters) {
    const auto color = all_levels(make_image(64, 64, leaf), {.kind = TexelKind::kColor, .filter = filter});
    const auto data = all_levels(make_image(64, 64, mask), {.kind = TexelKind::kGray, .filter = filter});
    for (std::size_t i = 0; i < color.size(); ++i) {
      for (std::uint32_t y = 0; y < color[i].extent.height_texels; ++y) {
        for (std::uint32_t x = 0; x < color[i].extent.width_texels; ++x) {
          ASSERT_NEAR(color[i].at(x, y)[3], data[i].at(x, y)[0], 1) << "level " << i << " at " << x << ", " << y;
          if (color[i].at(x, y)[3] == 0) continue;
          ASSERT_NEAR(color[i].at(x, y)[1], 200, 2) << "level " << i << " at " << x << ", " << y;
        }
      }
    }
  }
}

// Preserving coverage scales alpha up, and kernels overshoot.
TEST(mips, half_floats_of_alpha_stay_between_none_and_full) {
  const Paint leaves = [](std::uint32_t x, std::uint32_t y) {
    return Texel{30, 120, 20, noise(x / 2, y / 2) < 70 ? 255 : 0};
  };
  MipChain chain(make_image(64, 64, leaves), {.kind = TexelKind::kColor, .alpha_cutoff = 0.5f});
  while (chain.advance()) {
    const Extent e = chain.extent();
    std::vector<std::uint16_t> halves(std::size_t{e.width_texels} * e.height_texels * 4);
    chain.read_rgba16f(0, e.height_texels, std::as_writable_bytes(std::span(halves)));
    for (std::size_t i = 3; i < halves.size(); i += 4) ASSERT_LE(halves[i], 0x3C00) << "level " << chain.level();
  }
}

// If the weight is close to zero, the result is only rounding error.
TEST(mips, half_floats_of_color_stay_between_none_and_full) {
  for (const int rare : {1, 2, 5, 20}) {
    const Paint dots = [&](std::uint32_t x, std::uint32_t y) {
      return noise(x, y) < rare ? Texel{255, 255, 255, 255} : Texel{200, 90, 255, noise(y, x) < 3 ? 1 : 0};
    };
    MipChain chain(make_image(128, 128, dots), {.kind = TexelKind::kColor});
    while (chain.advance()) {
      const Extent e = chain.extent();
      std::vector<std::uint16_t> halves(std::size_t{e.width_texels} * e.height_texels * 4);
      chain.read_rgba16f(0, e.height_texels, std::as_writable_bytes(std::span(halves)));
      for (const std::uint16_t half : halves) ASSERT_LE(half, 0x3C00) << "level " << chain.level();
    }
  }
}

TEST(mips, transparent_regions_keep_a_color_of_their_own) {
  const auto levels = all_levels(
      make_image(32, 32, [](std::uint32_t x, auto) { return x < 16 ? Texel{10, 200, 30, 0} : Texel{250, 0, 0, 255}; }),
      {.kind = TexelKind::kColor, .wrap = Wrap::kClamp});
  EXPECT_EQ(levels[1].at(0, 8), (Texel{10, 200, 30, 0}));
  EXPECT_EQ(levels[1].at(15, 8), (Texel{250, 0, 0, 255}));
}

TEST(mips, data_in_alpha_does_not_weigh_other_channels) {
  const Paint paint = [](std::uint32_t x, auto) { return x % 2 ? Texel{200, 0, 0, 0} : Texel{100, 0, 0, 255}; };
  EXPECT_EQ(all_levels(make_image(8, 8, paint), {.kind = TexelKind::kLinear, .filter = Filter::kBox})[1].at(1, 1),
            (Texel{150, 0, 0, 128}));
}

TEST(mips, normals_are_averaged_as_vectors_of_unit_length) {
  // Two directions 60 degrees apart in the xz plane average to the direction between, with unit length.
  const auto code = [](double v) { return static_cast<int>(std::lround((v * 0.5 + 0.5) * 255)); };
  const double tilt = 0.6;
  const Paint paint = [&](std::uint32_t x, auto) {
    return Texel{x % 2 ? code(std::sin(tilt)) : code(-std::sin(tilt) * 0.2), code(0.3), 255, 255};
  };
  const auto level = all_levels(make_image(8, 8, paint), {.kind = TexelKind::kNormal, .filter = Filter::kBox})[1];
  const auto unpack = [](int v) { return v / 255.0 * 2 - 1; };
  const auto z = [](double x, double y) { return std::sqrt(1 - x * x - y * y); };
  const double ax = unpack(code(std::sin(tilt))), bx = unpack(code(-std::sin(tilt) * 0.2)), y = unpack(code(0.3));
  const double sx = ax + bx, sy = 2 * y, sz = z(ax, y) + z(bx, y);
  const double length = std::sqrt(sx * sx + sy * sy + sz * sz);
  EXPECT_EQ(level.at(1, 1), (Texel{code(sx / length), code(sy / length), 0, 255}));
}

TEST(mips, normals_too_long_to_be_true_are_shortened_and_opposites_do_not_crash) {
  const Paint paint = [](std::uint32_t x, auto) { return x % 2 ? Texel{255, 255, 0, 255} : Texel{0, 0, 0, 255}; };
  for (Filter filter : kFilters) {
    const auto levels = all_levels(make_image(8, 8, paint), {.kind = TexelKind::kNormal, .filter = filter});
    EXPECT_NEAR(levels[3].at(0, 0)[0], 128, 1);
  }
}

TEST(mips, alpha_tested_coverage_is_kept) {
  // Scattered 2x2 leaves: without compensation, alpha averages below the cutoff and the foliage vanishes.
  const Paint leaves = [](std::uint32_t x, std::uint32_t y) {
    return Texel{30, 120, 20, noise(x / 2, y / 2) < 70 ? 255 : 0};
  };
  const auto coverage = [](const Level& level, int cutoff) {
    int passing = 0;
    for (std::size_t i = 3; i < level.rgba.size(); i += 4) passing += std::to_integer<int>(level.rgba[i]) >= cutoff;
    return passing / (static_cast<double>(level.rgba.size()) / 4);
  };
  for (float cutoff : {0.5f, 0.3f, 0.8f}) {
    const int code = static_cast<int>(std::ceil(cutoff * 255));
    const auto kept = all_levels(make_image(128, 128, leaves), {.kind = TexelKind::kColor, .alpha_cutoff = cutoff});
    const auto faded = all_levels(make_image(128, 128, leaves), {.kind = TexelKind::kColor});
    const double wanted = coverage(kept[0], code);
    for (std::size_t i = 1; i < 4; ++i)
      EXPECT_NEAR(coverage(kept[i], code), wanted, 0.03) << "level " << i << " cutoff " << cutoff;
    EXPECT_LT(coverage(faded[2], 128), wanted - 0.1)
        << "this picture needs no compensation, so the test proves nothing";
  }
}

TEST(mips, sixteen_bits_are_kept_until_the_last_step) {
  // A step of 1/4 of an 8-bit code, which no 8-bit copy shows, decides how the mean rounds.
  const auto level1 = [](int low, int high) {
    return all_levels(make_image16(2, 2, [&](std::uint32_t x, auto) { return Texel{x ? high : low, 0, 0, 65535}; }),
                      {.kind = TexelKind::kLinear, .filter = Filter::kBox})[1]
        .at(0, 0)[0];
  };
  EXPECT_EQ(level1(100 * 257, 101 * 257 - 65), 100);
  EXPECT_EQ(level1(100 * 257, 101 * 257 + 65), 101);
}

TEST(mips, float_color_is_linear_light) {
  Image image{1, 1, PixelType::kF32, 3, {}};
  for (float v : {0.5f, 2.0f, 0.0f, 1.0f}) append(image.pixels, v);
  EXPECT_EQ(all_levels(image, {.kind = TexelKind::kColor})[0].at(0, 0), (Texel{188, 255, 0, 255}));
}

// OpenEXR's colors are already multiplied by alpha, and light may exist where alpha is 0.
TEST(mips, alpha_of_light_is_averaged_for_itself) {
  Image image{2, 1, PixelType::kF32, 4, {}};
  for (float v : {8.0f, 2.0f, 0.0f, 0.0f, 0.0f, 1.0f, 4.0f, 0.5f}) append(image.pixels, v);
  MipChain chain(image, {.kind = TexelKind::kHdr});
  ASSERT_TRUE(chain.advance());
  std::array<std::uint16_t, 4> mean{};
  chain.read_rgba16f(0, 1, std::as_writable_bytes(std::span(mean)));
  EXPECT_EQ(mean, (std::array<std::uint16_t, 4>{0x4400, 0x3E00, 0x4000, 0x3400}));  // 4, 1.5, 2, 0.25
}

TEST(mips, wrap_mode_decides_what_lies_beyond_an_edge) {
  const Paint ramp = [](std::uint32_t x, auto) { return Texel{static_cast<int>(x) * 4, 0, 0, 255}; };
  const auto repeat = all_levels(make_image(64, 4, ramp), {.kind = TexelKind::kLinear, .wrap = Wrap::kRepeat})[1];
  const auto clamp = all_levels(make_image(64, 4, ramp), {.kind = TexelKind::kLinear, .wrap = Wrap::kClamp})[1];
  EXPECT_NE(repeat.at(0, 0), clamp.at(0, 0));
  EXPECT_EQ(repeat.at(16, 0), clamp.at(16, 0));
}

TEST(Mips, level_0_has_sides_of_whole_blocks_if_asked) {
  const auto extent = [](Extent source, std::uint32_t max_size, std::uint32_t multiple) {
    MipOptions options;
    options.max_size_texels = max_size;
    options.side_multiple = multiple;
    return level0_extent(source, options);
  };
  EXPECT_EQ(extent({50, 30}, 0, 4), (Extent{48, 28}));
  EXPECT_EQ(extent({50, 3}, 0, 4), (Extent{48, 3}));
  EXPECT_EQ(extent({100, 50}, 50, 4), (Extent{48, 24}));
  EXPECT_EQ(extent({50, 30}, 0, 1), (Extent{50, 30}));
}

TEST(mips, max_size_shrinks_level_zero_and_keeps_the_ratio) {
  EXPECT_EQ(limited_extent({100, 50}, 0), (Extent{100, 50}));
  EXPECT_EQ(limited_extent({100, 50}, 100), (Extent{100, 50}));
  EXPECT_EQ(limited_extent({100, 50}, 64), (Extent{64, 32}));
  EXPECT_EQ(limited_extent({1, 4096}, 16), (Extent{1, 16}));
  const auto levels =
      all_levels(make_image(100, 50, [](auto, auto) { return Texel{70, 80, 90, 255}; }), {.max_size_texels = 30});
  EXPECT_EQ(levels[0].extent, (Extent{30, 15}));
  EXPECT_EQ(levels[0].at(29, 14), (Texel{70, 80, 90, 255}));
  EXPECT_EQ(levels.size(), 5u);
}

TEST(mips, without_mips_there_is_one_level) {
  EXPECT_EQ(all_levels(make_image(16, 16, [](auto, auto) { return Texel{1, 2, 3, 4}; }), {.all_levels = false}).size(),
            1u);
}

TEST(mips, same_bytes_on_any_number_of_threads) {
  const Paint paint = [](std::uint32_t x, std::uint32_t y) {
    return Texel{noise(x, y), noise(x, y, 1), noise(x, y, 2), (x / 7 + y / 9) % 3 ? noise(x, y, 3) : 0};
  };
  for (TexelKind kind : kKinds) {
    const MipOptions options{.kind = kind, .alpha_cutoff = 0.5f};
    std::vector<Level> alone;
    {
      const ThreadLimit one(1);
      alone = all_levels(make_image(301, 257, paint), options);
    }
    const auto together = all_levels(make_image(301, 257, paint), options);
    for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_EQ(alone[i].rgba, together[i].rgba);
  }
}

TEST(mips, rows_can_be_read_in_any_strips) {
  MipChain chain(make_image(10, 9, [](std::uint32_t x, std::uint32_t y) { return Texel{noise(x, y), 0, 0, 255}; }), {});
  chain.advance();
  ByteVector whole(5 * 4 * 4), strips(5 * 4 * 4);
  chain.read_rgba8(0, 4, whole);
  chain.read_rgba8(0, 1, std::span(strips).first(20));
  chain.read_rgba8(1, 3, std::span(strips).subspan(20));
  EXPECT_EQ(whole, strips);
}

}  // namespace
}  // namespace assetc::texture
