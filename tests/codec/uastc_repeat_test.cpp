#include "codec/encode/uastc/uastc_repeat.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "assetc/codec/transcode.hpp"
#include "codec/encode/uastc/encode_uastc.hpp"
#include "codec/pictures.hpp"

namespace assetc::codec {
namespace {

std::vector<std::uint32_t> repeats(const Picture& picture, const EncodeOptions& options) {
  std::vector<std::uint32_t> from(block_count(picture.width, picture.height));
  find_repeats(tight_rows(std::as_bytes(std::span(picture.texels)), picture.width, picture.height, 4), options, from);
  return from;
}
std::vector<std::uint32_t> repeats(const Picture& picture, float lambda) {
  return repeats(picture, {.effort = Effort::kFast, .rdo = lambda});
}

// Blocks of noise side by side; seeds[i] chooses the noise of block i.
Picture noise_blocks(const std::vector<std::uint32_t>& seeds, std::uint32_t low = 0, std::uint32_t range = 256) {
  Picture picture = make_picture(static_cast<std::uint32_t>(seeds.size()) * 4, 4);
  for (std::uint32_t i = 0; i < seeds.size(); ++i) {
    std::mt19937 random(seeds[i]);
    for (std::uint32_t t = 0; t < 16; ++t) {
      for (unsigned c = 0; c < 3; ++c)
        picture.at(i * 4 + t % 4, t / 4)[c] = static_cast<std::uint8_t>(low + random() % range);
      picture.at(i * 4 + t % 4, t / 4)[3] = 255;
    }
  }
  return picture;
}

double squared_difference(const Picture& picture, std::uint32_t a, std::uint32_t b) {
  double sum = 0;
  for (std::uint32_t t = 0; t < 16; ++t)
    for (unsigned c = 0; c < 4; ++c) {
      const auto at = [&](std::uint32_t block) {
        const std::uint32_t across = picture.width / 4;
        return int{picture.texels[((block / across * 4 + t / 4) * picture.width + block % across * 4 + t % 4) * 4 + c]};
      };
      sum += (at(a) - at(b)) * (at(a) - at(b));
    }
  return sum;
}

TEST(UastcRepeat, equal_blocks_repeat_the_first_of_them) {
  const std::vector<std::uint32_t> expected{0, 1, 0, 3, 1, 0, 0};
  EXPECT_EQ(repeats(noise_blocks({10, 11, 10, 12, 11, 10, 10}), 0.01f), expected);
}

TEST(UastcRepeat, blocks_that_repeat_are_remembered_longest) {
  // Blocks 0 and 1, 0 again, more different blocks than are remembered, and both again.
  std::vector<std::uint32_t> seeds{0, 1, 0};
  for (std::uint32_t seed = 2; seed <= 512; ++seed) seeds.push_back(seed);
  seeds.insert(seeds.end(), {0, 1});
  const auto from = repeats(noise_blocks(seeds), 0.01f);
  EXPECT_EQ(from[from.size() - 2], 0u);
  EXPECT_EQ(from[from.size() - 1], from.size() - 1);
}

TEST(UastcRepeat, the_nearest_block_is_repeated) {
  Picture picture = noise_blocks({20, 21, 20, 21}, 40, 80);
  picture.at(8, 0)[0] ^= 3;
  picture.at(12, 0)[0] ^= 3;
  EXPECT_EQ(repeats(picture, 10), (std::vector<std::uint32_t>{0, 1, 0, 1}));
}

TEST(UastcRepeat, a_difference_must_be_worth_the_bits) {
  Picture picture = noise_blocks({30, 30}, 60, 100);
  for (std::uint32_t t = 0; t < 16; ++t)
    for (unsigned c = 0; c < 3; ++c) picture.at(4 + t % 4, t / 4)[c] += 4;
  ASSERT_EQ(squared_difference(picture, 0, 1), 16 * 3 * 4 * 4);
  // In a block with texture, lambda is the error that is worth one of about 100 bits.
  EXPECT_EQ(repeats(picture, 4), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(repeats(picture, 16), (std::vector<std::uint32_t>{0, 0}));
}

TEST(UastcRepeat, smooth_blocks_must_be_nearer) {
  for (const std::uint32_t range : {1u, 100u}) {
    Picture picture = noise_blocks({40, 40}, 60, range);
    picture.at(0, 0)[1] = picture.at(4, 0)[1] = 62;  // not of one color
    for (std::uint32_t t = 0; t < 16; ++t)
      for (unsigned c = 0; c < 3; ++c) picture.at(4 + t % 4, t / 4)[c] += 3;
    EXPECT_EQ(repeats(picture, 16)[1], range == 1 ? 1u : 0u);
  }
}

TEST(UastcRepeat, channels_count_by_their_weights) {
  Picture picture = noise_blocks({50, 50}, 60, 100);
  for (std::uint32_t t = 0; t < 16; ++t) picture.at(4 + t % 4, t / 4)[2] += 40;
  EXPECT_EQ(repeats(picture, 10)[1], 1u);
  EXPECT_EQ(repeats(picture, {.metric = Metric::kNormal, .rdo = 10})[1], 0u);
  EXPECT_EQ(repeats(picture, {.channel_weights = {1, 1, 0, 1}, .rdo = 10})[1], 0u);
}

TEST(UastcRepeat, blocks_of_one_color_repeat_only_equal_blocks) {
  Picture picture = make_picture(16, 4);
  for (std::uint32_t i = 0; i < 4; ++i)
    for (std::uint32_t t = 0; t < 16; ++t) std::memset(picture.at(i * 4 + t % 4, t / 4), i == 1 ? 101 : 100, 4);
  EXPECT_EQ(repeats(picture, 100), (std::vector<std::uint32_t>{0, 1, 0, 0}));
}

TEST(UastcRepeat, alpha_keeps_blocks_apart) {
  // Even if alpha does not count otherwise.
  for (const Metric metric : {Metric::kColor, Metric::kGray}) {
    Picture picture = noise_blocks({60, 60, 60}, 60, 100);
    picture.at(4, 0)[3] = picture.at(8, 0)[3] = 254;
    EXPECT_EQ(repeats(picture, {.metric = metric, .rdo = 100}), (std::vector<std::uint32_t>{0, 1, 1}));
  }
}

TEST(UastcRepeat, errors_are_at_most_the_value_of_a_block) {
  Picture picture = make_picture(256, 128);
  std::mt19937 random(70);
  for (std::uint32_t y = 0; y < 128; ++y)
    for (std::uint32_t x = 0; x < 256; ++x)
      for (unsigned c = 0; c < 4; ++c)
        picture.at(x, y)[c] =
            static_cast<std::uint8_t>(c == 3 ? 255 : 100 + y / 16 + x / 16 * c + (random() % 16 == 0));
  for (const float lambda : {1.0f, 10.0f, 100.0f}) {
    const auto from = repeats(picture, lambda);
    std::size_t repeated = 0;
    for (std::uint32_t i = 0; i < from.size(); ++i) {
      ASSERT_LE(from[i], i);
      ASSERT_EQ(from[from[i]], from[i]);
      ASSERT_LE(squared_difference(picture, i, from[i]), lambda * 128);
      repeated += from[i] != i;
    }
    EXPECT_GT(repeated, 0u) << lambda;
  }
}

TEST(UastcRepeat, a_repeated_block_has_the_bytes_of_the_first) {
  const Picture picture = mixed_picture(132, 100);
  const EncodeOptions options{.effort = Effort::kFast, .rdo = 20};
  const auto from = repeats(picture, options);
  std::vector<std::byte> blocks(from.size() * 16), plain(blocks.size());
  const TexelView view = tight_rows(std::as_bytes(std::span(picture.texels)), picture.width, picture.height, 4);
  ASSERT_TRUE(encode_uastc(view, options, blocks));
  ASSERT_TRUE(encode_uastc(view, {.effort = Effort::kFast}, plain));
  for (std::size_t i = 0; i < from.size(); ++i)
    ASSERT_EQ(std::memcmp(&blocks[i * 16], &plain[from[i] * 16], 16), 0) << i;
}

}  // namespace
}  // namespace assetc::codec
