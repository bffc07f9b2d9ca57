#include "codec/encode/uastc/uastc_hints_eac.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "codec/block/etc_block.hpp"
#include "codec/random_uastc.hpp"

namespace assetc::codec {
namespace {

struct Alphas {
  std::vector<BlockTexels> source, decoded;
  std::vector<PlanarBlock> source_planes, decoded_planes;
  std::vector<std::uint32_t> order;
};

// Alphas of every spread from none to full; the decoded ones differ a little from the source.
Alphas random_alphas() {
  Alphas a;
  std::mt19937 random(31);
  for (std::uint32_t i = 0; i < 300; ++i) {
    BlockTexels source{}, decoded{};
    const unsigned low = random() % 256, spread = random() % (256 - low) + 1;
    for (unsigned t = 0; t < kBlockTexels; ++t) {
      source[t].a = static_cast<std::uint8_t>(low + random() % spread);
      decoded[t].a =
          static_cast<std::uint8_t>(std::clamp<int>(source[t].a + static_cast<int>(random() % 5) - 2, 0, 255));
    }
    a.source.push_back(source);
    a.decoded.push_back(i % 3 == 0 ? source : decoded);
    a.order.push_back(i);
  }
  a.source_planes.resize(a.order.size());
  a.decoded_planes.resize(a.order.size());
  std::vector<BlockKind> kinds(a.order.size());
  split_blocks(a.source, a.source_planes, kinds);
  split_blocks(a.decoded, a.decoded_planes, kinds);
  return a;
}

// The error of the transcoded alphas against the source.
unsigned error_through(const BlockTexels& source, const BlockTexels& decoded, EacChoice choice) {
  TexelIndices alpha;
  for (unsigned t = 0; t < kBlockTexels; ++t) alpha[t] = decoded[t].a;
  std::uint8_t eac[8];
  encode_eac_hinted(alpha, EacKind::kAlpha, choice.table, choice.multiplier, eac);
  BlockTexels back{};
  decode_eac_alpha(eac, back);
  unsigned error = 0;
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    const int miss = back[t].a - source[t].a;
    error += static_cast<unsigned>(miss * miss);
  }
  return error;
}

class EacHints : public testing::TestWithParam<HintEffort> {};

TEST_P(EacHints, finds_the_best_of_what_its_effort_tries) {
  const Alphas a = random_alphas();
  std::vector<EacChoice> choices(a.order.size());
  search_eac_hints(a.source_planes, a.decoded_planes, a.order, GetParam(), choices);
  const int reach = GetParam() == HintEffort::kBest ? 2 : 0;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const auto by_alpha = [](Rgba8 x, Rgba8 y) { return x.a < y.a; };
    const auto [low, high] = std::minmax_element(a.decoded[i].begin(), a.decoded[i].end(), by_alpha);
    unsigned least = UINT32_MAX;
    for (std::uint32_t table = 0; table < kEacModifiers.size(); ++table) {
      if (GetParam() == HintEffort::kFast && table != 2 && table != 8 && table != 11 && table != kEacFineTable)
        continue;
      const int span = kEacModifiers[table][7] - kEacModifiers[table][3], range = high->a - low->a;
      const int fitting = (2 * range + span) / (2 * span);
      for (int m = std::max(1, fitting - reach); m <= std::min(15, std::max(1, fitting + reach)); ++m)
        least = std::min(least, error_through(a.source[i], a.decoded[i],
                                              {static_cast<std::uint8_t>(table), static_cast<std::uint8_t>(m)}));
    }
    ASSERT_EQ(error_through(a.source[i], a.decoded[i], choices[i]), least) << "block " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryEffort, EacHints,
                         testing::Values(HintEffort::kFast, HintEffort::kNormal, HintEffort::kBest));

TEST(EacHintsOfOneValue, are_the_fine_table) {
  const std::array<BlockTexels, 1> texels{};
  std::array<PlanarBlock, 1> planes;
  std::array<BlockKind, 1> kinds;
  split_blocks(texels, planes, kinds);
  const std::array<std::uint32_t, 1> order = {0};
  std::array<EacChoice, 1> choices;
  search_eac_hints(planes, planes, order, HintEffort::kNormal, choices);
  EXPECT_EQ(choices[0].table, kEacFineTable);
  EXPECT_EQ(choices[0].multiplier, 1);
}

}  // namespace
}  // namespace assetc::codec
