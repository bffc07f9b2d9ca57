#include "codec/encode/bc/bc7_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

namespace assetc::codec {
namespace {

std::vector<BlockTexels> random_texels(bool opaque) {
  std::mt19937 random(5);
  std::vector<BlockTexels> blocks(100);
  for (BlockTexels& block : blocks) {
    const unsigned noise = 1u << random() % 9;
    const unsigned base = random() % 256;
    for (Rgba8& texel : block) {
      const auto draw = [&] {
        return static_cast<std::uint8_t>(std::min(255u, base + static_cast<unsigned>(random() % noise)));
      };
      texel = {draw(), draw(), draw(), opaque ? std::uint8_t{255} : draw()};
    }
  }
  return blocks;
}

struct Tile {
  std::vector<BlockTexels> texels;
  std::vector<PlanarBlock> planes;
  std::vector<std::uint32_t> order;

  explicit Tile(bool opaque, bool gray = false)
      : texels(random_texels(opaque)), planes(texels.size()), order(texels.size()) {
    if (gray)
      for (BlockTexels& block : texels)
        for (Rgba8& texel : block) texel.g = texel.b = texel.r;
    std::vector<BlockKind> kinds(texels.size());
    split_blocks(texels, planes, kinds);
    std::iota(order.begin(), order.end(), 0u);
  }
};

double error_of(const Bc7Choice& choice, const BlockTexels& texels) {
  std::array<std::uint8_t, 16> bytes;
  pack_bc7(choice.block, bytes.data());
  const BlockTexels decoded = decode_bc7(bytes.data());
  double error = 0;
  for (unsigned t = 0; t < kBlockTexels; ++t)
    for (unsigned c = 0; c < 4; ++c) error += std::pow(static_cast<double>(decoded[t][c]) - texels[t][c], 2);
  return error;
}

enum class Texels { kOpaque, kGray, kAlpha };
class Bc7SearchMode : public testing::TestWithParam<std::tuple<unsigned, Texels>> {};
INSTANTIATE_TEST_SUITE_P(Opaque, Bc7SearchMode,
                         testing::Combine(testing::Range(0u, 7u), testing::Values(Texels::kOpaque)));
INSTANTIATE_TEST_SUITE_P(Gray, Bc7SearchMode,
                         testing::Combine(testing::Values(0u, 1u, 2u, 3u, 6u), testing::Values(Texels::kGray)));
INSTANTIATE_TEST_SUITE_P(Alpha, Bc7SearchMode,
                         testing::Combine(testing::Range(4u, 8u), testing::Values(Texels::kAlpha)));

// The search decodes in vectors, with formulas instead of tables. This test compares every shape with packing and the
// decoder.
TEST_P(Bc7SearchMode, says_the_error_that_the_decoder_makes) {
  const auto [number, kind] = GetParam();
  const Bc7Mode& mode = kBc7Modes[number];
  const bool opaque = kind != Texels::kAlpha;
  const Tile tile(opaque, kind == Texels::kGray);
  Bc7FitSettings settings;
  settings.opaque = opaque;
  settings.gray = kind == Texels::kGray;
  settings.reach = settings.subset_reach = {2, 3};
  for (unsigned partition = 0; partition < 1u << mode.partition_bits; ++partition)
    for (unsigned rotation = opaque && mode.rotation_bits ? 1 : 0; rotation < 1u << mode.rotation_bits; ++rotation)
      for (unsigned select = 0; select < 1u << mode.index_select_bits; ++select) {
        const Bc7Shape shape{static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(partition),
                             static_cast<std::uint8_t>(rotation), static_cast<std::uint8_t>(select)};
        std::vector<Bc7Choice> best(tile.texels.size());
        fit_bc7(tile.planes, tile.order, shape, settings, best);
        for (std::size_t i = 0; i < best.size(); ++i)
          ASSERT_EQ(error_of(best[i], tile.texels[i]), static_cast<double>(best[i].error))
              << "block " << i << " partition " << partition << " rotation " << rotation << " select " << select;
      }
}

TEST(Bc7Search, a_worse_fit_changes_nothing) {
  const Tile tile(true);
  std::vector<Bc7Choice> best(tile.texels.size());
  fit_bc7(tile.planes, tile.order, {.mode = 6}, {}, best);
  const std::vector<Bc7Choice> before = best;
  fit_bc7(tile.planes, tile.order, {.mode = 2, .partition = 9}, {}, best);
  std::size_t kept = 0, replaced = 0;
  for (std::size_t i = 0; i < best.size(); ++i) {
    EXPECT_LE(best[i].error, before[i].error);
    if (best[i].error == before[i].error) {
      EXPECT_EQ(best[i].block.mode, 6);
      ++kept;
    } else {
      EXPECT_EQ(best[i].block.mode, 2);
      ++replaced;
    }
  }
  EXPECT_GT(kept, 0u);
  EXPECT_GT(replaced, 0u);
}

// For a block of two colors that are divided as in a partition, the estimate ranks that partition first.
TEST(Bc7Search, the_partition_that_a_block_follows_ranks_first) {
  for (const unsigned subset_count : {2u, 3u}) {
    std::vector<BlockTexels> texels(kBc7PartitionCount);
    for (unsigned p = 0; p < kBc7PartitionCount; ++p)
      for (unsigned t = 0; t < kBlockTexels; ++t) {
        constexpr Rgba8 kColors[] = {{250, 20, 30, 255}, {10, 200, 40, 255}, {90, 30, 220, 255}};
        texels[p][t] = kColors[bc7_subset(subset_count, p, t)];
      }
    std::vector<PlanarBlock> planes(texels.size());
    std::vector<BlockKind> kinds(texels.size());
    split_blocks(texels, planes, kinds);
    std::vector<std::uint32_t> order(texels.size());
    std::iota(order.begin(), order.end(), 0u);
    std::vector<PartitionCandidate> candidates(2 * texels.size());
    if (subset_count == 2)
      rank_bc7_two_subsets(planes, order, {}, 0.25f, 2, candidates);
    else
      rank_bc7_three_subsets(planes, order, {}, 0.25f, kBc7PartitionCount, 2, candidates);
    for (unsigned p = 0; p < kBc7PartitionCount; ++p) {
      EXPECT_EQ(candidates[2 * p].partition, p) << subset_count;
      EXPECT_LE(candidates[2 * p].off, 1);  // one color in each subset
      EXPECT_LE(candidates[2 * p].along, 1);
      EXPECT_GE(candidates[2 * p + 1].along, 1000);
    }
  }
}

// Blocks of gray that a partition encodes exactly, with one or two values in each subset, because the estimate uses
// texels or their extremes.
TEST(Bc7Search, the_partition_that_a_gray_block_follows_ranks_first) {
  for (const unsigned subset_count : {2u, 3u})
    for (const bool even : {false, true}) {
      std::vector<BlockTexels> texels(kBc7PartitionCount + 1);
      for (unsigned p = 0; p < kBc7PartitionCount; ++p)
        for (unsigned t = 0; t < kBlockTexels; ++t) {
          constexpr std::uint8_t kGrays[] = {10, 250, 90};
          const unsigned s = bc7_subset(subset_count, p, t);
          const auto v = static_cast<std::uint8_t>(kGrays[s] + (s == 0 && !even && t % 3 == 0 ? 130 : 0));
          texels[p][t] = {v, v, v, 255};
        }
      for (unsigned t = 0; t < kBlockTexels; ++t) {  // no partition fits this block
        const auto v = static_cast<std::uint8_t>(t * t);
        texels.back()[t] = {v, v, v, 255};
      }
      std::vector<PlanarBlock> planes(texels.size());
      std::vector<BlockKind> kinds(texels.size());
      split_blocks(texels, planes, kinds);
      std::vector<std::uint32_t> order(texels.size());
      std::iota(order.begin(), order.end(), 0u);
      std::vector<PartitionCandidate> candidates(texels.size());
      rank_bc7_gray(planes, order, {}, {subset_count, kBc7PartitionCount, 2, even}, 1, candidates);
      for (unsigned p = 0; p < kBc7PartitionCount; ++p) {
        EXPECT_LT(candidates[p].off, 0.001f) << subset_count << " " << p;
        if (even) {
          EXPECT_EQ(candidates[p].partition, p) << subset_count;
        }
      }
      EXPECT_GT(candidates.back().off, 100);
    }
}

// Tests the search for endpoints: values in a row, of which a line through their means misses some.
TEST(Bc7Search, wider_reach_makes_slopes_of_gray_exact) {
  std::vector<BlockTexels> texels(200);
  for (unsigned i = 0; i < texels.size(); ++i)
    for (unsigned t = 0; t < kBlockTexels; ++t) {
      const auto v = static_cast<std::uint8_t>(20 + i + (t % 4 * 3 + t / 4 * 4) * (i % 5 + 1) / 8);
      texels[i][t] = {v, v, v, 255};
    }
  std::vector<PlanarBlock> planes(texels.size());
  std::vector<BlockKind> kinds(texels.size());
  split_blocks(texels, planes, kinds);
  std::vector<std::uint32_t> order(texels.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto inexact = [&](EndReach reach) {
    Bc7FitSettings settings;
    settings.gray = true;
    settings.reach = reach;
    std::vector<Bc7Choice> best(texels.size());
    fit_bc7(planes, order, {.mode = 6}, settings, best);
    return std::count_if(best.begin(), best.end(), [](const Bc7Choice& b) { return b.error > 0; });
  };
  EXPECT_GT(inexact({0, 0}), 0);
  EXPECT_LE(inexact({3, 6}), inexact({0, 0}) / 2);
}

// A channel that varies independently gets its own indices.
TEST(Bc7Search, the_rotation_that_a_block_wants_ranks_first) {
  std::mt19937 random(3);
  std::vector<BlockTexels> texels(4);
  for (unsigned own = 0; own < 4; ++own)
    for (unsigned t = 0; t < kBlockTexels; ++t)
      for (unsigned c = 0; c < 4; ++c)
        texels[own][t].set(c, static_cast<std::uint8_t>(c == own ? random() % 256 : 40 + 9 * t));
  std::vector<PlanarBlock> planes(4);
  std::vector<BlockKind> kinds(4);
  split_blocks(texels, planes, kinds);
  const std::vector<std::uint32_t> order = {0, 1, 2, 3};
  std::vector<PartitionCandidate> candidates(16);
  Bc7FitSettings settings;
  settings.opaque = false;
  rank_bc7_rotations(planes, order, settings, 1.0f / 16, 4, candidates);
  for (unsigned own = 0; own < 4; ++own) {
    EXPECT_EQ(candidates[4 * own].partition, own == 3 ? 0 : own + 1);
    EXPECT_LE(candidates[4 * own].off, 10);
    EXPECT_GE(candidates[4 * own + 1].off, 100);
  }
}

// Two random colors, mixed at random. The error is the decoder's, and a value is off by 1 at most.
TEST(Bc7Search, pairs_of_colors_are_exact_but_for_rounding) {
  std::mt19937 random(7);
  for (const bool opaque : {true, false}) {
    Tile tile(opaque);
    for (BlockTexels& block : tile.texels) {
      const auto color = [&] {
        const auto v = static_cast<std::uint32_t>(random());
        return Rgba8{static_cast<std::uint8_t>(v), static_cast<std::uint8_t>(v >> 8),
                     static_cast<std::uint8_t>(v >> 16),
                     opaque ? std::uint8_t{255} : static_cast<std::uint8_t>(v >> 24)};
      };
      const std::array<Rgba8, 2> colors = {color(), color()};
      for (Rgba8& texel : block) texel = colors[random() % 2];
    }
    std::vector<BlockKind> kinds(tile.texels.size());
    split_blocks(tile.texels, tile.planes, kinds);
    Bc7FitSettings settings;
    settings.opaque = opaque;
    std::vector<Bc7Choice> best(tile.texels.size());
    fit_bc7_two_colors(tile.planes, tile.order, settings, best);
    double sum = 0;
    for (std::size_t i = 0; i < best.size(); ++i) {
      const double error = error_of(best[i], tile.texels[i]);
      ASSERT_EQ(error, static_cast<double>(best[i].error)) << i;
      EXPECT_LE(error, 16 * (opaque ? 2 : 3)) << i;
      sum += error;
    }
    EXPECT_LE(sum / static_cast<double>(best.size()), opaque ? 6 : 12);
  }
}

}  // namespace
}  // namespace assetc::codec
