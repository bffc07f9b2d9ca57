// The transcoders of batches must give the bytes of the functions that convert one logical block.
#include "codec/transcode/uastc_batch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "codec/block/astc_block.hpp"
#include "codec/random_uastc.hpp"
#include "codec/transcode/uastc_transcode.hpp"
#include "codec/transcoded.hpp"

namespace assetc::codec {
namespace {

constexpr std::array kTexelTargets = {BlockFormat::kRgba8,    BlockFormat::kBc1,    BlockFormat::kBc3,
                                      BlockFormat::kBc4,      BlockFormat::kBc5,    BlockFormat::kEtc1,
                                      BlockFormat::kEtc2Rgba, BlockFormat::kEacR11, BlockFormat::kEacRg11};

// Blocks of one mode: random ones, and ones whose weights or endpoints are nearly all equal, as in smooth pictures.
std::vector<UastcBlock> blocks_of_mode(unsigned mode, unsigned count) {
  std::mt19937 random(mode + 1);
  std::vector<UastcBlock> blocks;
  for (unsigned i = 0; i < count; ++i) {
    UastcBlock b = random_uastc(random, mode);
    if (i % 4 == 1) b.weights.fill(b.weights[0]);
    if (i % 4 == 2 && mode != kUastcSolidMode) b.endpoints.fill(b.endpoints[0]);
    if (i % 8 == 3) b.endpoints.fill(0);
    blocks.push_back(*unpack_uastc(pack_uastc(b)));
  }
  return blocks;
}

std::vector<std::uint8_t> packed(const std::vector<UastcBlock>& blocks) {
  std::vector<std::uint8_t> bytes;
  for (const UastcBlock& block : blocks) {
    const UastcBytes one = pack_uastc(block);
    bytes.insert(bytes.end(), one.begin(), one.end());
  }
  return bytes;
}

std::vector<BatchSimd> simd_to_test() {
  std::vector<BatchSimd> sets;
  for (const BatchSimd simd : {BatchSimd::kNone, BatchSimd::kAvx2, BatchSimd::kAvx512})
    if (simd <= best_batch_simd()) sets.push_back(simd);
  return sets;
}

// transcode_uastc, but with the given instruction set. Requires valid blocks.
std::vector<std::uint8_t> transcode_batches(std::span<const std::uint8_t> bytes, const UastcTarget& target,
                                            BatchSimd simd) {
  const std::size_t step = block_bytes(target.format);
  std::vector<std::uint8_t> out(bytes.size() / 16 * step);
  UastcBatch batch;
  BatchState state;
  for (std::size_t first = 0; 16 * first < bytes.size(); first += kBatchBlocks) {
    const auto count = static_cast<unsigned>(std::min<std::size_t>(kBatchBlocks, bytes.size() / 16 - first));
    sort_by_mode(&bytes[16 * first], count, batch);
    batch_to_texels(&bytes[16 * first], batch, target, simd, state, &out[step * first]);
    for_each_solid(batch,
                   [&](std::size_t n) { solid_to_target(&bytes[16 * (first + n)], target, &out[step * (first + n)]); });
  }
  finish_texels(target, simd, state);
  return out;
}

// Compares transcode_batches with the functions of the logical block.
void expect_same_bytes(const std::vector<UastcBlock>& blocks, std::span<const std::uint8_t> bytes,
                       const UastcTarget& target, BatchSimd simd) {
  const auto out = transcode_batches(bytes, target, simd);
  const std::size_t step = block_bytes(target.format);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    std::array<std::uint8_t, 64> expected;
    uastc_to_target(blocks[i], target, expected.data());
    ASSERT_EQ(std::memcmp(&out[step * i], expected.data(), step), 0)
        << to_string(target.format) << ", channels " << target.first_channel << " and " << target.second_channel
        << ", instruction set " << static_cast<int>(simd) << ", block " << i << " of " << blocks.size();
  }
}

class BatchOfMode : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Transcode, BatchOfMode, testing::Range(0u, kUastcModeCount));

TEST_P(BatchOfMode, bc7_and_astc_are_those_of_the_logical_block) {
  const auto blocks = blocks_of_mode(GetParam(), 2000);
  const auto bytes = packed(blocks);
  std::vector<std::byte> bc7(bytes.size()), astc(bytes.size());
  ASSERT_TRUE(transcode_uastc(std::as_bytes(std::span(bytes)), BlockFormat::kBc7, bc7).has_value());
  ASSERT_TRUE(transcode_uastc(std::as_bytes(std::span(bytes)), BlockFormat::kAstc4x4, astc).has_value());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    UastcBytes expected;
    uastc_to_bc7(blocks[i], expected.data());
    ASSERT_EQ(std::memcmp(&bc7[16 * i], expected.data(), 16), 0) << "BC7, block " << i;
    pack_astc(blocks[i], expected.data());
    ASSERT_EQ(std::memcmp(&astc[16 * i], expected.data(), 16), 0) << "ASTC, block " << i;
  }
}

TEST_P(BatchOfMode, texel_targets_are_those_of_the_logical_block) {
  const auto blocks = blocks_of_mode(GetParam(), 1000);
  const auto bytes = packed(blocks);
  for (const BatchSimd simd : simd_to_test())
    for (const BlockFormat format : kTexelTargets)
      for (unsigned channel = 0; channel < 4; ++channel)
        for (const unsigned second : {3 - channel, (channel + 1) % 3})
          expect_same_bytes(blocks, bytes, {format, channel, second}, simd);
}

// Hints decide how a block is transcoded to BC1, ETC1 and EAC. A multiplier of 0 is valid, although no encoder writes
// it.
TEST_P(BatchOfMode, all_hints_have_the_bytes_of_the_logical_block) {
  if (GetParam() == kUastcSolidMode) GTEST_SKIP() << "solid blocks have other hints";
  std::mt19937 random(GetParam() + 100);
  const UastcMode& mode = kUastcModes[GetParam()];
  std::vector<UastcBlock> blocks;
  const UastcBlock base = random_uastc(random, GetParam());
  const auto add = [&](const UastcHints& hints) {
    UastcBlock block = base;
    block.hints = hints;
    blocks.push_back(*unpack_uastc(pack_uastc(block)));
  };
  for (unsigned bits = 0; bits < 1u << 8; ++bits) {
    UastcHints hints;
    hints.etc1_flip = bits & 1;
    hints.etc1_diff = bits & 2;
    hints.etc1_table = {static_cast<std::uint8_t>(bits >> 2 & 7), static_cast<std::uint8_t>(bits >> 5)};
    if (mode.has_alpha()) {
      hints.etc2_table = bits & 15;
      hints.etc2_multiplier = static_cast<std::uint8_t>(bits >> 4);
    }
    for (unsigned bias = 0; bias < (mode.has_etc1_bias ? 32u : 1u); ++bias) {
      hints.etc1_bias = static_cast<std::uint8_t>(bias);
      hints.bc1_endpoints = bias % 3 == 1;
      hints.bc1_weights = mode.has_bc1_hint1 && bias % 3 == 2;
      add(hints);
    }
  }
  const auto bytes = packed(blocks);
  for (const BatchSimd simd : simd_to_test())
    for (const BlockFormat format :
         {BlockFormat::kBc1, BlockFormat::kEtc1, BlockFormat::kEtc2Rgba, BlockFormat::kEacR11})
      expect_same_bytes(blocks, bytes, {format, 3}, simd);
}

// Blocks wait until all lanes have one. The numbers are around those of lanes and of batches.
TEST(Batch, any_number_of_mixed_blocks_has_the_bytes_of_the_logical_block) {
  std::mt19937 random(5);
  std::vector<UastcBlock> all;
  all.reserve(3 * kBatchBlocks + 45);
  for (unsigned i = 0; i < 3 * kBatchBlocks + 45; ++i)
    all.push_back(*unpack_uastc(pack_uastc(random_uastc(random, below(random, kUastcModeCount)))));
  for (const std::size_t count : {1u, 7u, 8u, 9u, 15u, 16u, 17u, 31u, 32u, 33u, 65u, kBatchBlocks - 1, kBatchBlocks,
                                  kBatchBlocks + 1, 2 * kBatchBlocks, 3 * kBatchBlocks + 45}) {
    const std::vector<UastcBlock> blocks(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
    const auto bytes = packed(blocks);
    for (const BatchSimd simd : simd_to_test())
      for (const BlockFormat format : kTexelTargets)
        for (const unsigned second : {1u, 3u}) expect_same_bytes(blocks, bytes, {format, 0, second}, simd);
  }
}

// Bytes that no encoder wrote: reserved modes, partitions past their list, digits past their base.
TEST(Batch, random_bytes_have_the_bytes_of_the_logical_block) {
  std::mt19937 random(6);
  std::vector<std::uint8_t> bytes(16 * 5000);
  for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
  for (const BlockFormat format : kTexelTargets) {
    const std::size_t step = block_bytes(format);
    std::vector<std::uint8_t> out(5000 * step);
    const TranscodeOptions options{.invalid = InvalidBlocks::kMagenta, .second_channel = 3};
    ASSERT_TRUE(
        transcode_uastc(std::as_bytes(std::span(bytes)), format, std::as_writable_bytes(std::span(out)), options)
            .has_value());
    for (std::size_t i = 0; i < 5000; ++i) {
      UastcBlock block;
      if (!unpack_uastc_into(&bytes[16 * i], block)) continue;
      std::array<std::uint8_t, 64> expected;
      uastc_to_target(block, {format, 0, 3}, expected.data());
      ASSERT_EQ(std::memcmp(&out[step * i], expected.data(), step), 0) << to_string(format) << ", block " << i;
    }
  }
}

TEST(Batch, every_block_is_in_the_queue_of_its_mode) {
  std::mt19937 random(3);
  std::array<std::uint8_t, kBatchBlocks * 16> bytes;
  for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
  UastcBatch batch;
  sort_by_mode(bytes.data(), kBatchBlocks, batch);
  unsigned seen = 0;
  for (unsigned m = 0; m <= kInvalidQueue; ++m) {
    for (unsigned i = 0; i < batch.count[m]; ++i, ++seen) {
      UastcBlock block;
      const bool valid = unpack_uastc_into(&bytes[16 * batch.queue[m][i]], block);
      EXPECT_EQ(valid, m != kInvalidQueue);
      if (valid) {
        EXPECT_EQ(block.mode, m);
      }
    }
  }
  EXPECT_EQ(seen, kBatchBlocks);
}

// Errors stop at the first invalid block: the blocks before it are written, and nothing after it.
TEST(Batch, refused_blocks_leave_the_rest_of_the_output) {
  std::mt19937 random(4);
  constexpr unsigned count = 2 * kBatchBlocks + 44;
  std::vector<UastcBlock> blocks(count);
  for (UastcBlock& block : blocks) block = random_uastc(random, below(random, kUastcModeCount));
  auto bytes = packed(blocks);
  for (const unsigned invalid : {0u, 1u, kBatchBlocks - 1, kBatchBlocks, kBatchBlocks + 72, count - 1}) {
    auto damaged = bytes;
    damaged[16 * invalid] = 0x45;
    damaged[16 * (count - 1)] = 0x45;
    for (const BlockFormat format :
         {BlockFormat::kBc7, BlockFormat::kAstc4x4, BlockFormat::kBc1, BlockFormat::kBc3, BlockFormat::kBc5,
          BlockFormat::kEtc2Rgba, BlockFormat::kEacRg11, BlockFormat::kRgba8}) {
      const std::size_t step = block_bytes(format);
      std::vector<std::byte> whole(count * step), out(count * step, std::byte{0xa5});
      ASSERT_TRUE(transcode_uastc(std::as_bytes(std::span(bytes)), format, whole).has_value());
      const auto refused = transcode_uastc(std::as_bytes(std::span(damaged)), format, out);
      ASSERT_FALSE(refused.has_value());
      EXPECT_EQ(refused.error().place, "block " + std::to_string(invalid));
      EXPECT_EQ(std::memcmp(out.data(), whole.data(), invalid * step), 0);
      for (std::size_t i = invalid * step; i < out.size(); ++i) ASSERT_EQ(out[i], std::byte{0xa5}) << to_string(format);
    }
  }
}

}  // namespace
}  // namespace assetc::codec
