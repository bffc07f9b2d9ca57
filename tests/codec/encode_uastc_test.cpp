#include "codec/encode/uastc/encode_uastc.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "assetc/codec/transcode.hpp"
#include "codec/block/uastc_block.hpp"
#include "codec/pictures.hpp"
#include "parallel/parallel.hpp"

namespace assetc::codec {
namespace {

std::vector<std::byte> encode(const Picture& picture, Effort effort, Metric metric = Metric::kColor) {
  std::vector<std::byte> blocks(std::size_t{(picture.width + 3) / 4} * ((picture.height + 3) / 4) * 16);
  const auto done = encode_uastc(tight_rows(std::as_bytes(std::span(picture.texels)), picture.width, picture.height, 4),
                                 {effort, metric}, blocks);
  EXPECT_TRUE(done) << done.error().to_string();
  return blocks;
}

Picture decode_uastc(std::span<const std::byte> blocks, std::uint32_t width, std::uint32_t height) {
  Picture picture = make_picture(width, height);
  const std::uint32_t across = (width + 3) / 4;
  for (std::size_t i = 0; i < blocks.size() / 16; ++i) {
    UastcBytes bytes;
    std::memcpy(bytes.data(), &blocks[i * 16], 16);
    const auto block = unpack_uastc(bytes);
    EXPECT_TRUE(block) << "block " << i;
    if (!block) continue;
    const BlockTexels texels = decode_uastc(*block);
    const std::uint32_t bx = static_cast<std::uint32_t>(i) % across * 4,
                        by = static_cast<std::uint32_t>(i) / across * 4;
    for (std::uint32_t t = 0; t < 16; ++t)
      if (bx + t % 4 < width && by + t / 4 < height) std::memcpy(picture.at(bx + t % 4, by + t / 4), &texels[t], 4);
  }
  return picture;
}

double psnr(const Picture& picture, Effort effort, Metric metric = Metric::kColor, unsigned channels = 7) {
  const double mse =
      squared_error(picture, decode_uastc(encode(picture, effort, metric), picture.width, picture.height), channels);
  return mse == 0 ? 100 : 10 * std::log10(255.0 * 255.0 / mse);
}

// The picture after encoding and transcoding to BC7.
Picture bc7_of(const Picture& picture, Effort effort) {
  const std::vector<std::byte> uastc = encode(picture, effort);
  std::vector<std::byte> blocks(*transcoded_bytes(BlockFormat::kBc7, uastc.size()));
  EXPECT_TRUE(transcode_uastc(uastc, BlockFormat::kBc7, blocks));
  std::vector<Rgba8> texels(std::size_t{picture.width} * picture.height);
  EXPECT_TRUE(decode_blocks(blocks, BlockFormat::kBc7, picture.width, picture.height, texels));
  Picture decoded = make_picture(picture.width, picture.height);
  std::memcpy(decoded.texels.data(), texels.data(), decoded.texels.size());
  return decoded;
}

TEST(EncodeUastc, solid_blocks_are_exact) {
  Picture picture = make_picture(64, 64);
  Random random;
  for (std::uint32_t by = 0; by < 64; by += 4)
    for (std::uint32_t bx = 0; bx < 64; bx += 4) {
      const std::uint32_t color = random.next() << 1 | (bx & 4 ? 0xff000000u : 0);
      for (std::uint32_t t = 0; t < 16; ++t) std::memcpy(picture.at(bx + t % 4, by + t / 4), &color, 4);
    }
  for (const Effort effort : kEfforts) EXPECT_EQ(decode_uastc(encode(picture, effort), 64, 64).texels, picture.texels);
}

TEST(EncodeUastc, two_color_blocks_are_nearly_exact) {
  Picture picture = make_picture(64, 64);
  Random random;
  for (std::uint32_t y = 0; y < 64; ++y)
    for (std::uint32_t x = 0; x < 64; ++x) {
      const bool on = random.below(2) != 0;
      const std::uint8_t color[4] = {std::uint8_t(on ? 250 : 3), std::uint8_t(on ? 20 : 77),
                                     std::uint8_t(on ? 90 : 200), 255};
      std::memcpy(picture.at(x, y), color, 4);
    }
  for (const Effort effort : kEfforts) EXPECT_GE(psnr(picture, effort, Metric::kColor, 15), 54.0);
}

TEST(EncodeUastc, takes_every_small_size) {
  const Picture whole = mixed_picture(8, 8);
  for (std::uint32_t height = 1; height <= 7; ++height)
    for (std::uint32_t width = 1; width <= 7; ++width) {
      Picture picture = make_picture(width, height);
      for (std::uint32_t y = 0; y < height; ++y) std::memcpy(picture.at(0, y), &whole.texels[y * 32], width * 4);
      const auto blocks = encode(picture, Effort::kNormal);
      const double mse = squared_error(picture, decode_uastc(blocks, width, height), 15);
      EXPECT_LT(mse, 120) << width << " x " << height;
    }
}

TEST(EncodeUastc, edges_repeat_the_last_texel) {
  const Picture small = mixed_picture(7, 5);
  Picture padded = make_picture(8, 8);
  for (std::uint32_t y = 0; y < 8; ++y)
    for (std::uint32_t x = 0; x < 8; ++x)
      std::memcpy(padded.at(x, y), &small.texels[(std::min(y, 4u) * 7 + std::min(x, 6u)) * 4], 4);
  EXPECT_EQ(encode(small, Effort::kNormal), encode(padded, Effort::kNormal));
}

TEST(EncodeUastc, reads_rows_by_their_stride) {
  const Picture picture = mixed_picture(20, 12);
  std::vector<std::uint8_t> spaced(100 * 11 + 80);  // ends with the last row's last texel
  for (std::size_t y = 0; y < 12; ++y) std::memcpy(&spaced[y * 100], &picture.texels[y * 80], 80);
  std::vector<std::byte> blocks(15 * 16);
  ASSERT_TRUE(encode_uastc({std::as_bytes(std::span(spaced)), 20, 12, 100}, {}, blocks));
  EXPECT_EQ(blocks, encode(picture, Effort::kNormal));
}

TEST(EncodeUastc, refuses_impossible_arguments) {
  std::vector<std::byte> texels(64), blocks(16);
  const auto message = [&](std::uint32_t width, std::uint32_t height, std::size_t stride, const EncodeOptions& options,
                           std::size_t room) {
    const auto done = encode_uastc({texels, width, height, stride}, options, std::span(blocks).first(room));
    return done ? std::string("none") : done.error().to_string();
  };
  EXPECT_EQ(message(4, 4, 16, {}, 16), "none");
  EXPECT_EQ(message(0, 4, 16, {}, 16), "an image of 0 x 4 texels, expected 1 to 65536 each way");
  EXPECT_EQ(message(4, 65537, 16, {}, 16), "an image of 4 x 65537 texels, expected 1 to 65536 each way");
  EXPECT_EQ(message(4, 4, 15, {}, 16), "64 bytes of texels with a stride of 15, too few for 4 x 4 RGBA texels");
  EXPECT_EQ(message(4, 4, 17, {}, 16), "64 bytes of texels with a stride of 17, too few for 4 x 4 RGBA texels");
  EXPECT_EQ(message(4, 4, 16, {}, 15), "room for 15 bytes of blocks, expected 16");
  EncodeOptions options;
  options.channel_weights[2] = -1;
  EXPECT_EQ(message(4, 4, 16, options, 16), "a channel weight of -1.000000, expected 0 to 256");
}

TEST(EncodeUastc, gray_keeps_its_channels_equal) {
  Picture picture = make_picture(64, 64);
  Random random;
  for (std::uint32_t y = 0; y < 64; ++y)
    for (std::uint32_t x = 0; x < 64; ++x) {
      const auto v = static_cast<std::uint8_t>(x * 2 + y + static_cast<unsigned>(random.below(20)));
      const std::uint8_t color[4] = {v, v, v, 255};
      std::memcpy(picture.at(x, y), color, 4);
    }
  const Picture back = decode_uastc(encode(picture, Effort::kFast), 64, 64);
  for (std::size_t i = 0; i < back.texels.size(); i += 4) {
    ASSERT_EQ(back.texels[i], back.texels[i + 1]);
    ASSERT_EQ(back.texels[i], back.texels[i + 2]);
    ASSERT_EQ(back.texels[i + 3], 255);
  }
  EXPECT_GE(psnr(picture, Effort::kFast), 52.0);
}

TEST(EncodeUastc, opaque_stays_opaque) {
  const Picture picture = mixed_picture(64, 64);
  const Picture back = decode_uastc(encode(picture, Effort::kNormal), 64, 64);
  for (std::uint32_t by = 0; by < 64; by += 4)
    for (std::uint32_t bx = 0; bx < 64; bx += 4) {
      bool opaque = true;
      for (std::uint32_t t = 0; t < 16; ++t)
        opaque = opaque && picture.texels[((by + t / 4) * 64 + bx + t % 4) * 4 + 3] == 255;
      for (std::uint32_t t = 0; opaque && t < 16; ++t)
        ASSERT_EQ(back.texels[((by + t / 4) * 64 + bx + t % 4) * 4 + 3], 255);
    }
}

TEST(EncodeUastc, normal_maps_spend_their_bits_on_red_and_green) {
  Picture picture = mixed_picture(64, 64);
  for (std::size_t i = 3; i < picture.texels.size(); i += 4) picture.texels[i] = 255;
  EXPECT_GT(psnr(picture, Effort::kNormal, Metric::kNormal, 3), psnr(picture, Effort::kNormal, Metric::kColor, 3) + 1);
  EXPECT_GT(psnr(picture, Effort::kNormal, Metric::kGray, 1), psnr(picture, Effort::kNormal, Metric::kColor, 1) + 2);
}

TEST(EncodeUastc, the_perceptual_metric_keeps_luma) {
  Picture picture = mixed_picture(64, 64);
  for (std::size_t i = 3; i < picture.texels.size(); i += 4) picture.texels[i] = 255;
  const auto luma_error = [&](Metric metric) {
    const std::vector<std::uint8_t> back = decode_uastc(encode(picture, Effort::kNormal, metric), 64, 64).texels;
    double sum = 0;
    for (std::size_t i = 0; i < picture.texels.size(); i += 4) {
      double luma = 0;
      constexpr std::array kLuma = {0.299, 0.587, 0.114};
      for (unsigned c = 0; c < 3; ++c) luma += kLuma[c] * (back[i + c] - picture.texels[i + c]);
      sum += luma * luma;
    }
    return sum;
  };
  EXPECT_LT(luma_error(Metric::kColorPerceptual), luma_error(Metric::kColor) * 0.98);
}

// Black, white and grays between, as in text: it needs more levels and partitions than the modes of gray and alpha
// have.
TEST(EncodeUastc, gray_text_is_kept) {
  Picture picture = make_picture(64, 64);
  constexpr std::array<std::uint8_t, 4> kRamp = {255, 255, 128, 0}, kEdge = {255, 59, 0, 0};
  for (std::uint32_t y = 0; y < 64; ++y)
    for (std::uint32_t x = 0; x < 64; ++x) {
      const std::uint8_t v = (y < 32 ? kRamp : kEdge)[(x + y / 4) % 4];
      const std::uint8_t color[4] = {v, v, v, 255};
      std::memcpy(picture.at(x, y), color, 4);
    }
  for (const Effort effort : kEfforts)
    EXPECT_GE(psnr(picture, effort), effort == Effort::kFast ? 44 : 50) << static_cast<int>(effort);
}

// Two values in cells of 2x2, as in glyphs, are exact in BC7 too. (Opaque texels may be off by one in alpha there.)
TEST(EncodeUastc, two_values_are_exact_in_bc7) {
  constexpr Rgba8 kPairs[][2] = {{{255, 255, 255, 0}, {255, 255, 255, 255}},
                                 {{0, 0, 0, 0}, {255, 255, 255, 255}},
                                 {{0, 0, 0, 255}, {255, 255, 255, 255}},
                                 {{255, 0, 255, 255}, {255, 255, 255, 255}},
                                 {{0, 0, 0, 0}, {255, 0, 255, 255}}};
  for (const auto& [paper, ink] : kPairs) {
    Picture picture = make_picture(64, 64);
    Random random;
    std::array<bool, 32 * 32> inked;
    for (bool& cell : inked) cell = random.next() % 3 == 0;
    for (std::uint32_t y = 0; y < 64; ++y)
      for (std::uint32_t x = 0; x < 64; ++x)
        std::memcpy(picture.at(x, y), inked[y / 2 * 32 + x / 2] ? &ink : &paper, 4);
    for (const Effort effort : kEfforts)
      EXPECT_EQ(squared_error(picture, bc7_of(picture, effort), paper.a == 255 ? 7 : 15), 0)
          << "effort " << static_cast<int>(effort) << ", paper " << int{paper.r} << ' ' << int{paper.a};
  }
}

// Gray with soft alpha: several modes are exact in UASTC, but not all of them are in BC7.
TEST(EncodeUastc, flat_alpha_transcodes_well_to_bc7) {
  Picture picture = make_picture(64, 64);
  for (std::uint32_t y = 0; y < 64; ++y)
    for (std::uint32_t x = 0; x < 64; ++x) {
      const std::uint8_t color[4] = {255, 255, 255, static_cast<std::uint8_t>(x / 2 % 4 * 85)};
      std::memcpy(picture.at(x, y), color, 4);
    }
  for (const Effort effort : kEfforts)
    EXPECT_EQ(bc7_of(picture, effort).texels, picture.texels) << static_cast<int>(effort);
}

// The mean angle in degrees between the normals in R and G of two pictures.
double mean_angle(const Picture& a, const Picture& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.texels.size(); i += 4) {
    double n[2][3];
    for (const Picture* p : {&a, &b}) {
      double(&v)[3] = n[p == &b];
      v[0] = p->texels[i] / 127.5 - 1;
      v[1] = p->texels[i + 1] / 127.5 - 1;
      v[2] = std::sqrt(std::max(0.0, 1 - v[0] * v[0] - v[1] * v[1]));
      const double length = std::hypot(v[0], v[1], v[2]);
      for (double& x : v) x /= length;
    }
    const double cross = std::hypot(n[0][1] * n[1][2] - n[0][2] * n[1][1], n[0][2] * n[1][0] - n[0][0] * n[1][2],
                                    n[0][0] * n[1][1] - n[0][1] * n[1][0]);
    sum += std::atan2(cross, n[0][0] * n[1][0] + n[0][1] * n[1][1] + n[0][2] * n[1][2]);
  }
  return sum * 4 / static_cast<double>(a.texels.size()) * 180 / 3.14159265358979;
}

// tests/data/quality.csv has the angles themselves.
TEST(EncodeUastc, the_metric_of_normal_maps_keeps_their_angles) {
  for (const char* name : {"rock.n.png", "water_normals.png"}) {
    const auto picture = corpus_picture(name);
    if (!picture) continue;
    for (const Effort effort : kEfforts) {
      const auto angle = [&](Metric metric) {
        return mean_angle(*picture, decode_uastc(encode(*picture, effort, metric), picture->width, picture->height));
      };
      EXPECT_LT(angle(Metric::kNormal), angle(Metric::kColor)) << name << ", effort " << static_cast<int>(effort);
    }
  }
}

TEST(EncodeUastc, more_effort_is_never_worse_on_the_whole) {
  const Picture picture = mixed_picture(128, 128);
  const double fast = psnr(picture, Effort::kFast, Metric::kColor, 15);
  const double normal = psnr(picture, Effort::kNormal, Metric::kColor, 15);
  const double best = psnr(picture, Effort::kBest, Metric::kColor, 15);
  EXPECT_GT(normal, fast);
  EXPECT_GT(best, normal);
}

void expect_same_on_every_target(const Picture& picture) {
  const RestoreTargets restore;
  for (const Effort effort : kEfforts) {
    hwy::SetSupportedTargetsForTest(0);
    const auto expected = encode(picture, effort);
    int tried = 0;
    for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1, ++tried) {
      const std::int64_t target = rest & -rest;
      hwy::SetSupportedTargetsForTest(target);
      EXPECT_EQ(encode(picture, effort), expected) << hwy::TargetName(target);
    }
    EXPECT_GE(tried, 2);
  }
}

TEST(EncodeUastc, every_instruction_set_gives_the_same_bytes) { expect_same_on_every_target(mixed_picture(132, 128)); }

TEST(EncodeUastc, every_instruction_set_gives_the_same_photograph) {
  for (const char* name : {"market.png", "kodim05.png"}) {
    auto picture = corpus_picture(name);
    if (!picture) continue;
    picture->height = 12;
    picture->texels.resize(std::size_t{picture->width} * picture->height * 4);
    expect_same_on_every_target(*picture);
  }
}

TEST(EncodeUastc, any_number_of_threads_gives_the_same_bytes) {
  const Picture picture = mixed_picture(260, 132);
  const auto expected = encode(picture, Effort::kFast);
  for (const int threads : {1, 2, 3, 8}) {
    Arena arena(threads);
    arena.execute([&] { EXPECT_EQ(encode(picture, Effort::kFast), expected) << threads; });
  }
}

TEST(EncodeUastc, a_block_does_not_depend_on_its_neighbors) {
  const Picture picture = mixed_picture(64, 16);
  for (const Effort effort : kEfforts) {
    const auto whole = encode(picture, effort);
    for (std::uint32_t i = 0; i < 64; ++i) {
      Picture one = make_picture(4, 4);
      for (std::uint32_t t = 0; t < 16; ++t)
        std::memcpy(one.at(t % 4, t / 4), &picture.texels[((i / 16 * 4 + t / 4) * 64 + i % 16 * 4 + t % 4) * 4], 4);
      const auto alone = encode(one, effort);
      EXPECT_EQ(std::memcmp(alone.data(), &whole[i * 16], 16), 0) << i << ", effort " << static_cast<int>(effort);
    }
  }
}

double bc7_psnr(const Picture& picture, Effort effort, unsigned channels) {
  return 10 * std::log10(255.0 * 255.0 / squared_error(picture, bc7_of(picture, effort), channels));
}

// The least PSNR in dB of each effort on synthetic pictures, in UASTC and in BC7.
TEST(EncodeUastc, synthetic_pictures_keep_their_quality) {
  const Picture opaque = synthetic_picture(false), alpha = synthetic_picture(true);
  const double floors[3][4] = {{50.6, 49.7, 43.0, 44.7}, {51.6, 49.3, 43.0, 44.7}, {53.4, 49.8, 43.1, 44.4}};
  for (const Effort effort : kEfforts) {
    const auto& floor = floors[static_cast<std::size_t>(effort)];
    EXPECT_GE(psnr(opaque, effort, Metric::kColor, 7), floor[0]) << static_cast<int>(effort);
    EXPECT_GE(bc7_psnr(opaque, effort, 7), floor[1]) << static_cast<int>(effort);
    EXPECT_GE(psnr(alpha, effort, Metric::kColor, 15), floor[2]) << static_cast<int>(effort);
    EXPECT_GE(bc7_psnr(alpha, effort, 15), floor[3]) << static_cast<int>(effort);
  }
}

// So slow that neighbors are equal, as in synthetic blocks: a few exact levels suffice, at every effort.
TEST(EncodeUastc, slow_gradients_keep_their_steps) {
  Picture picture = make_picture(128, 128);
  for (std::uint32_t y = 0; y < 128; ++y)
    for (std::uint32_t x = 0; x < 128; ++x) {
      const std::uint8_t color[4] = {static_cast<std::uint8_t>(120 + x / 6 + y / 9),
                                     static_cast<std::uint8_t>(90 + x / 4), static_cast<std::uint8_t>(200 - y / 5),
                                     255};
      std::memcpy(picture.at(x, y), color, 4);
    }
  for (const Effort effort : kEfforts) EXPECT_GE(psnr(picture, effort), 63) << static_cast<int>(effort);
}

}  // namespace
}  // namespace assetc::codec
