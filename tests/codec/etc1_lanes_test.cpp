#include "codec/etc1_lanes.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "codec/etc_block.hpp"
#include "codec/random_uastc.hpp"
#include "codec/uastc_transcode.hpp"

namespace assetc::codec {
namespace {

std::uint32_t rgb_error(const BlockTexels& a, const BlockTexels& b) {
  std::uint32_t sum = 0;
  for (unsigned t = 0; t < kBlockTexels; ++t)
    for (unsigned c = 0; c < 3; ++c) sum += static_cast<std::uint32_t>((a[t][c] - b[t][c]) * (a[t][c] - b[t][c]));
  return sum;
}

struct Blocks {
  std::vector<UastcBlock> blocks;
  std::vector<BlockTexels> texels;
  std::vector<PlanarBlock> planes;
  std::vector<std::uint8_t> biased;
  std::vector<std::uint32_t> order;
};

Blocks random_blocks() {
  Blocks b;
  Random random(11);
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

// What the transcoder makes of a choice, against the block's own texels.
std::uint32_t error_through(UastcBlock block, const BlockTexels& texels, const Etc1Choice& choice) {
  block.hints.etc1_flip = choice.flip;
  block.hints.etc1_diff = choice.diff;
  block.hints.etc1_bias = choice.bias;
  block.hints.etc1_table = choice.table;
  std::uint8_t etc1[8];
  uastc_to_etc1(block, texels, etc1);
  return rgb_error(decode_etc2_rgb(etc1), texels);
}

class Etc1Lanes : public testing::TestWithParam<HintEffort> {};

TEST_P(Etc1Lanes, says_the_error_that_the_transcoder_makes) {
  Blocks b = random_blocks();
  std::vector<Etc1Choice> choices(b.texels.size());
  search_etc1_lanes(b.planes, b.planes, b.biased, b.order, GetParam(), choices);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    ASSERT_EQ(error_through(b.blocks[i], b.texels[i], choices[i]), choices[i].error)
        << "block " << i << " mode " << int{b.blocks[i].mode};
  }
}

TEST_P(Etc1Lanes, finds_what_the_search_of_one_block_finds) {
  const Blocks b = random_blocks();
  std::vector<Etc1Choice> choices(b.texels.size());
  search_etc1_lanes(b.planes, b.planes, b.biased, b.order, GetParam(), choices);
  double lanes = 0, single = 0;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    lanes += choices[i].error;
    single += error_through(b.blocks[i], b.texels[i], search_etc1(b.texels[i], b.texels[i], b.biased[i] != 0, GetParam()));
  }
  // The search of one block looks at more biases for its time.
  EXPECT_LE(lanes, single * 1.1);
}

INSTANTIATE_TEST_SUITE_P(EveryEffort, Etc1Lanes, testing::Values(HintEffort::kFast, HintEffort::kNormal, HintEffort::kBest));

}  // namespace
}  // namespace assetc::codec
