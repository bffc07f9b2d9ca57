#include "assetc/codec/transcode.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>

#include "codec/block/astc_block.hpp"
#include "codec/block/bc7_block.hpp"
#include "codec/block/bc_block.hpp"
#include "codec/block/etc_block.hpp"
#include "codec/encode/uastc/uastc_hints.hpp"
#include "codec/random_uastc.hpp"
#include "codec/transcode/uastc_transcode.hpp"

namespace assetc {
namespace {

using codec::Random;
using codec::UastcBlock;

constexpr std::array kTargets = {BlockFormat::kRgba8,   BlockFormat::kBc1,    BlockFormat::kBc3,
                                 BlockFormat::kBc4,     BlockFormat::kBc5,    BlockFormat::kBc7,
                                 BlockFormat::kAstc4x4, BlockFormat::kEtc1,   BlockFormat::kEtc2Rgba,
                                 BlockFormat::kEacR11,  BlockFormat::kEacRg11};

ByteSpan bytes_of(const codec::UastcBytes& block) { return std::as_bytes(std::span(block)); }

// A block whose texels lie near a line, as those of pictures do.
UastcBlock smooth_block(Random& random, unsigned mode_index) {
  UastcBlock b = codec::random_uastc(random, mode_index);
  const auto& mode = codec::kUastcModes[mode_index];
  if (mode_index == codec::kUastcSolidMode) return codec::make_solid_uastc(b.solid_color);
  const auto& range = codec::endpoint_range(mode.endpoint_range);
  // Every subset spans the same line, or nearly.
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

double mean_square(const BlockTexels& a, const BlockTexels& b, unsigned first, unsigned last) {
  double e = 0;
  for (unsigned t = 0; t < kBlockTexels; ++t)
    for (unsigned c = first; c <= last; ++c) e += (a[t][c] - b[t][c]) * (a[t][c] - b[t][c]);
  return e / (kBlockTexels * (last - first + 1));
}

BlockTexels decode(BlockFormat format, ByteSpan block) {
  BlockTexels texels;
  const auto ok = decode_blocks(block, format, 4, 4, texels);
  EXPECT_TRUE(ok.has_value()) << ok.error().to_string();
  return texels;
}

BlockTexels through(BlockFormat target, const UastcBlock& block) {
  const codec::UastcBytes bytes = codec::pack_uastc(block);
  std::vector<std::byte> out(block_bytes(target));
  const auto ok = transcode_uastc(bytes_of(bytes), target, out);
  EXPECT_TRUE(ok.has_value()) << ok.error().to_string();
  return decode(target, out);
}

class TranscodeEveryMode : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Transcode, TranscodeEveryMode, testing::Range(0u, codec::kUastcModeCount));

TEST_P(TranscodeEveryMode, astc_holds_the_same_texels_linear_and_srgb) {
  Random random(GetParam());
  for (unsigned i = 0; i < 500; ++i) {
    const UastcBlock block = *codec::unpack_uastc(codec::pack_uastc(codec::random_uastc(random, GetParam())));
    std::uint8_t astc[16];
    codec::pack_astc(block, astc);
    EXPECT_EQ(codec::decode_astc4x4(astc), codec::decode_uastc(block));
    EXPECT_EQ(codec::decode_astc4x4(astc, AstcDecode::kSrgb), codec::decode_uastc(block, AstcDecode::kSrgb));
  }
}

TEST_P(TranscodeEveryMode, rgba8_is_the_decoded_block) {
  Random random(20 + GetParam());
  for (unsigned i = 0; i < 50; ++i) {
    const UastcBlock block = codec::random_uastc(random, GetParam());
    EXPECT_EQ(through(BlockFormat::kRgba8, block), codec::decode_uastc(block));
    EXPECT_EQ(through(BlockFormat::kAstc4x4, block), codec::decode_uastc(block));
  }
}

// Bounds are about twice the mean squared error that was measured on these blocks.
TEST_P(TranscodeEveryMode, bc7_stays_near_the_texels) {
  Random random(40 + GetParam());
  double sum = 0;
  constexpr unsigned rounds = 200;
  for (unsigned i = 0; i < rounds; ++i) {
    const UastcBlock block = codec::random_uastc(random, GetParam());
    sum += mean_square(through(BlockFormat::kBc7, block), codec::decode_uastc(block), 0, 3);
  }
  // Modes 3 and 7 keep 5 bits of each endpoint, modes 9 and 16 six; mode 18 loses a bit of each weight.
  const unsigned m = GetParam();
  EXPECT_LT(sum / rounds, m == 3 || m == 7 ? 8.0 : m == 18 ? 7.0 : 4.0) << "mode " << m;
}

TEST_P(TranscodeEveryMode, smooth_blocks_survive_every_lossy_target) {
  Random random(60 + GetParam());
  double bc1 = 0, etc1 = 0, bc4 = 0, eac = 0, alpha_bc3 = 0, alpha_etc2 = 0;
  constexpr unsigned rounds = 200;
  for (unsigned i = 0; i < rounds; ++i) {
    UastcBlock block = smooth_block(random, GetParam());
    // As the block will be read back: the hints are about the order of endpoints in the bytes.
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
  EXPECT_LT(bc1 / rounds, 20.0);
  EXPECT_LT(etc1 / rounds, 25.0);
  EXPECT_LT(bc4 / rounds, 5.0);
  EXPECT_LT(eac / rounds, 5.0);
  EXPECT_LT(alpha_bc3 / rounds, 5.0);
  EXPECT_LT(alpha_etc2 / rounds, 5.0);
}

TEST(Transcode, solid_colors_come_through_within_the_format) {
  Random random(9);
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

TEST(Transcode, channels_are_taken_where_asked) {
  const codec::UastcBytes bytes = codec::pack_uastc(codec::make_solid_uastc({10, 20, 30, 40}));
  TranscodeOptions options;
  options.first_channel = 2;
  options.second_channel = 3;
  std::array<std::byte, 16> out;
  ASSERT_TRUE(transcode_uastc(bytes_of(bytes), BlockFormat::kBc5, out, options).has_value());
  EXPECT_EQ(decode(BlockFormat::kBc5, out)[0], (Rgba8{30, 40, 0, 255}));
}

TEST(Transcode, names_the_invalid_block) {
  std::array<std::byte, 32> blocks{};
  const codec::UastcBytes solid = codec::pack_uastc(codec::make_solid_uastc({1, 2, 3, 4}));
  std::memcpy(blocks.data(), solid.data(), 16);
  blocks[16] = std::byte{0x45};
  for (BlockFormat target : kTargets) {
    std::vector<std::byte> out(*transcoded_bytes(target, blocks.size()));
    const auto refused = transcode_uastc(blocks, target, out);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().to_string(),
              "block 1: found a UASTC block with a reserved mode or partition, expected one of the 19 modes; "
              "encode the texture again; the file is damaged or not UASTC LDR 4x4");
  }
}

TEST(Transcode, invalid_blocks_are_magenta_when_asked) {
  std::array<std::byte, 16> block{};
  block[0] = std::byte{0x45};
  TranscodeOptions options;
  options.invalid = InvalidBlocks::kMagenta;
  for (BlockFormat target : {BlockFormat::kRgba8, BlockFormat::kBc1, BlockFormat::kBc3, BlockFormat::kBc7,
                             BlockFormat::kAstc4x4, BlockFormat::kEtc1, BlockFormat::kEtc2Rgba}) {
    std::vector<std::byte> out(block_bytes(target));
    ASSERT_TRUE(transcode_uastc(block, target, out, options).has_value());
    const Rgba8 seen = decode(target, out)[0];
    EXPECT_NEAR(seen.r, 255, 4) << to_string(target);
    EXPECT_NEAR(seen.g, 0, 4) << to_string(target);
    EXPECT_NEAR(seen.b, 255, 4) << to_string(target);
    EXPECT_EQ(seen.a, 255);
  }
}

TEST(Transcode, refuses_sizes_that_do_not_match) {
  std::array<std::byte, 33> blocks{};
  std::array<std::byte, 64> out;
  EXPECT_EQ(transcode_uastc(std::span(blocks), BlockFormat::kBc7, out).error().to_string(),
            "found 33 bytes of UASTC, expected a multiple of 16");
  EXPECT_EQ(transcode_uastc(std::span(blocks).first(32), BlockFormat::kBc7, out).error().to_string(),
            "found an output of 64 bytes, expected 32 bytes of bc7");
  EXPECT_EQ(transcode_uastc(std::span(blocks).first(16), BlockFormat::kUastc, std::span(out).first(16)).error().code,
            ErrorCode::kUsage);
  TranscodeOptions options;
  options.first_channel = 4;
  EXPECT_EQ(
      transcode_uastc(std::span(blocks).first(16), BlockFormat::kBc4, std::span(out).first(8), options).error().code,
      ErrorCode::kUsage);
}

TEST(Decode, cuts_the_edge_blocks_of_a_level) {
  Random random(1);
  std::vector<std::byte> blocks(16 * block_count(7, 5));
  ASSERT_EQ(blocks.size(), 64u);
  for (unsigned i = 0; i < 4; ++i) {
    const auto bytes = codec::pack_uastc(codec::random_uastc(random, i));
    std::memcpy(&blocks[16 * i], bytes.data(), 16);
  }
  std::vector<Rgba8> whole(8 * 8), cut(7 * 5);
  ASSERT_TRUE(decode_blocks(blocks, BlockFormat::kUastc, 8, 8, whole).has_value());
  ASSERT_TRUE(decode_blocks(blocks, BlockFormat::kUastc, 7, 5, cut).has_value());
  for (unsigned y = 0; y < 5; ++y)
    for (unsigned x = 0; x < 7; ++x) EXPECT_EQ(cut[y * 7 + x], whole[y * 8 + x]);
  EXPECT_FALSE(decode_blocks(blocks, BlockFormat::kUastc, 9, 5, cut).has_value());
  EXPECT_FALSE(decode_blocks(blocks, BlockFormat::kUastc, 8, 5, cut).has_value());
  EXPECT_FALSE(decode_blocks(blocks, BlockFormat::kUastc, 0xffffffffu, 0xffffffffu, cut).has_value());
}

TEST(Decode, any_bytes_decode_in_every_format) {
  Random random(5);
  for (unsigned i = 0; i < 5000; ++i) {
    std::array<std::byte, 64> bytes;
    for (auto& b : bytes) b = static_cast<std::byte>(random());
    BlockTexels texels;
    for (BlockFormat format : kTargets)
      EXPECT_TRUE(decode_blocks(std::span(bytes).first(block_bytes(format)), format, 4, 4, texels).has_value());
  }
}

TEST(Bc7, packing_keeps_the_texels_in_every_mode) {
  Random random(11);
  for (unsigned m = 0; m < codec::kBc7ModeCount; ++m) {
    for (unsigned i = 0; i < 300; ++i) {
      std::array<std::uint8_t, 16> bytes, again;
      for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
      bytes[0] = static_cast<std::uint8_t>((bytes[0] << (m + 1)) | 1u << m);
      codec::Bc7Block block;
      ASSERT_TRUE(codec::unpack_bc7(bytes.data(), block));
      codec::pack_bc7(block, again.data());
      EXPECT_EQ(again, bytes) << "mode " << m;
      // Mirrored by hand, it must come back the same texels.
      for (unsigned t = 0; t < kBlockTexels; ++t) {
        block.index[t] = static_cast<std::uint8_t>((1u << codec::kBc7Modes[m].index_bits) - 1 - block.index[t]);
        block.second_index[t] =
            static_cast<std::uint8_t>((1u << codec::kBc7Modes[m].second_index_bits) - 1 - block.second_index[t]);
      }
      for (unsigned s = 0; s < 3; ++s) {
        std::swap(block.ends[s][0], block.ends[s][1]);
        if (codec::kBc7Modes[m].p_bits == 2) std::swap(block.p[s][0], block.p[s][1]);
      }
      codec::pack_bc7(block, again.data());
      EXPECT_EQ(codec::decode_bc7(again.data()), codec::decode_bc7(bytes.data())) << "mode " << m;
    }
  }
}

TEST(Bc1, solid_colors_are_within_two) {
  for (unsigned v = 0; v < 256; ++v) {
    const auto c = static_cast<std::uint8_t>(v);
    std::uint8_t out[8];
    codec::encode_bc1_solid({c, c, static_cast<std::uint8_t>(255 - v), 255}, out);
    for (Rgba8 t : codec::decode_bc1(out)) {
      EXPECT_NEAR(t.r, c, 2);
      EXPECT_NEAR(t.g, c, 1);
      EXPECT_NEAR(t.b, 255 - c, 2);
      EXPECT_EQ(t.a, 255);
    }
  }
}

TEST(Bc1, is_always_opaque) {
  Random random(13);
  for (unsigned i = 0; i < 5000; ++i) {
    BlockTexels texels;
    const unsigned levels = 1 + codec::below(random, 16);
    for (auto& t : texels) {
      const auto v = [&] { return static_cast<std::uint8_t>(codec::below(random, levels) * (random() & 1 ? 17 : 1)); };
      t = {v(), v(), v(), 255};
    }
    std::uint8_t out[8];
    codec::encode_bc1(texels, out);
    for (Rgba8 t : codec::decode_bc1(out)) EXPECT_EQ(t.a, 255);
  }
}

TEST(Bc4, every_texel_takes_its_nearest_of_eight) {
  Random random(17);
  for (unsigned i = 0; i < 500; ++i) {
    BlockTexels texels{};
    for (auto& t : texels) t.r = static_cast<std::uint8_t>(random());
    std::uint8_t out[8];
    codec::encode_bc4(texels, 0, out);
    const BlockTexels back = codec::decode_bc4(out);
    for (unsigned t = 0; t < kBlockTexels; ++t)
      for (Rgba8 other : back) EXPECT_LE(std::abs(back[t].r - texels[t].r), std::abs(other.r - texels[t].r));
  }
}

TEST(Hints, hold_up_in_every_mode_and_effort) {
  Random random(19);
  for (unsigned m = 0; m < codec::kUastcModeCount; ++m) {
    for (auto effort : {codec::HintEffort::kFast, codec::HintEffort::kNormal, codec::HintEffort::kBest}) {
      for (unsigned i = 0; i < 20; ++i) {
        UastcBlock block = *codec::unpack_uastc(codec::pack_uastc(codec::random_uastc(random, m)));
        const BlockTexels texels = codec::decode_uastc(block);
        block.hints = {};
        codec::choose_hints(block, texels, texels, effort);
        // What the mode cannot store is not set.
        EXPECT_EQ(codec::unpack_uastc(codec::pack_uastc(block))->hints, block.hints) << "mode " << m;
      }
    }
  }
}

TEST(Hints, more_effort_is_never_worse_by_etc1_error) {
  Random random(23);
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
  Random random(29);
  std::vector<UastcBlock> blocks;
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
