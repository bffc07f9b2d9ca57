#include "codec/encode/uastc/uastc_hints_etc1.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "codec/block/etc_block.hpp"
#include "codec/random_uastc.hpp"
#include "codec/transcode/uastc_transcode.hpp"

namespace assetc::codec {
namespace {

struct Blocks {
  std::vector<UastcBlock> blocks;
  std::vector<BlockTexels> texels;
  std::vector<PlanarBlock> planes;
  std::vector<std::uint8_t> biased;
  std::vector<std::uint32_t> order;
};

Blocks random_blocks() {
  Blocks b;
  std::mt19937 random(11);
  for (unsigned i = 0; i < 500; ++i) {
    UastcBlock block = random_uastc(random, i % kUastcModeCount);
    if (block.mode == kUastcSolidMode) continue;
    b.blocks.push_back(block);
    b.texels.push_back(decode_uastc(block));
    b.order.push_back(static_cast<std::uint32_t>(b.order.size()));
    b.biased.push_back(kUastcModes[block.mode].has_etc1_bias);
  }
  b.planes.resize(b.texels.size());
  std::vector<BlockKind> kinds(b.texels.size());
  split_blocks(b.texels, b.planes, kinds);
  return b;
}

// The error of both halves after transcoding with a choice, against the block's own texels.
std::array<std::uint32_t, 2> halves_through(UastcBlock block, const BlockTexels& texels, const Etc1Choice& choice) {
  block.hints.etc1_flip = choice.flip;
  block.hints.etc1_diff = choice.diff;
  block.hints.etc1_bias = choice.bias;
  block.hints.etc1_table = choice.table;
  std::uint8_t etc1[8];
  uastc_to_etc1(block, texels, etc1);
  const BlockTexels back = decode_etc2_rgb(etc1);
  std::array<std::uint32_t, 2> sum{};
  for (unsigned t = 0; t < kBlockTexels; ++t)
    for (unsigned c = 0; c < 3; ++c) {
      const int miss = back[t][c] - texels[t][c];
      sum[etc_half(choice.flip, t)] += static_cast<std::uint32_t>(miss * miss);
    }
  return sum;
}

class Etc1Hints : public testing::TestWithParam<HintEffort> {};

TEST_P(Etc1Hints, says_the_error_that_the_transcoder_makes) {
  Blocks b = random_blocks();
  std::vector<Etc1Choice> choices(b.texels.size());
  search_etc1_hints(b.planes, b.planes, b.biased, b.order, GetParam(), choices);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const auto errors = halves_through(b.blocks[i], b.texels[i], choices[i]);
    ASSERT_EQ(errors[0] + errors[1], choices[i].error) << "block " << i << " mode " << int{b.blocks[i].mode};
  }
}

// The least error over all hints.
std::uint32_t least_error(const UastcBlock& block, const BlockTexels& texels) {
  std::uint32_t least = UINT32_MAX;
  for (const bool flip : {false, true})
    for (const bool diff : {false, true})
      for (unsigned bias = 0; bias < (kUastcModes[block.mode].has_etc1_bias ? 32u : 1u); ++bias) {
        // The tables of the two halves are independent.
        std::array<std::uint32_t, 2> half = {UINT32_MAX, UINT32_MAX};
        for (std::uint8_t table = 0; table < 8; ++table) {
          const std::array<std::uint32_t, 2> errors =
              halves_through(block, texels, {flip, diff, static_cast<std::uint8_t>(bias), {table, table}, 0});
          for (unsigned h = 0; h < 2; ++h) half[h] = std::min(half[h], errors[h]);
        }
        least = std::min(least, half[0] + half[1]);
      }
  return least;
}

TEST_P(Etc1Hints, come_near_the_best_hints_there_are) {
  const Blocks b = random_blocks();
  std::vector<Etc1Choice> choices(b.texels.size());
  search_etc1_hints(b.planes, b.planes, b.biased, b.order, GetParam(), choices);
  double found = 0, least = 0;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    found += choices[i].error;
    least += least_error(b.blocks[i], b.texels[i]);
  }
  EXPECT_LE(found, least * 1.1);
}

// Two colors (black, white or any), divided by a straight edge, or by a single row, column or texel.
BlockTexels synthetic_block(std::mt19937& random) {
  std::array<Rgba8, 2> colors;
  for (Rgba8& c : colors) {
    const auto channel = [&] { return static_cast<std::uint8_t>(random()); };
    c = {channel(), channel(), channel(), 255};
    if (random() % 2 != 0) c = Rgba8{0, 0, 0, 255};
    if (random() % 2 != 0) c = Rgba8{255, 255, 255, 255};
  }
  const unsigned shape = random() % 5, at = random() % kBlockTexels;
  BlockTexels texels;
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    const unsigned x = t % 4, y = t / 4;
    const bool second[5] = {x <= at % 4, y <= at / 4, x == at % 4, y == at / 4, t == at};
    texels[t] = colors[second[shape]];
  }
  return texels;
}

// If steps are clamped, as in black-and-white drawings, the search for hints must take the clamping into account.
TEST_P(Etc1Hints, come_near_the_best_hints_of_synthetic_blocks) {
  Blocks b = random_blocks();
  std::mt19937 random(13);
  for (BlockTexels& texels : b.texels) texels = synthetic_block(random);
  std::vector<BlockKind> kinds(b.texels.size());
  split_blocks(b.texels, b.planes, kinds);
  std::vector<Etc1Choice> choices(b.texels.size());
  search_etc1_hints(b.planes, b.planes, b.biased, b.order, GetParam(), choices);
  double found = 0, least = 0;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const auto errors = halves_through(b.blocks[i], b.texels[i], choices[i]);
    ASSERT_EQ(errors[0] + errors[1], choices[i].error) << "block " << i << " mode " << int{b.blocks[i].mode};
    found += choices[i].error;
    least += least_error(b.blocks[i], b.texels[i]);
  }
  EXPECT_LE(found, least * (GetParam() == HintEffort::kFast ? 1.06 : 1.02)) << found / least;
}

INSTANTIATE_TEST_SUITE_P(EveryEffort, Etc1Hints,
                         testing::Values(HintEffort::kFast, HintEffort::kNormal, HintEffort::kBest));

}  // namespace
}  // namespace assetc::codec
