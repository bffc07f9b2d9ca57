#include "assetc/codec/transcode.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "assetc/base/hash.hpp"
#include "codec/block/astc_block.hpp"
#include "codec/block/bc7_block.hpp"
#include "codec/block/bc_block.hpp"
#include "codec/block/etc_block.hpp"
#include "codec/random_uastc.hpp"
#include "codec/transcode/uastc_transcode.hpp"
#include "codec/transcoded.hpp"

namespace assetc {
namespace {

using codec::UastcBlock;

constexpr std::array kTargets = {BlockFormat::kRgba8,   BlockFormat::kBc1,    BlockFormat::kBc3,
                                 BlockFormat::kBc4,     BlockFormat::kBc5,    BlockFormat::kBc7,
                                 BlockFormat::kAstc4x4, BlockFormat::kEtc1,   BlockFormat::kEtc2Rgba,
                                 BlockFormat::kEacR11,  BlockFormat::kEacRg11};

class TranscodeEveryMode : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Transcode, TranscodeEveryMode, testing::Range(0u, codec::kUastcModeCount));

TEST_P(TranscodeEveryMode, astc_holds_the_same_texels_linear_and_srgb) {
  std::mt19937 random(GetParam());
  for (unsigned i = 0; i < 500; ++i) {
    const UastcBlock block = *codec::unpack_uastc(codec::pack_uastc(codec::random_uastc(random, GetParam())));
    std::uint8_t astc[16];
    codec::pack_astc(block, astc);
    EXPECT_EQ(codec::decode_astc4x4(astc), codec::decode_uastc(block));
    EXPECT_EQ(codec::decode_astc4x4(astc, AstcDecode::kSrgb), codec::decode_uastc(block, AstcDecode::kSrgb));
  }
}

TEST_P(TranscodeEveryMode, rgba8_is_the_decoded_block) {
  std::mt19937 random(20 + GetParam());
  for (unsigned i = 0; i < 50; ++i) {
    const UastcBlock block = codec::random_uastc(random, GetParam());
    EXPECT_EQ(through(BlockFormat::kRgba8, block), codec::decode_uastc(block));
    EXPECT_EQ(through(BlockFormat::kAstc4x4, block), codec::decode_uastc(block));
  }
}

// Bounds are about twice the mean squared error measured on these blocks.
TEST_P(TranscodeEveryMode, bc7_stays_near_the_texels) {
  std::mt19937 random(40 + GetParam());
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

codec::UastcBytes solid(Rgba8 color) {
  UastcBlock block;
  block.solid_color = color;
  return codec::pack_uastc(block);
}

TEST(Transcode, channels_are_taken_where_asked) {
  const codec::UastcBytes bytes = solid({10, 20, 30, 40});
  TranscodeOptions options;
  options.first_channel = 2;
  options.second_channel = 3;
  std::array<std::byte, 16> out;
  ASSERT_TRUE(transcode_uastc(bytes_of(bytes), BlockFormat::kBc5, out, options).has_value());
  EXPECT_EQ(decode(BlockFormat::kBc5, out)[0], (Rgba8{30, 40, 0, 255}));
}

// The hash is the same for every machine, compiler and instruction set.
TEST(Transcode, bytes_are_the_same_everywhere) {
  std::mt19937 random(77);
  ContentHasher hasher;
  for (unsigned m = 0; m < codec::kUastcModeCount; ++m) {
    for (unsigned i = 0; i < 20; ++i) {
      const codec::UastcBytes block = codec::pack_uastc(codec::random_uastc(random, m));
      for (const BlockFormat target : kTargets) {
        std::vector<std::byte> out(block_bytes(target));
        ASSERT_TRUE(transcode_uastc(bytes_of(block), target, out).has_value());
        hasher.add(ByteSpan(out));
      }
    }
  }
  EXPECT_EQ(hasher.finish().hex(), "1905687b15e924fbf42dbafb9902dae6");
}

// The caller may cut a level anywhere, so that several threads can transcode it.
TEST(Transcode, a_block_does_not_depend_on_the_blocks_before_it) {
  std::mt19937 random(5);
  std::vector<std::byte> blocks;
  for (unsigned i = 0; i < 40 * codec::kUastcModeCount; ++i) {
    const codec::UastcBytes block = codec::pack_uastc(codec::random_uastc(random, codec::below(random, 19)));
    blocks.insert(blocks.end(), bytes_of(block).begin(), bytes_of(block).end());
  }
  for (const BlockFormat target : kTargets) {
    const std::size_t step = block_bytes(target);
    std::vector<std::byte> together(*transcoded_bytes(target, blocks.size())), alone(together.size());
    ASSERT_TRUE(transcode_uastc(blocks, target, together).has_value());
    for (std::size_t i = 0; i < blocks.size() / 16; ++i)
      ASSERT_TRUE(
          transcode_uastc(ByteSpan(blocks).subspan(i * 16, 16), target, std::span(alone).subspan(i * step, step))
              .has_value());
    EXPECT_EQ(together, alone) << to_string(target);
  }
}

TEST(Transcode, names_the_invalid_block) {
  std::array<std::byte, 32> blocks{};
  const codec::UastcBytes valid = solid({1, 2, 3, 4});
  std::memcpy(blocks.data(), valid.data(), 16);
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
  std::mt19937 random(1);
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
  std::mt19937 random(5);
  for (unsigned i = 0; i < 5000; ++i) {
    std::array<std::byte, 64> bytes;
    for (auto& b : bytes) b = static_cast<std::byte>(random());
    BlockTexels texels;
    for (BlockFormat format : kTargets)
      EXPECT_TRUE(decode_blocks(std::span(bytes).first(block_bytes(format)), format, 4, 4, texels).has_value());
  }
}

TEST(Bc7, packing_keeps_the_texels_in_every_mode) {
  std::mt19937 random(11);
  for (unsigned m = 0; m < codec::kBc7ModeCount; ++m) {
    for (unsigned i = 0; i < 300; ++i) {
      std::array<std::uint8_t, 16> bytes, again;
      for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
      bytes[0] = static_cast<std::uint8_t>((bytes[0] << (m + 1)) | 1u << m);
      codec::Bc7Block block;
      ASSERT_TRUE(codec::unpack_bc7(bytes.data(), block));
      codec::pack_bc7(block, again.data());
      EXPECT_EQ(again, bytes) << "mode " << m;
      // Mirrored by hand, it must decode to the same texels.
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
  std::mt19937 random(13);
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
  std::mt19937 random(17);
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

}  // namespace
}  // namespace assetc
