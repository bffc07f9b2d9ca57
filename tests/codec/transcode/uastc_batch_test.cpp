// The transcoders of batches must give the bytes of the functions that convert one logical block.
#include "codec/transcode/uastc_batch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
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

// transcode_uastc, but with the given instruction set.
void transcode_batches(const std::vector<std::uint8_t>& bytes, const UastcTarget& target, bool use_avx2,
                       std::vector<std::uint8_t>& out) {
  const std::size_t step = block_bytes(target.format);
  UastcBatch batch;
  for (std::size_t first = 0; 16 * first < bytes.size(); first += kBatchBlocks) {
    const auto count = static_cast<unsigned>(std::min<std::size_t>(kBatchBlocks, bytes.size() / 16 - first));
    sort_by_mode(&bytes[16 * first], count, batch);
    batch_to_texels(&bytes[16 * first], batch, target, use_avx2, &out[step * first]);
    for (unsigned i = 0; i < batch.count[kUastcSolidMode]; ++i) {
      const std::size_t n = first + batch.queue[kUastcSolidMode][i];
      const auto alone = std::as_bytes(std::span(bytes)).subspan(16 * n, 16);
      const TranscodeOptions options{.first_channel = static_cast<std::uint8_t>(target.first_channel),
                                     .second_channel = static_cast<std::uint8_t>(target.second_channel)};
      const auto to = std::as_writable_bytes(std::span(out)).subspan(step * n, step);
      ASSERT_TRUE(transcode_uastc(alone, target.format, to, options).has_value());
    }
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
  for (const bool use_avx2 : {false, true}) {
    if (use_avx2 && !has_avx2()) continue;
    for (const BlockFormat format : kTexelTargets) {
      for (unsigned channel = 0; channel < 4; ++channel) {
        const std::size_t step = block_bytes(format);
        std::vector<std::uint8_t> out(blocks.size() * step);
        transcode_batches(bytes, {format, channel, 3 - channel}, use_avx2, out);
        for (std::size_t i = 0; i < blocks.size(); ++i) {
          std::array<std::uint8_t, 64> expected;
          uastc_to_target(blocks[i], {format, channel, 3 - channel}, expected.data());
          ASSERT_EQ(std::memcmp(&out[step * i], expected.data(), step), 0)
              << to_string(format) << ", channel " << channel << ", AVX2 " << use_avx2 << ", block " << i;
        }
      }
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
  std::vector<UastcBlock> blocks(300);
  for (UastcBlock& block : blocks) block = random_uastc(random, below(random, kUastcModeCount));
  auto bytes = packed(blocks);
  for (const unsigned invalid : {0u, 1u, 127u, 128u, 200u, 299u}) {
    auto damaged = bytes;
    damaged[16 * invalid] = 0x45;
    damaged[16 * 299] = 0x45;
    for (const BlockFormat format :
         {BlockFormat::kBc7, BlockFormat::kAstc4x4, BlockFormat::kBc1, BlockFormat::kRgba8}) {
      const std::size_t step = block_bytes(format);
      std::vector<std::byte> whole(300 * step), out(300 * step, std::byte{0xa5});
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
