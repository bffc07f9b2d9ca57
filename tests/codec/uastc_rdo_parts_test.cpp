// The parts of the rate-distortion pass: its model of Zstd, its fits and its scans.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "codec/block/uastc_block.hpp"
#include "codec/encode/rdo/rdo_scan.hpp"
#include "codec/encode/rdo/zstd_cost.hpp"
#include "codec/encode/uastc/uastc_rdo_fit.hpp"
#include "codec/random_uastc.hpp"

namespace assetc::codec {
namespace {

// In the form that a reader returns: every anchor's weight is in the lower half.
UastcBlock any_block(std::mt19937& random) {
  return *unpack_uastc(pack_uastc(random_uastc(random, below(random, kUastcModeCount))));
}

// A segment of `count` blocks of noise whose block `copy` repeats block `of`.
std::vector<std::byte> noise_with_copy(std::size_t count, std::size_t of, std::size_t copy) {
  std::mt19937 random(1);
  std::vector<std::byte> bytes(count * 16);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  std::memcpy(&bytes[copy * 16], &bytes[of * 16], 16);
  return bytes;
}

UastcBytes block_of(std::span<const std::byte> bytes, std::size_t at) {
  UastcBytes block;
  std::memcpy(block.data(), &bytes[at * 16], 16);
  return block;
}

TEST(ZstdCost, a_match_costs_less_than_literals_and_its_continuation_nothing) {
  auto bytes = noise_with_copy(8, 1, 4);
  std::memcpy(&bytes[5 * 16], &bytes[2 * 16], 16);
  ZstdCost cost(bytes, 16);
  const auto parse = [&](std::size_t at, MatchDistance distance) {
    return cost.parse(at, block_of(bytes, at), std::array{distance});
  };
  for (std::size_t at = 0; at < 4; ++at) {
    const auto plain = parse(at, at == 0 ? 0 : 1);
    EXPECT_EQ(plain.literals, 0xffff) << at;
    EXPECT_GT(plain.bits, 100);
    cost.accept(block_of(bytes, at), plain);
  }
  EXPECT_EQ(parse(4, 2).literals, 0xffff) << "no match at that distance";
  const auto copy = parse(4, 3);
  EXPECT_EQ(copy.literals, 0);
  EXPECT_LT(copy.bits, 30);
  EXPECT_EQ(copy.open, 3u);
  EXPECT_EQ(copy.recent[0], 3u);
  cost.accept(block_of(bytes, 4), copy);
  EXPECT_EQ(parse(5, 0).bits, 0);
  EXPECT_EQ(cost.match_bits(3, true), 0);
  EXPECT_LT(cost.match_bits(3, false), cost.match_bits(2, false)) << "a distance that Zstd remembers";
}

TEST(ZstdCost, short_runs_are_literals) {
  for (unsigned length = 1; length < 16; ++length) {
    auto bytes = noise_with_copy(2, 0, 1);
    for (unsigned i = length; i < 16; ++i) bytes[16 + i] ^= std::byte{0x55};
    const ZstdCost cost(bytes, 16);
    const auto parse = cost.parse(1, block_of(bytes, 1), std::array{MatchDistance{1}});
    EXPECT_EQ(parse.literals, length < kShortestMatch ? 0xffff : 0xffff & (0xffff << length)) << length;
    EXPECT_EQ(parse.open, 0u);
  }
}

TEST(RdoFit, weights_that_are_refitted_leave_the_head_alone) {
  std::mt19937 random(3);
  for (int i = 0; i < 4000; ++i) {
    const UastcBytes bytes = pack_uastc(any_block(random));
    UastcBlock block = *unpack_uastc(bytes);
    if (block.mode == kUastcSolidMode) continue;
    refit_weights(block, RdoTexels(decode_uastc(any_block(random)), {1, 1, 1, 1}));
    const UastcBytes again = pack_uastc(block);
    const unsigned bits = uastc_weights_bit(block.mode);
    ASSERT_EQ(std::memcmp(again.data(), bytes.data(), bits / 8), 0) << unsigned{block.mode};
    ASSERT_EQ((again[bits / 8] ^ bytes[bits / 8]) & ((1 << bits % 8) - 1), 0) << unsigned{block.mode};
  }
}

TEST(RdoFit, endpoints_that_are_refitted_leave_the_tail_alone_and_find_their_own_texels) {
  std::mt19937 random(4);
  for (int i = 0; i < 4000; ++i) {
    const UastcBytes bytes = pack_uastc(any_block(random));
    UastcBlock block = *unpack_uastc(bytes);
    if (block.mode == kUastcSolidMode) continue;
    const RdoTexels source(decode_uastc(block), {1, 1, 1, 1});
    refit_endpoints(block, source);
    const UastcBytes again = pack_uastc(block);
    const unsigned first = (uastc_weights_bit(block.mode) + 7) / 8;
    ASSERT_EQ(std::memcmp(&again[first], &bytes[first], 16 - first), 0) << unsigned{block.mode};
    // One level off in places where the weights determine an endpoint poorly.
    if (kUastcModes[block.mode].component_count() != 2) {
      ASSERT_LE(measure_rdo_error(source, decode_uastc(block)), 64 * 4) << unsigned{block.mode};
    }
  }
}

TEST(RdoScan, whole_blocks_have_their_exact_error) {
  std::mt19937 random(5);
  const auto rows = std::make_unique<WholeRows>();
  std::vector<BlockTexels> entries;
  for (unsigned k = 0; k < 100; ++k) {
    entries.push_back(decode_uastc(any_block(random)));
    rows->set(k, entries.back());
  }
  BlockTexels texels = decode_uastc(any_block(random));
  texels[3].a = 7;  // not opaque: all channels count
  const RdoTexels source(texels, {1, 0.5f, 2, 1});
  RdoRow errors;
  scan_wholes(*rows, 100, source, errors);
  for (unsigned k = 0; k < 100; ++k) EXPECT_EQ(errors.of[k], measure_rdo_error(source, entries[k]));
}

TEST(RdoScan, heads_and_tails_are_judged_about_as_they_fit) {
  std::mt19937 random(6);
  const auto heads = std::make_unique<HeadRows>();
  const auto tails = std::make_unique<TailRows>();
  std::vector<UastcBlock> entries;
  while (entries.size() < 100) {
    const UastcBlock block = any_block(random);
    if (!rdo_splits(block.mode) || kUastcModes[block.mode].component_count() == 2) continue;
    const RdoLine line = rdo_line(block, {1, 1, 1, 1});
    heads->set(static_cast<unsigned>(entries.size()), line, {1, 1, 1, 1});
    tails->set(static_cast<unsigned>(entries.size()), line);
    entries.push_back(block);
  }
  BlockTexels texels;
  for (Rgba8& t : texels) {
    const auto v = static_cast<std::uint8_t>(100 + below(random, 40));
    t = {v, static_cast<std::uint8_t>(v + 9), static_cast<std::uint8_t>(v / 2), static_cast<std::uint8_t>(v + 60)};
  }
  const RdoTexels source(texels, {1, 1, 1, 1});
  RdoRow head_errors, tail_errors;
  scan_heads(*heads, 100, source, head_errors);
  scan_tails(*tails, 100, source, tail_errors);
  for (unsigned k = 0; k < 100; ++k) {
    if (!kUastcModes[entries[k].mode].has_alpha()) continue;
    UastcBlock head = entries[k], tail = entries[k];
    refit_weights(head, source);
    refit_endpoints(tail, source);
    const float head_error = measure_rdo_error(source, decode_uastc(head)),
                tail_error = measure_rdo_error(source, decode_uastc(tail));
    EXPECT_NEAR(head_errors.of[k], head_error, 0.05f * head_error + 64) << k;
    // The estimate ignores that endpoints are clamped to 0 and 255.
    EXPECT_LE(tail_errors.of[k], 1.25f * tail_error + 1500) << k;
  }
}

}  // namespace
}  // namespace assetc::codec
