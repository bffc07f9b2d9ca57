#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstring>
#include <random>
#include <vector>

#include "assetc/base/hash.hpp"
#include "codec/block/bc6h_block.hpp"
#include "codec/encode/bc/encode_bc6h.hpp"
#include "codec/pictures.hpp"
#include "parallel/parallel.hpp"

namespace assetc::codec {
namespace {

using Bytes16 = std::array<std::uint8_t, 16>;

constexpr std::uint16_t kOne = 0x3C00;  // 1.0
constexpr std::uint16_t kLargest = 0x7BFF;

Bytes16 random_bytes(std::mt19937_64& random) {
  Bytes16 bytes;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::uint64_t word = random();
    std::memcpy(bytes.data() + i * 8, &word, 8);
  }
  return bytes;
}

HalfBlock filled(HalfTexel texel) {
  HalfBlock block;
  block.fill(texel);
  return block;
}

// Light along a slope; sun: the last column has another value.
HalfBlock slope(std::uint16_t step, bool sun) {
  HalfBlock block;
  for (std::uint16_t t = 0; t < kBlockTexels; ++t) {
    const auto v = static_cast<std::uint16_t>(0x3000 + step * (t % 4 + t / 4));
    block[t] = {v, static_cast<std::uint16_t>(v + 40), static_cast<std::uint16_t>(v / 2)};
    if (sun && t % 4 == 3) {
      const auto along = static_cast<std::uint16_t>(t / 4 * 400);
      block[t] = {static_cast<std::uint16_t>(0x4000 - along), static_cast<std::uint16_t>(0x3000 + along), 0x2000};
    }
  }
  return block;
}

std::vector<std::byte> rgba_of(const std::vector<HalfTexel>& texels) {
  std::vector<std::byte> out;
  for (const HalfTexel& t : texels) {
    const std::array<std::uint16_t, 4> rgba{t[0], t[1], t[2], kOne};
    const auto* p = reinterpret_cast<const std::byte*>(rgba.data());
    out.insert(out.end(), p, p + sizeof rgba);
  }
  return out;
}

std::vector<std::byte> encode(const std::vector<HalfTexel>& texels, std::uint32_t width, Effort effort) {
  const auto height = static_cast<std::uint32_t>(texels.size()) / width;
  std::vector<std::byte> blocks(std::size_t{(width + 3) / 4} * ((height + 3) / 4) * 16);
  EXPECT_TRUE(encode_bc6h(tight_rows(rgba_of(texels), width, height, 8), effort, blocks));
  return blocks;
}

Bc6hBlock encode(const HalfBlock& block, Effort effort) {
  const std::vector<std::byte> bytes = encode({block.begin(), block.end()}, 4, effort);
  Bc6hBlock found;
  EXPECT_TRUE(unpack_bc6h(reinterpret_cast<const std::uint8_t*>(bytes.data()), found));
  EXPECT_TRUE(bc6h_ends_fit(found));
  return found;
}

// The squared difference between the bits of the decoded block and of texels, over all channels.
std::uint64_t error_of(const Bc6hBlock& block, const HalfBlock& texels) {
  Bytes16 bytes;
  pack_bc6h(block, bytes.data());
  const HalfBlock decoded = decode_bc6h(bytes.data());
  std::uint64_t sum = 0;
  for (std::size_t t = 0; t < kBlockTexels; ++t) {
    for (std::size_t c = 0; c < 3; ++c) {
      const std::int64_t d = std::int64_t{decoded[t][c]} - texels[t][c];
      sum += static_cast<std::uint64_t>(d * d);
    }
  }
  return sum;
}

TEST(bc6h, every_bit_of_every_mode_comes_back) {
  std::mt19937_64 random(1);
  std::array<int, kBc6hModeCount> seen{};
  int reserved = 0;
  for (int i = 0; i < 200000; ++i) {
    const Bytes16 bytes = random_bytes(random);
    Bc6hBlock block;
    if (!unpack_bc6h(bytes.data(), block)) {
      ++reserved;
      EXPECT_EQ(bytes[0] & 0x13, 0x13);  // codes 10011, 10111, 11011 and 11111
      EXPECT_EQ(decode_bc6h(bytes.data()), filled({0, 0, 0}));
      continue;
    }
    if (!bc6h_ends_fit(block)) continue;  // skip a delta that wrapped around
    ++seen[block.mode];
    Bytes16 again;
    pack_bc6h(block, again.data());
    ASSERT_EQ(again, bytes) << "mode " << int{block.mode};
  }
  for (const int count : seen) EXPECT_GT(count, 500);
  EXPECT_GT(reserved, 500);
}

// Built by hand from the tables of the specification. Mode 11 (code 00011) stores red 1023 and 0 in ten bits each, from
// bit 5 and bit 35. Index 0 of texel 0 has the three bits from 65; the other indices have four.
TEST(bc6h, a_block_made_by_hand) {
  Bytes16 bytes{};
  const auto set = [&](unsigned at, unsigned bits, unsigned value) {
    for (unsigned i = 0; i < bits; ++i, ++at)
      bytes[at / 8] = static_cast<std::uint8_t>(bytes[at / 8] | (value >> i & 1) << at % 8);
  };
  set(0, 5, 0b00011);
  set(5, 10, 1023);    // rw
  set(15, 10, 512);    // gw
  set(65 + 3, 4, 15);  // texel 1: the other end
  set(65 + 7, 4, 8);   // texel 2: weight 34
  const HalfBlock texels = decode_bc6h(bytes.data());
  EXPECT_EQ(texels[0][0], kLargest);  // 0xFFFF * 31 / 64
  EXPECT_EQ(texels[0][1], ((512 << 16 | 0x8000) >> 10) * 31 / 64);
  EXPECT_EQ(texels[0][2], 0);
  EXPECT_EQ(texels[1], (HalfTexel{0, 0, 0}));
  EXPECT_EQ(texels[2][0], (0xFFFF * 30 + 32) / 64 * 31 / 64);
}

// Mode 2 (code 01): seven bits and deltas of six, partition 13 cuts the block in halves.
TEST(bc6h, deltas_are_signed_and_partitions_choose_the_line) {
  Bc6hBlock block;
  block.mode = 1;
  block.partition = 13;
  block.ends = {{{64, 64, 64}, {40, 95, 32}, {33, 64, 90}, {64, 64, 64}}};
  block.index.fill(0);
  block.index[1] = 7;
  ASSERT_TRUE(bc6h_ends_fit(block));
  Bytes16 bytes;
  pack_bc6h(block, bytes.data());
  const HalfBlock texels = decode_bc6h(bytes.data());
  const auto half = [](std::int32_t end) { return static_cast<std::uint16_t>(((end << 16) + 0x8000) / 128 * 31 / 64); };
  EXPECT_EQ(texels[0], (HalfTexel{half(64), half(64), half(64)}));
  EXPECT_EQ(texels[1], (HalfTexel{half(40), half(95), half(32)}));
  EXPECT_EQ(texels[8], (HalfTexel{half(33), half(64), half(90)}));
  block.ends[1][0] = 31;  // 33 below: past six bits
  EXPECT_FALSE(bc6h_ends_fit(block));
}

// Every value, one per block.
TEST(bc6h, one_color_is_exact) {
  constexpr std::size_t kAcross = 128, kCount = kLargest + 1;
  const auto color = [](std::size_t i) {
    return HalfTexel{static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(kLargest - i),
                     static_cast<std::uint16_t>(i * 7 % kCount)};
  };
  std::vector<HalfTexel> texels(kCount * 16);
  for (std::size_t at = 0; at < texels.size(); ++at)
    texels[at] = color(at / (kAcross * 16) * kAcross + at % (kAcross * 4) / 4);
  for (const Effort effort : {Effort::kFast, Effort::kNormal, Effort::kBest}) {
    const std::vector<std::byte> blocks = encode(texels, kAcross * 4, effort);
    for (std::size_t i = 0; i < kCount; ++i)
      ASSERT_EQ(decode_bc6h(reinterpret_cast<const std::uint8_t*>(blocks.data()) + i * 16), filled(color(i))) << i;
  }
}

// The bound is one step of the interpolation (a 15th of the block's range), half of it up and down, and an endpoint's
// rounding.
TEST(bc6h, a_slope_is_within_a_step_of_its_line) {
  for (const std::uint16_t step : {4, 20, 100}) {
    const HalfBlock block = slope(step, false);
    for (const Effort effort : {Effort::kFast, Effort::kNormal, Effort::kBest}) {
      const double mean = static_cast<double>(error_of(encode(block, effort), block)) / 48;
      const double bound = 6.0 * step / 15 / 2 + 8;  // half a step, and half of 16, the step of 11 bits
      EXPECT_LT(mean, bound * bound) << step;
    }
  }
}

TEST(bc6h, two_lines_serve_two_lights) {
  const HalfBlock block = slope(30, true);
  const Bc6hBlock found = encode(block, Effort::kNormal);
  EXPECT_EQ(kBc6hModes[found.mode].subset_count, 2);
  // The bound for modes of 7 bits and more: half of their step of 248, and half a step of the line, 1200 in 7 parts.
  EXPECT_LT(static_cast<double>(error_of(found, block)) / 48, 124.0 * 124.0 + 86.0 * 86.0);
}

TEST(bc6h, more_effort_is_no_worse) {
  std::mt19937 random(3);
  std::array<std::uint64_t, 3> sum{};
  for (int i = 0; i < 300; ++i) {
    HalfBlock block = slope(static_cast<std::uint16_t>(random() % 200), i % 3 == 0);
    for (HalfTexel& t : block) {
      for (std::uint16_t& v : t) v = static_cast<std::uint16_t>(v + random() % 60);
    }
    for (const Effort effort : {Effort::kFast, Effort::kNormal, Effort::kBest})
      sum[static_cast<std::size_t>(effort)] += error_of(encode(block, effort), block);
  }
  EXPECT_LT(sum[1], sum[0]);
  EXPECT_LT(sum[2], sum[1]);
}

TEST(bc6h, what_a_block_cannot_hold_is_clamped) {
  const std::uint16_t minus_two = 0xC000, nan = 0x7E00, minus_nan = 0xFE00, infinity = 0x7C00, minus_zero = 0x8000;
  std::vector<std::byte> blocks(16);
  const auto decoded = [&](std::uint16_t v) {
    const auto rgba = rgba_of(std::vector<HalfTexel>(16, {v, kOne, v}));
    EXPECT_TRUE(encode_bc6h({rgba, 4, 4, 32}, Effort::kFast, blocks));
    return decode_bc6h(reinterpret_cast<const std::uint8_t*>(blocks.data()))[5];
  };
  for (const std::uint16_t v : {minus_two, nan, minus_nan, minus_zero}) EXPECT_EQ(decoded(v), (HalfTexel{0, kOne, 0}));
  EXPECT_EQ(decoded(infinity), (HalfTexel{kLargest, kOne, kLargest}));
}

TEST(bc6h, edges_repeat_and_rows_may_lie_apart) {
  // 5 x 2 texels in rows of 7: the second block has only the fifth column.
  std::vector<HalfTexel> texels(14, {kLargest, 0, 0});
  for (std::size_t y = 0; y < 2; ++y) {
    for (std::size_t x = 0; x < 4; ++x) texels[y * 7 + x] = {kOne, kOne, kOne};
    texels[y * 7 + 4] = {0x4000, 0x4200, 0x4400};
  }
  std::vector<std::byte> blocks(32);
  ASSERT_TRUE(encode_bc6h({rgba_of(texels), 5, 2, 56}, Effort::kNormal, blocks));
  EXPECT_EQ(decode_bc6h(reinterpret_cast<const std::uint8_t*>(blocks.data())), filled({kOne, kOne, kOne}));
  EXPECT_EQ(decode_bc6h(reinterpret_cast<const std::uint8_t*>(blocks.data()) + 16), filled({0x4000, 0x4200, 0x4400}));
}

TEST(bc6h, arguments_that_do_not_fit_are_refused) {
  const std::vector<std::byte> texels(4 * 4 * 8);
  std::vector<std::byte> blocks(16);
  const auto refused = [&](std::uint32_t width, std::uint32_t height, std::size_t stride, std::size_t bytes) {
    blocks.resize(bytes);
    const auto done = encode_bc6h({texels, width, height, stride}, Effort::kFast, blocks);
    EXPECT_FALSE(done);
    return done ? "" : done.error().to_string();
  };
  EXPECT_EQ(refused(0, 4, 32, 16), "an image of 0 x 4 texels, expected 1 to 65536 each way");
  EXPECT_EQ(refused(4, 4, 31, 16),
            "128 bytes of texels with a stride of 31, too few for 4 x 4 texels of four half floats");
  EXPECT_EQ(refused(4, 5, 32, 32),
            "128 bytes of texels with a stride of 32, too few for 4 x 5 texels of four half floats");
  EXPECT_EQ(refused(4, 4, 32, 32), "room for 32 bytes of blocks, expected 16");
}

// Noisy light with some very bright texels (a sun); the lower half has the extreme values of half floats.
std::vector<HalfTexel> mixed_light(std::size_t width) {
  std::mt19937 random(4);
  std::vector<HalfTexel> texels(width * width);
  for (std::size_t i = 0; i < texels.size(); ++i) {
    const std::size_t x = i % width, y = i / width;
    const auto base = static_cast<std::uint16_t>(0x2800 + x % 64 * 30 + y % 64 * 50 + (i % 37 == 0 ? 0x2000 : 0));
    for (std::uint16_t& v : texels[i]) {
      v = static_cast<std::uint16_t>(base + random() % 100);
      if (y >= width / 2)
        v = static_cast<std::uint16_t>((x / 3 + y / 5) % 4 == 0 ? random() % 9 : random() % (kLargest + 1u));
    }
  }
  return texels;
}

TEST(bc6h, every_instruction_set_gives_the_same_bytes) {
  struct Restore {
    ~Restore() { hwy::SetSupportedTargetsForTest(0); }
  } restore;
  const std::vector<HalfTexel> texels = mixed_light(100);
  for (const Effort effort : kEfforts) {
    hwy::SetSupportedTargetsForTest(0);
    const auto expected = encode(texels, 100, effort);
    int tried = 0;
    for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1, ++tried) {
      hwy::SetSupportedTargetsForTest(rest & -rest);
      EXPECT_EQ(encode(texels, 100, effort), expected) << hwy::TargetName(rest & -rest);
    }
    EXPECT_GE(tried, 2);
  }
}

// 400 x 400 texels are five tiles.
TEST(bc6h, any_number_of_threads_gives_the_same_bytes) {
  const std::vector<HalfTexel> texels = mixed_light(400);
  const auto expected = encode(texels, 400, Effort::kFast);
  for (const std::size_t threads : {1, 2, 8}) {
    const ThreadLimit limit(threads);
    EXPECT_EQ(encode(texels, 400, Effort::kFast), expected) << threads;
  }
}

TEST(bc6h, a_block_does_not_depend_on_its_neighbors) {
  const std::vector<HalfTexel> texels = mixed_light(64);
  for (const Effort effort : kEfforts) {
    const auto whole = encode(texels, 64, effort);
    for (std::size_t i = 0; i < 256; i += 5) {
      std::vector<HalfTexel> one(16);
      for (std::size_t t = 0; t < 16; ++t) one[t] = texels[(i / 16 * 4 + t / 4) * 64 + i % 16 * 4 + t % 4];
      EXPECT_EQ(std::memcmp(encode(one, 4, effort).data(), &whole[i * 16], 16), 0) << i;
    }
  }
}

TEST(bc6h, same_bytes_on_any_machine) {
  std::vector<std::byte> all;
  for (const Effort effort : kEfforts) {
    const auto blocks = encode(mixed_light(64), 64, effort);
    all.insert(all.end(), blocks.begin(), blocks.end());
  }
  // The hash of a GCC 12 build at -O3; builds of other compilers and optimizations must agree.
  EXPECT_EQ(xxh3_64(all), 322994758987021553u);
}

}  // namespace
}  // namespace assetc::codec
