#include "codec/block/uastc_block.hpp"

#include <gtest/gtest.h>

#include <random>

#include "codec/block/bc7_tables.hpp"
#include "codec/random_uastc.hpp"

namespace assetc::codec {
namespace {

constexpr unsigned kRounds = 400;

TEST(UastcTables, modes_have_the_codes_of_the_specification) {
  unsigned reserved = 0;
  for (auto m : kUastcModeOfCode) reserved += m == kUastcModeCount;
  EXPECT_EQ(reserved, 1u);
  EXPECT_EQ(kUastcModeOfCode[0x45], kUastcModeCount);
  EXPECT_EQ(kUastcModeOfCode[0x17], kUastcSolidMode);
}

TEST(UastcTables, partitions_agree_with_bc7_texel_by_texel) {
  const auto check = [](std::span<const UastcPartition> partitions, unsigned bc7_subsets) {
    for (const UastcPartition& p : partitions)
      for (unsigned t = 0; t < kBlockTexels; ++t)
        EXPECT_EQ(p.subset_of_bc7[bc7_subset(bc7_subsets, p.bc7_partition, t)], p.subset[t]);
  };
  check(kUastcTwo, 2);
  check(kUastcThree, 3);
  check(kUastcTwoOfThree, 3);
}

TEST(UastcTables, first_shared_partition_is_the_vertical_split) {
  for (unsigned t = 0; t < kBlockTexels; ++t) EXPECT_EQ(kUastcTwo[0].subset[t], t % 4 >= 2);
}

TEST(Bise, nearest_endpoint_is_nearest_and_ranks_ascend) {
  for (unsigned r : {7u, 8u, 11u, 12u, 13u, 18u, 19u, 20u}) {
    const EndpointRange& e = endpoint_range(r);
    ASSERT_EQ(e.levels, kBiseRanges[r].levels);
    for (unsigned i = 0; i < e.levels; ++i) {
      EXPECT_EQ(e.rank[e.by_rank[i]], i);
      if (i > 0) {
        EXPECT_LT(e.unquantized[e.by_rank[i - 1]], e.unquantized[e.by_rank[i]]);
      }
    }
    EXPECT_EQ(e.unquantized[e.by_rank[0]], 0);
    EXPECT_EQ(e.unquantized[e.by_rank[e.levels - 1]], 255);
    for (int v = 0; v < 256; ++v) {
      int best = 256;
      for (unsigned i = 0; i < e.levels; ++i) best = std::min(best, std::abs(e.unquantized[i] - v));
      EXPECT_EQ(std::abs(e.unquantized[e.nearest[v]] - v), best);
    }
  }
}

TEST(Bise, sequences_round_trip_in_every_range) {
  std::mt19937 random(7);
  for (unsigned r = 0; r < kBiseRangeCount; ++r) {
    for (unsigned count = 1; bise_size_bits(r, count) <= 128 && count <= 64; ++count) {
      std::array<std::uint8_t, 64> values{}, back{};
      for (unsigned i = 0; i < count; ++i) values[i] = static_cast<std::uint8_t>(below(random, kBiseRanges[r].levels));
      BitWriter out;
      bise_encode(out, r, values.data(), count);
      ASSERT_EQ(out.position(), bise_size_bits(r, count));
      BitReader in(out.bits());
      bise_decode(in, r, back.data(), count);
      ASSERT_EQ(values, back) << "range " << r << " count " << count;
    }
  }
}

class EveryMode : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(UastcBlock, EveryMode, testing::Range(0u, kUastcModeCount));

TEST_P(EveryMode, packing_keeps_the_texels_and_the_hints) {
  std::mt19937 random(GetParam());
  for (unsigned i = 0; i < kRounds; ++i) {
    const UastcBlock block = random_uastc(random, GetParam());
    const auto back = unpack_uastc(pack_uastc(block));
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(decode_uastc(*back), decode_uastc(block));
    EXPECT_EQ(decode_uastc(*back, AstcDecode::kSrgb), decode_uastc(block, AstcDecode::kSrgb));
    EXPECT_EQ(back->hints, block.hints);
    EXPECT_EQ(back->solid_hints, block.solid_hints);
  }
}

TEST_P(EveryMode, unpacked_blocks_pack_to_the_same_bytes) {
  std::mt19937 random(100 + GetParam());
  for (unsigned i = 0; i < kRounds; ++i) {
    const UastcBytes bytes = pack_uastc(random_uastc(random, GetParam()));
    const auto block = unpack_uastc(bytes);
    ASSERT_TRUE(block.has_value());
    EXPECT_EQ(pack_uastc(*block), bytes);
    EXPECT_EQ(unpack_uastc(pack_uastc(*block)), block);
  }
}

TEST(UastcBlock, refuses_the_reserved_mode_code) {
  UastcBytes bytes{};
  bytes[0] = 0x45;
  EXPECT_FALSE(unpack_uastc(bytes).has_value());
}

TEST(UastcBlock, refuses_partition_numbers_past_the_list) {
  for (unsigned m = 0; m < kUastcModeCount; ++m) {
    const UastcMode& mode = kUastcModes[m];
    if (mode.partitions == PartitionList::kNone) continue;
    const auto count = uastc_partitions(mode.partitions).size();
    for (unsigned p = 0; p < 1u << mode.partition_bits(); ++p) {
      BitWriter out;
      out.add(mode.code, mode.code_bits);
      out.add(0, mode.hint_bits());
      out.add(p, mode.partition_bits());
      UastcBytes bytes;
      out.bits().store(bytes.data());
      EXPECT_EQ(unpack_uastc(bytes).has_value(), p < count) << "mode " << m << " partition " << p;
    }
  }
}

TEST(UastcBlock, any_bytes_decode_or_are_refused) {
  std::mt19937 random(3);
  for (unsigned i = 0; i < 20000; ++i) {
    UastcBytes bytes;
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
    if (const auto block = unpack_uastc(bytes)) {
      const auto texels = decode_uastc(*block);
      const bool opaque = block->mode != kUastcSolidMode && !kUastcModes[block->mode].has_alpha();
      for (Rgba8 t : texels) EXPECT_TRUE(!opaque || t.a == 255);
    }
  }
}

TEST(UastcBlock, a_known_solid_block_decodes) {
  UastcBlock b;
  b.solid_color = {1, 2, 3, 4};
  const UastcBytes bytes = pack_uastc(b);
  EXPECT_EQ(bytes[0], 0x37);  // code 0x17 in 5 bits, then the low bits of red
  for (Rgba8 t : decode_uastc(*unpack_uastc(bytes))) EXPECT_EQ(t, (Rgba8{1, 2, 3, 4}));
}

}  // namespace
}  // namespace assetc::codec
