#include "codec/encode/bc/encode_bc.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "assetc/codec/transcode.hpp"
#include "codec/block/bc_block.hpp"
#include "codec/pictures.hpp"
#include "parallel/parallel.hpp"

namespace assetc::codec {
namespace {

constexpr BcFormat kFormats[] = {BcFormat::kBc1, BcFormat::kBc3, BcFormat::kBc4, BcFormat::kBc5, BcFormat::kBc7};

BlockFormat block_format(BcFormat format) {
  switch (format) {
    case BcFormat::kBc1:
      return BlockFormat::kBc1;
    case BcFormat::kBc3:
      return BlockFormat::kBc3;
    case BcFormat::kBc4:
      return BlockFormat::kBc4;
    case BcFormat::kBc5:
      return BlockFormat::kBc5;
    case BcFormat::kBc7:
      return BlockFormat::kBc7;
  }
  return BlockFormat::kBc7;
}

// The channels that a format holds: bit c for channel c.
unsigned channels_of(BcFormat format) {
  switch (format) {
    case BcFormat::kBc1:
      return 7;
    case BcFormat::kBc4:
      return 1;
    case BcFormat::kBc5:
      return 3;
    default:
      return 15;
  }
}

bool has_16_bits(BcFormat format) { return format == BcFormat::kBc4 || format == BcFormat::kBc5; }

// The input of the encoder: for BC4 and BC5, R and G of 16 bits.
std::vector<std::uint8_t> source_of(BcFormat format, const Picture& picture) {
  std::vector<std::uint8_t> texels = picture.texels;
  if (has_16_bits(format))
    for (std::size_t i = 0; i < texels.size(); i += 4) {
      texels[i + 3] = texels[i + 2] = texels[i + 1];
      texels[i + 1] = texels[i];
    }
  return texels;
}

std::vector<std::byte> encode(BcFormat format, const Picture& picture, Effort effort, Metric metric = Metric::kColor) {
  std::vector<std::byte> blocks(block_count(picture.width, picture.height) * bc_block_bytes(format));
  const auto source = source_of(format, picture);
  const auto done = encode_bc(format, tight_rows(std::as_bytes(std::span(source)), picture.width, picture.height, 4),
                              {effort, metric}, blocks);
  EXPECT_TRUE(done) << done.error().to_string();
  return blocks;
}

Picture decode_bc(BcFormat format, std::span<const std::byte> blocks, std::uint32_t width, std::uint32_t height) {
  Picture picture = make_picture(width, height);
  std::vector<Rgba8> texels(std::size_t{width} * height);
  EXPECT_TRUE(decode_blocks(blocks, block_format(format), width, height, texels));
  std::memcpy(picture.texels.data(), texels.data(), picture.texels.size());
  return picture;
}

double psnr(BcFormat format, const Picture& picture, Effort effort, Metric metric, unsigned channels) {
  const double mse = squared_error(
      picture, decode_bc(format, encode(format, picture, effort, metric), picture.width, picture.height), channels);
  return mse == 0 ? 100 : 10 * std::log10(255.0 * 255.0 / mse);
}

class EncodeBc : public testing::TestWithParam<BcFormat> {};
INSTANTIATE_TEST_SUITE_P(EveryFormat, EncodeBc, testing::ValuesIn(kFormats),
                         [](const auto& format) { return std::string(to_string(block_format(format.param))); });

TEST_P(EncodeBc, takes_every_small_size) {
  const Picture whole = mixed_picture(8, 8);
  for (std::uint32_t height = 1; height <= 7; ++height)
    for (std::uint32_t width = 1; width <= 7; ++width) {
      Picture picture = make_picture(width, height);
      for (std::uint32_t y = 0; y < height; ++y) std::memcpy(picture.at(0, y), &whole.texels[y * 32], width * 4);
      for (const Effort effort : kEfforts) {
        const double mse =
            squared_error(picture, decode_bc(GetParam(), encode(GetParam(), picture, effort), width, height),
                          channels_of(GetParam()));
        EXPECT_LT(mse, 500) << width << " x " << height;
      }
    }
}

TEST_P(EncodeBc, edges_repeat_the_last_texel) {
  const Picture small = mixed_picture(7, 5);
  Picture padded = make_picture(8, 8);
  for (std::uint32_t y = 0; y < 8; ++y)
    for (std::uint32_t x = 0; x < 8; ++x)
      std::memcpy(padded.at(x, y), &small.texels[(std::min(y, 4u) * 7 + std::min(x, 6u)) * 4], 4);
  EXPECT_EQ(encode(GetParam(), small, Effort::kNormal), encode(GetParam(), padded, Effort::kNormal));
}

TEST_P(EncodeBc, reads_rows_by_their_stride) {
  const Picture picture = mixed_picture(20, 12);
  std::vector<std::uint8_t> spaced(100 * 11 + 80);  // ends with the last row's last texel
  const auto source = source_of(GetParam(), picture);
  for (std::size_t y = 0; y < 12; ++y) std::memcpy(&spaced[y * 100], &source[y * 80], 80);
  std::vector<std::byte> blocks(15 * bc_block_bytes(GetParam()));
  ASSERT_TRUE(encode_bc(GetParam(), {std::as_bytes(std::span(spaced)), 20, 12, 100}, {}, blocks));
  EXPECT_EQ(blocks, encode(GetParam(), picture, Effort::kNormal));
}

TEST_P(EncodeBc, refuses_impossible_arguments) {
  const std::size_t bytes = bc_block_bytes(GetParam());
  std::vector<std::byte> texels(64), blocks(bytes);
  const auto message = [&](std::uint32_t width, std::size_t stride, std::size_t room) {
    const auto done = encode_bc(GetParam(), {texels, width, 4, stride}, {}, std::span(blocks).first(room));
    return done ? std::string("none") : done.error().to_string();
  };
  EXPECT_EQ(message(4, 16, bytes), "none");
  EXPECT_EQ(message(0, 16, bytes), "an image of 0 x 4 texels, expected 1 to 65536 each way");
  EXPECT_EQ(message(4, 17, bytes), "64 bytes of texels with a stride of 17, too few for 4 x 4 RGBA texels");
  EXPECT_EQ(message(4, 16, bytes - 1),
            "room for " + std::to_string(bytes - 1) + " bytes of blocks, expected " + std::to_string(bytes));
}

// Compares the results of encode_of(effort) on every instruction set.
template <class EncodeOf>
void expect_same_on_every_target(EncodeOf encode_of) {
  const RestoreTargets restore;
  for (const Effort effort : kEfforts) {
    hwy::SetSupportedTargetsForTest(0);
    const auto expected = encode_of(effort);
    int tried = 0;
    for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1, ++tried) {
      const std::int64_t target = rest & -rest;
      hwy::SetSupportedTargetsForTest(target);
      EXPECT_EQ(encode_of(effort), expected) << hwy::TargetName(target);
    }
    EXPECT_GE(tried, 2);
  }
}

TEST_P(EncodeBc, every_instruction_set_gives_the_same_bytes) {
  const Picture picture = mixed_picture(132, 128);
  expect_same_on_every_target([&](Effort effort) { return encode(GetParam(), picture, effort); });
}

TEST_P(EncodeBc, any_number_of_threads_gives_the_same_bytes) {
  const Picture picture = mixed_picture(260, 132);
  const auto expected = encode(GetParam(), picture, Effort::kFast);
  for (const int threads : {1, 2, 3, 8}) {
    Arena arena(threads);
    arena.execute([&] { EXPECT_EQ(encode(GetParam(), picture, Effort::kFast), expected) << threads; });
  }
}

TEST_P(EncodeBc, a_block_does_not_depend_on_its_neighbors) {
  const Picture picture = mixed_picture(64, 16);
  const std::size_t bytes = bc_block_bytes(GetParam());
  for (const Effort effort : kEfforts) {
    const auto whole = encode(GetParam(), picture, effort);
    for (std::uint32_t i = 0; i < 64; i += 5) {
      Picture one = make_picture(4, 4);
      for (std::uint32_t t = 0; t < 16; ++t)
        std::memcpy(one.at(t % 4, t / 4), &picture.texels[((i / 16 * 4 + t / 4) * 64 + i % 16 * 4 + t % 4) * 4], 4);
      const auto alone = encode(GetParam(), one, effort);
      EXPECT_EQ(std::memcmp(alone.data(), &whole[i * bytes], bytes), 0) << i;
    }
  }
}

TEST_P(EncodeBc, more_effort_is_never_worse_on_the_whole) {
  const Picture picture = mixed_picture(128, 128);
  const unsigned channels = channels_of(GetParam());
  const double fast = psnr(GetParam(), picture, Effort::kFast, Metric::kColor, channels);
  const double normal = psnr(GetParam(), picture, Effort::kNormal, Metric::kColor, channels);
  const double best = psnr(GetParam(), picture, Effort::kBest, Metric::kColor, channels);
  EXPECT_GE(normal, fast);
  EXPECT_GE(best, normal);
}

// 4x4 squares of one color, the upper half opaque.
Picture solid_squares() {
  Picture picture = make_picture(64, 64);
  Random random;
  for (std::uint32_t by = 0; by < 64; by += 4)
    for (std::uint32_t bx = 0; bx < 64; bx += 4) {
      const std::uint32_t color = random.next() << 1 | (by < 32 ? 0xff000000u : 0);
      for (std::uint32_t t = 0; t < 16; ++t) std::memcpy(picture.at(bx + t % 4, by + t / 4), &color, 4);
    }
  return picture;
}

// The error of a solid block of BC1 is at most that of the nearest mix of two 5:6:5 colors; BC4's halves are exact.
TEST_P(EncodeBc, solid_blocks_are_the_nearest_the_format_says) {
  const Picture picture = solid_squares();
  const bool colors565 = GetParam() == BcFormat::kBc1 || GetParam() == BcFormat::kBc3;
  for (const Effort effort : kEfforts) {
    const Picture back = decode_bc(GetParam(), encode(GetParam(), picture, effort), 64, 64);
    for (std::size_t i = 0; i < back.texels.size(); ++i) {
      if (!(channels_of(GetParam()) >> (i % 4) & 1)) continue;
      const int miss = std::abs(static_cast<int>(back.texels[i]) - picture.texels[i]);
      ASSERT_LE(miss, colors565 && i % 4 != 3 ? 2 : 0) << i;
    }
  }
}

TEST(EncodeBc7, solid_blocks_are_exact) {
  const Picture picture = solid_squares();
  for (const Effort effort : kEfforts)
    EXPECT_EQ(decode_bc(BcFormat::kBc7, encode(BcFormat::kBc7, picture, effort), 64, 64).texels, picture.texels);
}

TEST(EncodeBc7, opaque_stays_opaque) {
  const Picture picture = mixed_picture(64, 64);
  for (const Effort effort : kEfforts) {
    const Picture back = decode_bc(BcFormat::kBc7, encode(BcFormat::kBc7, picture, effort), 64, 64);
    for (std::uint32_t by = 0; by < 64; by += 4)
      for (std::uint32_t bx = 0; bx < 64; bx += 4) {
        bool opaque = true;
        for (std::uint32_t t = 0; t < 16; ++t)
          opaque = opaque && picture.texels[((by + t / 4) * 64 + bx + t % 4) * 4 + 3] == 255;
        for (std::uint32_t t = 0; opaque && t < 16; ++t)
          ASSERT_EQ(back.texels[((by + t / 4) * 64 + bx + t % 4) * 4 + 3], 255);
      }
  }
}

TEST(EncodeBc7, two_color_blocks_are_nearly_exact) {
  Picture picture = make_picture(64, 64);
  Random random;
  for (std::uint32_t y = 0; y < 64; ++y)
    for (std::uint32_t x = 0; x < 64; ++x) {
      const bool on = random.below(2) != 0;
      const std::uint8_t color[4] = {std::uint8_t(on ? 250 : 3), std::uint8_t(on ? 20 : 77),
                                     std::uint8_t(on ? 90 : 200), 255};
      std::memcpy(picture.at(x, y), color, 4);
    }
  for (const Effort effort : kEfforts) EXPECT_GE(psnr(BcFormat::kBc7, picture, effort, Metric::kColor, 15), 57.1);
}

TEST(EncodeBc7, synthetic_pictures_keep_their_quality) {
  const Picture opaque = synthetic_picture(false), alpha = synthetic_picture(true);
  constexpr double kFloors[3][2] = {{55.5, 47.6}, {59.3, 47.6}, {61.8, 47.9}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_GE(psnr(BcFormat::kBc7, opaque, kEfforts[i], Metric::kColor, 7), kFloors[i][0]) << i;
    EXPECT_GE(psnr(BcFormat::kBc7, alpha, kEfforts[i], Metric::kColor, 15), kFloors[i][1]) << i;
  }
}

// Opaque gray: slopes of every steepness, or letters with soft edges.
Picture gray_picture(bool letters) {
  Picture picture = make_picture(128, 64);
  for (std::uint32_t y = 0; y < 64; ++y)
    for (std::uint32_t x = 0; x < 128; ++x) {
      const std::uint32_t slope = x / 16 + y / 16 * 8;
      const std::uint32_t at = (2 * x + y + x * y / 32) % 23;
      const std::uint32_t cover = at < 12 ? 0 : at == 12 ? 94 : at == 13 ? 179 : at == 22 ? 34 : 255;
      const std::uint32_t v = letters ? cover : 40 + 3 * slope + (x % 16 * slope + y % 16 * (32 - slope)) / 6;
      const auto gray = static_cast<std::uint8_t>(v);
      const std::uint8_t texel[4] = {gray, gray, gray, 255};
      std::memcpy(picture.at(x, y), texel, 4);
    }
  return picture;
}

TEST(EncodeBc7, grays_keep_their_quality) {
  constexpr double kFloors[2][3] = {{59.2, 59.3, 59.9}, {48.8, 50.0, 52.0}};
  for (const bool letters : {false, true}) {
    const Picture picture = gray_picture(letters);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_GE(psnr(BcFormat::kBc7, picture, kEfforts[i], Metric::kColor, 7), kFloors[letters][i]) << letters << i;
      // The improvement must not come from giving up opacity, which would allow mode 6 more levels.
      EXPECT_EQ(
          squared_error(picture, decode_bc(BcFormat::kBc7, encode(BcFormat::kBc7, picture, kEfforts[i]), 128, 64), 8),
          0);
    }
  }
}

TEST(EncodeBc7, grays_are_the_same_on_every_instruction_set) {
  for (const bool letters : {false, true}) {
    const Picture picture = gray_picture(letters);
    expect_same_on_every_target([&](Effort effort) { return encode(BcFormat::kBc7, picture, effort); });
  }
}

// Color and alpha are independent.
TEST(EncodeBc7, alpha_of_its_own_is_kept) {
  Picture picture = make_picture(64, 64);
  Random random;
  for (std::uint32_t y = 0; y < 64; ++y)
    for (std::uint32_t x = 0; x < 64; ++x) {
      const auto v = static_cast<std::uint8_t>(x + 2 * y);
      const std::uint8_t color[4] = {v, static_cast<std::uint8_t>(255 - v), static_cast<std::uint8_t>(v / 2),
                                     static_cast<std::uint8_t>(random.below(256))};
      std::memcpy(picture.at(x, y), color, 4);
    }
  for (const Effort effort : kEfforts) {
    EXPECT_GE(psnr(BcFormat::kBc7, picture, effort, Metric::kColor, 15), 30.0);
    EXPECT_GE(psnr(BcFormat::kBc7, picture, effort, Metric::kColor, 7), 40.0);
  }
}

TEST(EncodeBc7, normal_maps_spend_their_bits_on_red_and_green) {
  Picture picture = mixed_picture(64, 64);
  for (std::size_t i = 3; i < picture.texels.size(); i += 4) picture.texels[i] = 255;
  const auto quality = [&](Metric metric, unsigned channels) {
    return psnr(BcFormat::kBc7, picture, Effort::kNormal, metric, channels);
  };
  EXPECT_GT(quality(Metric::kNormal, 3), quality(Metric::kColor, 3) + 1);
  EXPECT_GT(quality(Metric::kGray, 1), quality(Metric::kColor, 1) + 2);
  EXPECT_GT(quality(Metric::kColorPerceptual, 2), quality(Metric::kColor, 2) + 0.2);
}

std::vector<std::byte> encode_bc5(std::span<const std::uint16_t> rg, std::uint32_t width, std::uint32_t height,
                                  Effort effort) {
  std::vector<std::byte> blocks(block_count(width, height) * 16);
  EXPECT_TRUE(
      encode_bc(BcFormat::kBc5, tight_rows(std::as_bytes(rg), width, height, 4), {effort, Metric::kLinear}, blocks));
  return blocks;
}

// R has random 16-bit ramps of the given range, one per block; G is 65535 minus R.
std::vector<std::uint16_t> ramps16(std::uint32_t blocks, int range) {
  std::vector<std::uint16_t> rg;
  Random random;
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const int low = random.below(65536 - range);
    for (int t = 0; t < 16; ++t) {
      const auto v = static_cast<std::uint16_t>(low + random.below(range + 1));
      rg.insert(rg.end(), {v, static_cast<std::uint16_t>(65535 - v)});
    }
  }
  return rg;
}

TEST(EncodeBc4, sixteen_bits_are_the_same_on_every_instruction_set) {
  std::vector<std::uint16_t> rg;
  for (const int range : {0, 1, 100, 300, 5000, 65535})
    for (const std::uint16_t v : ramps16(40, range)) rg.push_back(v);
  expect_same_on_every_target([&](Effort effort) { return encode_bc5(rg, 4, 4 * 240, effort); });
}

// Eight values over the range, between endpoints of 8 bits, leave about this error at most.
TEST(EncodeBc4, what_lies_between_two_steps_of_eight_bits_is_kept) {
  for (const int range : {0, 1, 50, 257, 1000, 4000}) {
    constexpr std::uint32_t kBlocks = 200;
    const std::vector<std::uint16_t> rg = ramps16(kBlocks, range);
    double last = 1e30;
    for (const Effort effort : kEfforts) {
      const auto blocks = encode_bc5(rg, 4, 4 * kBlocks, effort);
      double error = 0;
      for (std::size_t half = 0; half < 2 * kBlocks; ++half) {
        const auto values = decode_bc4_16(reinterpret_cast<const std::uint8_t*>(blocks.data()) + 8 * half);
        for (std::size_t t = 0; t < 16; ++t) {
          const double miss = static_cast<double>(values[t]) - rg[(half / 2 * 16 + t) * 2 + half % 2];
          error += miss * miss / (2 * kBlocks * 16);
        }
      }
      EXPECT_LT(std::sqrt(error), 1.1 * (range + 257) / 7.0 / std::sqrt(12.0)) << range;
      EXPECT_LE(error, last) << range;
      last = error;
    }
  }
}

TEST(DecodeBc4, values_between_the_ends_are_fractions_rounded) {
  const auto values = [](unsigned first, unsigned second) {
    std::uint8_t block[8] = {static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(second)};
    const std::uint64_t codes = 0b111'110'101'100'011'010'001'000;  // of texels 0 to 7
    std::memcpy(block + 2, &codes, 3);
    std::memcpy(block + 5, &codes, 3);
    std::array<std::array<int, 8>, 2> got;
    for (std::size_t t = 0; t < 8; ++t) got[0][t] = decode_bc4(block)[t].r, got[1][t] = decode_bc4_16(block)[t];
    return got;
  };
  const auto eight = values(10, 5), six = values(5, 10);
  // 10, 5, and 65/7, 60/7 … 40/7, times 257.
  EXPECT_EQ(eight[0], (std::array{10, 5, 9, 9, 8, 7, 6, 6}));
  EXPECT_EQ(eight[1], (std::array{2570, 1285, 2386, 2203, 2019, 1836, 1652, 1469}));
  EXPECT_EQ(six[0], (std::array{5, 10, 6, 7, 8, 9, 0, 255}));
  EXPECT_EQ(six[1], (std::array{1285, 2570, 1542, 1799, 2056, 2313, 0, 65535}));
}

// Texels of 0 and 255 beside a narrow band of others: in the mode that has both as constants, the ramp covers only the
// band.
TEST(EncodeBc4, extremes_do_not_cost_the_ramp) {
  Picture picture = make_picture(64, 64);
  Random random;
  for (std::uint32_t y = 0; y < 64; ++y)
    for (std::uint32_t x = 0; x < 64; ++x) {
      const int kind = random.below(4);
      const auto v = static_cast<std::uint8_t>(kind == 0 ? 0 : kind == 1 ? 255 : 100 + random.below(6));
      const std::uint8_t color[4] = {v, v, v, 255};
      std::memcpy(picture.at(x, y), color, 4);
    }
  EXPECT_GE(psnr(BcFormat::kBc4, picture, Effort::kNormal, Metric::kColor, 1), 52.0);
  EXPECT_GE(psnr(BcFormat::kBc5, picture, Effort::kNormal, Metric::kColor, 3), 52.0);
}

// Two colors and their mean: the three-color mode is exact and the four-color mode is not.
TEST(EncodeBc1, three_colors_are_used_where_they_win) {
  Picture picture = make_picture(16, 16);
  Random random;
  for (std::uint32_t y = 0; y < 16; ++y)
    for (std::uint32_t x = 0; x < 16; ++x) {
      constexpr std::uint8_t kColors[3][4] = {{255, 0, 66, 255}, {0, 255, 132, 255}, {127, 127, 99, 255}};
      std::memcpy(picture.at(x, y), kColors[random.below(3)], 4);
    }
  EXPECT_EQ(psnr(BcFormat::kBc1, picture, Effort::kNormal, Metric::kColor, 15), 100);
  EXPECT_LT(psnr(BcFormat::kBc3, picture, Effort::kNormal, Metric::kColor, 7), 40);  // BC3 has only the four-color mode
}

// The metric's weights reach the colors of BC1.
TEST(EncodeBc1, perceptual_weights_spare_green) {
  const Picture picture = mixed_picture(128, 128);
  EXPECT_GT(psnr(BcFormat::kBc1, picture, Effort::kNormal, Metric::kColorPerceptual, 2),
            psnr(BcFormat::kBc1, picture, Effort::kNormal, Metric::kColor, 2) + 0.2);
}

TEST(EncodeBc1, every_texel_is_opaque) {
  const Picture picture = mixed_picture(64, 64);
  for (const Effort effort : kEfforts) {
    const Picture back = decode_bc(BcFormat::kBc1, encode(BcFormat::kBc1, picture, effort), 64, 64);
    for (std::size_t i = 3; i < back.texels.size(); i += 4) ASSERT_EQ(back.texels[i], 255);
  }
}

}  // namespace
}  // namespace assetc::codec
