#include "codec/encode/uastc/uastc_hints.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <random>
#include <vector>

#include "codec/random_uastc.hpp"
#include "codec/transcoded.hpp"

namespace assetc {
namespace {

using codec::UastcBlock;

// A block whose texels are near a line, as in real pictures.
UastcBlock smooth_block(std::mt19937& random, unsigned mode_index) {
  UastcBlock b = codec::random_uastc(random, mode_index);
  const auto& mode = codec::kUastcModes[mode_index];
  if (mode_index == codec::kUastcSolidMode) return codec::make_solid_uastc(b.solid_color);
  const auto& range = codec::endpoint_range(mode.endpoint_range);
  // Every subset spans the same line, or nearly the same.
  const unsigned apart = codec::below(random, 33);
  for (unsigned c = 0; c < mode.component_count(); ++c) {
    const unsigned center = 40 + codec::below(random, 176);
    for (unsigned s = 0; s < mode.subset_count(); ++s) {
      std::uint8_t* pair = &b.endpoints[(s * mode.component_count() + c) * 2];
      pair[0] = range.nearest[center - apart];
      pair[1] = range.nearest[center + apart];
    }
  }
  for (unsigned t = 0; t < kBlockTexels; ++t)
    for (unsigned p = 0; p < mode.plane_count; ++p)
      b.weights[t * mode.plane_count + p] =
          static_cast<std::uint8_t>(((t & 3) + (t >> 2)) * ((1u << mode.weight_bits) - 1) / 6);
  return b;
}

TEST(Hints, smooth_blocks_survive_every_lossy_target) {
  for (unsigned m = 0; m < codec::kUastcModeCount; ++m) {
    std::mt19937 random(60 + m);
    double bc1 = 0, etc1 = 0, bc4 = 0, eac = 0, alpha_bc3 = 0, alpha_etc2 = 0;
    constexpr unsigned rounds = 200;
    for (unsigned i = 0; i < rounds; ++i) {
      UastcBlock block = smooth_block(random, m);
      // As read back from bytes: the hints depend on the order of endpoints in the bytes.
      block = *codec::unpack_uastc(codec::pack_uastc(block));
      const BlockTexels want = codec::decode_uastc(block);
      codec::choose_hints(block, want, want);
      bc1 += mean_square(through(BlockFormat::kBc1, block), want, 0, 2);
      etc1 += mean_square(through(BlockFormat::kEtc1, block), want, 0, 2);
      bc4 += mean_square(through(BlockFormat::kBc4, block), want, 0, 0);
      eac += mean_square(through(BlockFormat::kEacRg11, block), want, 0, 1);
      alpha_bc3 += mean_square(through(BlockFormat::kBc3, block), want, 3, 3);
      alpha_etc2 += mean_square(through(BlockFormat::kEtc2Rgba, block), want, 3, 3);
    }
    EXPECT_LT(bc1 / rounds, 20.0) << "mode " << m;
    EXPECT_LT(etc1 / rounds, 25.0) << "mode " << m;
    EXPECT_LT(bc4 / rounds, 5.0) << "mode " << m;
    EXPECT_LT(eac / rounds, 5.0) << "mode " << m;
    EXPECT_LT(alpha_bc3 / rounds, 5.0) << "mode " << m;
    EXPECT_LT(alpha_etc2 / rounds, 5.0) << "mode " << m;
  }
}

TEST(Hints, solid_colors_come_through_within_the_format) {
  std::mt19937 random(9);
  for (unsigned i = 0; i < 2000; ++i) {
    const auto byte = [&] { return static_cast<std::uint8_t>(random()); };
    const Rgba8 c = {byte(), byte(), byte(), byte()};
    const UastcBlock block = codec::make_solid_uastc(c);
    BlockTexels want;
    want.fill(c);
    for (BlockFormat exact : {BlockFormat::kRgba8, BlockFormat::kBc7, BlockFormat::kAstc4x4})
      EXPECT_EQ(through(exact, block), want);
    const Rgba8 bc3 = through(BlockFormat::kBc3, block)[5], etc2 = through(BlockFormat::kEtc2Rgba, block)[5];
    EXPECT_EQ(bc3.a, c.a);
    EXPECT_EQ(etc2.a, c.a);
    for (unsigned k = 0; k < 3; ++k) EXPECT_NEAR(bc3[k], c[k], 2);
    for (unsigned k = 0; k < 3; ++k) EXPECT_NEAR(etc2[k], c[k], 8);
    const Rgba8 bc5 = through(BlockFormat::kBc5, block)[0], eac = through(BlockFormat::kEacRg11, block)[0];
    EXPECT_EQ(bc5, (Rgba8{c.r, c.g, 0, 255}));
    EXPECT_NEAR(eac.r, c.r, 1);
    EXPECT_NEAR(eac.g, c.g, 1);
  }
}

TEST(Hints, hold_up_in_every_mode_and_effort) {
  std::mt19937 random(19);
  for (unsigned m = 0; m < codec::kUastcModeCount; ++m) {
    for (auto effort : {codec::HintEffort::kFast, codec::HintEffort::kNormal, codec::HintEffort::kBest}) {
      for (unsigned i = 0; i < 20; ++i) {
        UastcBlock block = *codec::unpack_uastc(codec::pack_uastc(codec::random_uastc(random, m)));
        const BlockTexels texels = codec::decode_uastc(block);
        block.hints = {};
        codec::choose_hints(block, texels, texels, effort);
        // Hints that the mode cannot store are not set.
        EXPECT_EQ(codec::unpack_uastc(codec::pack_uastc(block))->hints, block.hints) << "mode " << m;
      }
    }
  }
}

TEST(Hints, more_effort_is_never_worse_by_etc1_error) {
  std::mt19937 random(23);
  double fast = 0, normal = 0, best = 0;
  for (unsigned i = 0; i < 300; ++i) {
    UastcBlock block = *codec::unpack_uastc(codec::pack_uastc(codec::random_uastc(random, 0)));
    const BlockTexels texels = codec::decode_uastc(block);
    const auto error = [&](codec::HintEffort effort) {
      codec::choose_hints(block, texels, texels, effort);
      return mean_square(through(BlockFormat::kEtc1, block), texels, 0, 2);
    };
    fast += error(codec::HintEffort::kFast);
    normal += error(codec::HintEffort::kNormal);
    best += error(codec::HintEffort::kBest);
  }
  EXPECT_LE(normal, fast);
  EXPECT_LE(best, normal);
}

TEST(Hints, are_the_same_on_every_instruction_set) {
  std::mt19937 random(29);
  std::vector<UastcBlock> blocks;
  blocks.reserve(40 * codec::kUastcModeCount);
  for (unsigned i = 0; i < 40 * codec::kUastcModeCount; ++i)
    blocks.push_back(*codec::unpack_uastc(codec::pack_uastc(codec::random_uastc(random, i % codec::kUastcModeCount))));
  const auto hints = [&] {
    std::vector<UastcBlock> chosen = blocks;
    unsigned i = 0;
    for (UastcBlock& b : chosen) {
      const BlockTexels texels = codec::decode_uastc(b);
      codec::choose_hints(b, texels, texels, static_cast<codec::HintEffort>(i++ % 3));
    }
    return chosen;
  };
  struct Restore {
    ~Restore() { hwy::SetSupportedTargetsForTest(0); }
  } restore;
  hwy::SetSupportedTargetsForTest(0);
  const auto expected = hints();
  for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    const std::int64_t target = rest & -rest;
    hwy::SetSupportedTargetsForTest(target);
    EXPECT_EQ(hints(), expected) << hwy::TargetName(target);
  }
}

}  // namespace
}  // namespace assetc
