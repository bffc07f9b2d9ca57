#include "codec/encode/uastc/uastc_rdo.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "assetc/codec/transcode.hpp"
#include "codec/encode/uastc/encode_uastc.hpp"
#include "codec/pictures.hpp"
#include "os/process.hpp"
#include "parallel/parallel.hpp"

namespace assetc::codec {
namespace {

constexpr float kLambdas[] = {0, 1, 3, 10, 30, 100};

std::vector<std::byte> encode(const Picture& picture, const EncodeOptions& options) {
  std::vector<std::byte> blocks(block_count(picture.width, picture.height) * 16);
  const auto done = encode_uastc(tight_rows(std::as_bytes(std::span(picture.texels)), picture.width, picture.height, 4),
                                 options, blocks);
  EXPECT_TRUE(done) << done.error().to_string();
  return blocks;
}
std::vector<std::byte> encode(const Picture& picture, float lambda, Effort effort = Effort::kNormal) {
  return encode(picture, {.effort = effort, .rdo = lambda});
}

// decode_blocks refuses invalid blocks.
Picture decode_rdo(std::span<const std::byte> uastc, std::uint32_t width, std::uint32_t height,
                   BlockFormat target = BlockFormat::kUastc) {
  Picture picture = make_picture(width, height);
  std::vector<std::byte> blocks(uastc.begin(), uastc.end());
  if (target != BlockFormat::kUastc) {
    blocks.resize(*transcoded_bytes(target, uastc.size()));
    EXPECT_TRUE(transcode_uastc(uastc, target, blocks));
  }
  std::vector<Rgba8> texels(std::size_t{width} * height);
  const auto done = decode_blocks(blocks, target, width, height, texels);
  EXPECT_TRUE(done) << done.error().to_string();
  std::memcpy(picture.texels.data(), texels.data(), picture.texels.size());
  return picture;
}

double psnr(const Picture& picture, std::span<const std::byte> uastc, BlockFormat target = BlockFormat::kUastc,
            unsigned channels = 7) {
  const double mse = squared_error(picture, decode_rdo(uastc, picture.width, picture.height, target), channels);
  return mse == 0 ? 100 : 10 * std::log10(255.0 * 255.0 / mse);
}

TEST(UastcRdo, off_leaves_every_block_to_itself) {
  const Picture picture = mixed_picture(64, 16);
  const auto whole = encode(picture, 0);
  EXPECT_EQ(whole, encode(picture, EncodeOptions{}));
  for (std::uint32_t i = 0; i < 64; ++i) {
    Picture one = make_picture(4, 4);
    for (std::uint32_t t = 0; t < 16; ++t)
      std::memcpy(one.at(t % 4, t / 4), &picture.texels[((i / 16 * 4 + t / 4) * 64 + i % 16 * 4 + t % 4) * 4], 4);
    EXPECT_EQ(std::memcmp(encode(one, 0).data(), &whole[i * 16], 16), 0) << i;
  }
}

TEST(UastcRdo, more_lambda_is_smaller) {
  constexpr std::uint32_t kSize = os::kLimitsMemory ? 256 : 128;  // smaller under a sanitizer
  const Picture picture = grainy_picture(kSize, kSize);
  for (const Effort effort : kEfforts) {
    std::size_t before = SIZE_MAX, first = 0;
    for (const float lambda : kLambdas) {
      const std::size_t bytes = zstd_bytes(encode(picture, lambda, effort));
      EXPECT_LE(static_cast<double>(bytes), static_cast<double>(before) * 1.01) << lambda;
      if (lambda == 0) first = bytes;
      before = bytes;
    }
    // `fast` repeats only whole blocks, and few blocks of grain are alike.
    EXPECT_LT(before, effort == Effort::kFast ? first : first * 3 / 4);
  }
}

TEST(UastcRdo, photographs_keep_their_quality) {
  for (const char* name : {"hills.png", "market.png", "kodim01.png"}) {
    const auto picture = corpus_picture(name);
    if (!picture) continue;
    const auto plain = encode(*picture, 0), small = encode(*picture, 10);
    EXPECT_LT(static_cast<double>(zstd_bytes(small)), 0.9 * static_cast<double>(zstd_bytes(plain)));
    EXPECT_LT(static_cast<double>(zstd_bytes(small, 18)), 0.9 * static_cast<double>(zstd_bytes(plain, 18)));
    const auto lost = [&](BlockFormat target) { return psnr(*picture, plain, target) - psnr(*picture, small, target); };
    EXPECT_LT(lost(BlockFormat::kUastc), 2.0);
    EXPECT_LT(lost(BlockFormat::kBc7), 2.0);
    EXPECT_LT(lost(BlockFormat::kBc1), 0.5);
    EXPECT_LT(lost(BlockFormat::kEtc1), 0.3);
  }
}

TEST(UastcRdo, error_grows_slowly) {
  const Picture picture = grainy_picture(128, 128);
  // The bound: at most the value of every bit of every block.
  for (const float lambda : kLambdas)
    EXPECT_LE(squared_error(picture, decode_rdo(encode(picture, lambda), 128, 128), 15),
              squared_error(picture, decode_rdo(encode(picture, 0), 128, 128), 15) + lambda * 128 / 64);
}

TEST(UastcRdo, smooth_blocks_show_no_steps) {
  const Picture picture = gradient_picture();
  for (const Effort effort : kEfforts) {
    const Picture back = decode_rdo(encode(picture, 10, effort), 256, 128);
    int worst = 0;
    for (std::size_t i = 0; i < back.texels.size(); ++i)
      worst = std::max(worst, std::abs(back.texels[i] - picture.texels[i]));
    EXPECT_LE(worst, 4);
  }
}

TEST(UastcRdo, solid_blocks_are_exact) {
  const Picture picture = half_solid_picture();
  for (const Effort effort : kEfforts) {
    const Picture back = decode_rdo(encode(picture, 100, effort), 128, 128);
    for (std::uint32_t by = 0; by < 128; by += 8)
      for (std::uint32_t y = by; y < by + 4; ++y)
        ASSERT_EQ(std::memcmp(&back.texels[std::size_t{y} * 512], &picture.texels[std::size_t{y} * 512], 512), 0) << y;
  }
}

TEST(UastcRdo, opaque_blocks_stay_opaque) {
  const Picture picture = mixed_picture(256, 128);
  // Gray: alpha has almost no weight, but no texel may become translucent.
  for (const Metric metric : {Metric::kColor, Metric::kGray}) {
    const Picture back = decode_rdo(encode(picture, {.metric = metric, .rdo = 100}), 256, 128);
    for (std::uint32_t by = 0; by < 128; by += 4)
      for (std::uint32_t bx = 0; bx < 256; bx += 4) {
        bool opaque = true, kept = true;
        for (std::uint32_t t = 0; t < 16; ++t) {
          const std::size_t at = ((by + t / 4) * 256 + bx + t % 4) * 4 + 3;
          opaque = opaque && picture.texels[at] == 255;
          kept = kept && back.texels[at] == 255;
        }
        ASSERT_TRUE(!opaque || kept) << bx << ", " << by;
      }
  }
}

TEST(UastcRdo, alpha_counts_like_a_channel) {
  Picture picture = grainy_picture(128, 128);
  for (std::uint32_t y = 0; y < 128; ++y)
    for (std::uint32_t x = 0; x < 128; ++x)
      picture.at(x, y)[3] = static_cast<std::uint8_t>(x + y / 2 + picture.at(x, y)[2] % 8);
  for (const Effort effort : kEfforts) {
    const auto blocks = encode(picture, 10, effort);
    if (effort != Effort::kFast) {
      EXPECT_LT(zstd_bytes(blocks), zstd_bytes(encode(picture, 0, effort)));
    }
    EXPECT_GT(psnr(picture, blocks, BlockFormat::kUastc, 8), 38);
    EXPECT_GT(psnr(picture, blocks, BlockFormat::kEtc2Rgba, 8), 36);
  }
}

TEST(UastcRdo, takes_every_small_size) {
  const Picture whole = mixed_picture(8, 8);
  for (std::uint32_t height = 1; height <= 7; ++height)
    for (std::uint32_t width = 1; width <= 7; ++width) {
      Picture picture = make_picture(width, height);
      for (std::uint32_t y = 0; y < height; ++y) std::memcpy(picture.at(0, y), &whole.texels[y * 32], width * 4);
      for (const Effort effort : kEfforts) decode_rdo(encode(picture, 30, effort), width, height);
    }
}

TEST(UastcRdo, segments_are_encoded_alike_alone) {
  const Picture picture = grainy_picture(2048, 200);
  const std::uint32_t rows = rdo_segment_rows(2048);
  ASSERT_EQ(rows, 64u);
  const auto whole = encode(picture, 20, Effort::kFast);
  std::vector<std::byte> parts;
  for (std::uint32_t y = 0; y < 200; y += rows) {
    Picture part = make_picture(2048, std::min(rows, 200 - y));
    std::memcpy(part.texels.data(), &picture.texels[std::size_t{y} * 2048 * 4], part.texels.size());
    const auto blocks = encode(part, 20, Effort::kFast);
    parts.insert(parts.end(), blocks.begin(), blocks.end());
  }
  EXPECT_EQ(parts, whole);
  EXPECT_EQ(rdo_segment_rows(1), 32768u);
  EXPECT_EQ(rdo_segment_rows(kMaxEncodeExtent), 4u);
}

TEST(UastcRdo, every_instruction_set_gives_the_same_bytes) {
  const RestoreTargets restore;
  const Picture mixed = mixed_picture(132, 128), grainy = grainy_picture(128, 64);
  const std::int64_t all = hwy::SupportedTargets();
  for (const Effort effort : {Effort::kFast, Effort::kNormal}) {
    hwy::SetSupportedTargetsForTest(all);
    const auto expected_mixed = encode(mixed, 20, effort), expected_grainy = encode(grainy, 20, effort);
    int tried = 0;
    for (std::int64_t rest = all; rest != 0; rest &= rest - 1, ++tried) {
      hwy::SetSupportedTargetsForTest(rest & -rest);
      EXPECT_EQ(encode(mixed, 20, effort), expected_mixed) << hwy::TargetName(rest & -rest);
      EXPECT_EQ(encode(grainy, 20, effort), expected_grainy) << hwy::TargetName(rest & -rest);
    }
    EXPECT_GE(tried, 2);
  }
}

TEST(UastcRdo, any_number_of_threads_gives_the_same_bytes) {
  const Picture picture = grainy_picture(1024, 300);
  const auto expected = encode(picture, 20, Effort::kFast);
  for (const int threads : {1, 2, 3, 8}) {
    Arena arena(threads);
    arena.execute([&] { EXPECT_EQ(encode(picture, 20, Effort::kFast), expected) << threads; });
  }
}

TEST(UastcRdo, refuses_a_lambda_out_of_range) {
  std::vector<std::byte> texels(64), blocks(16);
  for (const float lambda : {-1.0f, 100.5f, NAN}) {
    const auto done = encode_uastc({texels, 4, 4, 16}, {.rdo = lambda}, blocks);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().to_string(), "an rdo of " + std::to_string(lambda) + ", expected 0 to 100");
  }
}

}  // namespace
}  // namespace assetc::codec
