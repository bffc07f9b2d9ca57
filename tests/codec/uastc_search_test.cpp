#include "codec/encode/uastc/uastc_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "codec/block/bc7_block.hpp"
#include "codec/block/bise.hpp"
#include "codec/block/uastc_block.hpp"
#include "codec/transcode/uastc_transcode.hpp"

namespace assetc::codec {
namespace {

template <std::size_t N>
void expect_same_partition(const UastcPartition& partition, const std::array<std::uint16_t, N>& subsets) {
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    unsigned subset = 0;
    for (unsigned s = 0; s < N; ++s)
      if (subsets[s] >> t & 1) subset = s + 1;
    EXPECT_EQ(partition.subset[t], subset);
  }
}

TEST(UastcSearch, partitions_are_the_formats) {
  for (unsigned i = 0; i < kUastcTwoCount; ++i) expect_same_partition<1>(kUastcTwo[i], {kPartitions2[i]});
  for (unsigned i = 0; i < kUastcTwoOfThreeCount; ++i) expect_same_partition<1>(kUastcTwoOfThree[i], {kPartitions7[i]});
  for (unsigned i = 0; i < kUastcThreeCount; ++i) expect_same_partition<2>(kUastcThree[i], kPartitions3[i]);
}

std::vector<BlockTexels> random_texels(bool alpha, bool gray) {
  std::mt19937 random(5);
  std::vector<BlockTexels> blocks(200);
  for (BlockTexels& block : blocks) {
    const unsigned noise = 1u << random() % 9;
    const unsigned base = random() % 256;
    for (Rgba8& texel : block) {
      const auto draw = [&] {
        return static_cast<std::uint8_t>(std::min(255u, base + static_cast<unsigned>(random() % noise)));
      };
      texel = {draw(), draw(), draw(), alpha ? draw() : std::uint8_t{255}};
      if (gray) texel.g = texel.b = texel.r;
    }
  }
  return blocks;
}

class UastcSearchMode : public testing::TestWithParam<unsigned> {};

// The search decodes in vectors, with formulas instead of tables. This test compares them with the decoder.
TEST_P(UastcSearchMode, says_the_errors_that_the_decoders_make) {
  const unsigned number = GetParam();
  const UastcMode& mode = kUastcModes[number];
  const bool gray = mode.component_count() == 2;
  const std::vector<BlockTexels> texels = random_texels(mode.has_alpha(), gray);
  std::vector<PlanarBlock> planes(texels.size());
  std::vector<BlockKind> kinds(texels.size());
  split_blocks(texels, planes, kinds);
  std::vector<RefineJob> jobs;
  jobs.reserve(texels.size());
  const auto partitions = static_cast<unsigned>(uastc_partitions(mode.partitions).size());
  const unsigned planes_to_choose = mode.plane_count == 1 ? 1 : mode.component_count();
  for (std::uint32_t i = 0; i < texels.size(); ++i)
    jobs.push_back({i, static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(i % partitions),
                    static_cast<std::uint8_t>(number == 17 ? 1 : i % planes_to_choose)});
  std::vector<BlockChoice> choices(texels.size());
  std::vector<PlanarBlock> decoded_planes(texels.size());
  SearchSettings settings;
  settings.bc7_fraction = 1;
  refine_uastc(planes, jobs, settings, choices, decoded_planes);
  const auto squares = [&](const BlockTexels& decoded, std::size_t i, unsigned channels) {
    double error = 0;
    for (unsigned t = 0; t < kBlockTexels; ++t)
      for (unsigned c = 0; c < channels; ++c)
        error += std::pow(static_cast<double>(decoded[t][c]) - texels[i][t][c], 2);
    return error;
  };
  for (std::size_t i = 0; i < choices.size(); ++i) {
    UastcBlock block;
    block.mode = choices[i].mode;
    block.partition = choices[i].partition;
    block.component_selector = number == 17 ? std::uint8_t{3} : choices[i].second_plane;
    for (unsigned k = 0; k < mode.endpoint_value_count(); ++k)
      block.endpoints[k] = endpoint_range(mode.endpoint_range).by_rank[choices[i].endpoints[k]];
    block.weights = choices[i].weights;
    const BlockTexels decoded = decode_uastc(block);
    for (unsigned t = 0; t < kBlockTexels; ++t)
      for (unsigned c = 0; c < 4; ++c) ASSERT_EQ(decoded_planes[i].texels[c * 16 + t], decoded[t][c]) << "block " << i;
    ASSERT_EQ(squares(decoded, i, 4), static_cast<double>(choices[i].error)) << "block " << i;
    // BC7's shared p bit may leave an opaque alpha at 254, even in modes without alpha.
    std::uint8_t bc7[16];
    uastc_to_bc7(block, bc7);
    ASSERT_EQ(squares(decode_bc7(bc7), i, mode.has_alpha() ? 4 : 3), static_cast<double>(choices[i].bc7_error))
        << "block " << i;
  }
}

// Every mode except the solid one, which needs no search.
INSTANTIATE_TEST_SUITE_P(BelowSolid, UastcSearchMode, testing::Range(0u, kUastcSolidMode));
INSTANTIATE_TEST_SUITE_P(AboveSolid, UastcSearchMode, testing::Range(kUastcSolidMode + 1, kUastcModeCount));

}  // namespace
}  // namespace assetc::codec
