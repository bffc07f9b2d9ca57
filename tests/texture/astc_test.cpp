// Compares our ASTC decoder with libastcenc's, and checks the blocks that libastcenc makes for us.
#include <astcenc.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "codec/block/astc_block.hpp"
#include "parallel/parallel.hpp"
#include "texture/encode_astc.hpp"

namespace assetc::texture {
namespace {

constexpr std::array<codec::AstcShape, 14> kShapes{{{4, 4},
                                                    {5, 4},
                                                    {5, 5},
                                                    {6, 5},
                                                    {6, 6},
                                                    {8, 5},
                                                    {8, 6},
                                                    {8, 8},
                                                    {10, 5},
                                                    {10, 6},
                                                    {10, 8},
                                                    {10, 10},
                                                    {12, 10},
                                                    {12, 12}}};
constexpr unsigned kBlocks = 4096;

// Decodes a row of blocks with libastcenc.
std::vector<Rgba8> reference(std::vector<std::uint8_t>& blocks, codec::AstcShape shape) {
  astcenc_config config{};
  EXPECT_EQ(astcenc_config_init(ASTCENC_PRF_LDR_SRGB, shape.width_texels, shape.height_texels, 1, ASTCENC_PRE_FASTEST,
                                ASTCENC_FLG_DECOMPRESS_ONLY, &config),
            ASTCENC_SUCCESS);
  astcenc_context* context = nullptr;
  EXPECT_EQ(astcenc_context_alloc(&config, 1, &context), ASTCENC_SUCCESS);
  const unsigned width = static_cast<unsigned>(blocks.size() / 16) * shape.width_texels;
  std::vector<Rgba8> texels(std::size_t{width} * shape.height_texels);
  void* slice = texels.data();
  astcenc_image image{width, shape.height_texels, 1, ASTCENC_TYPE_U8, &slice};
  const astcenc_swizzle swizzle{ASTCENC_SWZ_R, ASTCENC_SWZ_G, ASTCENC_SWZ_B, ASTCENC_SWZ_A};
  EXPECT_EQ(astcenc_decompress_image(context, blocks.data(), blocks.size(), &image, &swizzle, 0), ASTCENC_SUCCESS);
  astcenc_context_free(context);
  return texels;
}

// Compares block by block; returns the number of legal blocks.
unsigned expect_same(std::vector<std::uint8_t> blocks, codec::AstcShape shape) {
  const std::vector<Rgba8> theirs = reference(blocks, shape);
  const std::size_t width = blocks.size() / 16 * shape.width_texels;
  std::array<Rgba8, codec::kAstcMaxTexels> ours;
  unsigned legal = 0;
  for (std::size_t b = 0; b < blocks.size() / 16; ++b) {
    codec::decode_astc(&blocks[b * 16], shape, std::span(ours).first(shape.texels()), AstcDecode::kSrgb);
    bool error = true;
    for (unsigned t = 0; t < shape.texels(); ++t) {
      error &= ours[t] == codec::kAstcErrorColor;
      const Rgba8 want = theirs[t / shape.width_texels * width + b * shape.width_texels + t % shape.width_texels];
      EXPECT_EQ(ours[t], want) << shape.width_texels << "x" << shape.height_texels << " block " << b << " texel " << t;
      if (ours[t] != want) return legal;
    }
    legal += !error;
  }
  return legal;
}

TEST(Astc, random_bytes_decode_as_libastcenc_decodes_them) {
  std::mt19937 random(1);
  for (const codec::AstcShape shape : kShapes) {
    std::vector<std::uint8_t> blocks(kBlocks * 16);
    for (std::uint8_t& byte : blocks) byte = static_cast<std::uint8_t>(random());
    EXPECT_GT(expect_same(std::move(blocks), shape), kBlocks / 50) << "too few legal blocks for a comparison";
  }
}

std::vector<std::byte> noise(Extent extent, unsigned grain) {
  std::mt19937 random(7);
  std::vector<std::byte> rgba(std::size_t{extent.width_texels} * extent.height_texels * 4);
  for (std::size_t i = 0; i < rgba.size(); ++i)
    rgba[i] = static_cast<std::byte>((i / 4 % extent.width_texels) * (i % 4) * 3 + random() % grain);
  return rgba;
}

TEST(Astc, encoded_blocks_decode_as_libastcenc_decodes_them) {
  for (const codec::AstcShape shape : {codec::AstcShape{4, 4}, {6, 6}, {8, 8}}) {
    const Extent extent{96, 96};
    const std::size_t across = (96 + shape.width_texels - 1) / shape.width_texels;
    std::vector<std::uint8_t> blocks(across * across * 16);
    const auto rgba = noise(extent, 40);
    ASSERT_TRUE(encode_astc(shape.width_texels, shape.height_texels, true, rgba, extent, {},
                            std::as_writable_bytes(std::span(blocks))));
    EXPECT_EQ(expect_same(std::move(blocks), shape), across * across);
  }
}

// The mean squared error of R, G, B and A after libastcenc decodes the blocks.
double lost(std::span<const std::byte> rgba, Extent extent, const std::vector<std::byte>& blocks) {
  std::vector<std::uint8_t> bytes(blocks.size());
  std::memcpy(bytes.data(), blocks.data(), blocks.size());
  const std::vector<Rgba8> row = reference(bytes, {4, 4});  // the blocks form one row
  const std::size_t across = extent.width_texels / 4, width = blocks.size() / 16 * 4;
  double sum = 0;
  for (std::size_t i = 0; i < rgba.size(); ++i) {
    const std::size_t x = i / 4 % extent.width_texels, y = i / 4 / extent.width_texels;
    const std::size_t block = y / 4 * across + x / 4;
    const double miss =
        static_cast<double>(row[y % 4 * width + block * 4 + x % 4][i % 4]) - std::to_integer<int>(rgba[i]);
    sum += miss * miss;
  }
  return sum / static_cast<double>(rgba.size());
}

// Varying color and alpha, with easy and hard blocks.
std::vector<std::byte> picture(Extent extent) {
  std::mt19937 random(11);
  std::vector<std::byte> rgba(std::size_t{extent.width_texels} * extent.height_texels * 4);
  for (std::size_t i = 0; i < rgba.size(); ++i) {
    const std::size_t x = i / 4 % extent.width_texels, y = i / 4 / extent.width_texels;
    const unsigned grain = x / 16 % 3 == 0 ? 2 : x / 16 % 3 == 1 ? 24 : 120;
    rgba[i] = static_cast<std::byte>(std::min<std::size_t>(255, x + y * (i % 4) / 3 + random() % grain));
  }
  return rgba;
}

TEST(Astc, blocks_of_4x4_lose_less_than_those_of_libastcenc_at_the_same_quality) {
  const Extent extent{96, 96};
  const auto rgba = picture(extent);
  for (const auto& [effort, preset] : {std::pair(codec::Effort::kFast, ASTCENC_PRE_FAST),
                                       {codec::Effort::kNormal, ASTCENC_PRE_MEDIUM},
                                       {codec::Effort::kBest, ASTCENC_PRE_THOROUGH}}) {
    std::vector<std::byte> ours(24 * 24 * 16), theirs(ours.size());
    ASSERT_TRUE(encode_astc(4, 4, true, rgba, extent, {effort, codec::Metric::kColor, {1, 1, 1, 1}}, ours));
    astcenc_config config{};
    ASSERT_EQ(astcenc_config_init(ASTCENC_PRF_LDR_SRGB, 4, 4, 1, preset, 0, &config), ASTCENC_SUCCESS);
    astcenc_context* context = nullptr;
    ASSERT_EQ(astcenc_context_alloc(&config, 1, &context), ASTCENC_SUCCESS);
    void* slice = const_cast<std::byte*>(rgba.data());
    astcenc_image image{extent.width_texels, extent.height_texels, 1, ASTCENC_TYPE_U8, &slice};
    const astcenc_swizzle swizzle{ASTCENC_SWZ_R, ASTCENC_SWZ_G, ASTCENC_SWZ_B, ASTCENC_SWZ_A};
    ASSERT_EQ(astcenc_compress_image(context, &image, &swizzle, reinterpret_cast<std::uint8_t*>(theirs.data()),
                                     theirs.size(), 0),
              ASTCENC_SUCCESS);
    astcenc_context_free(context);
    EXPECT_LT(lost(rgba, extent, ours), lost(rgba, extent, theirs)) << static_cast<int>(effort);
  }
}

TEST(Astc, blocks_of_4x4_depend_on_their_own_texels_alone) {
  const Extent extent{96, 96}, half{96, 48};
  const auto rgba = picture(extent);
  const codec::EncodeOptions options{codec::Effort::kNormal, codec::Metric::kColor, {1, 1, 1, 1}};
  std::vector<std::byte> whole(24 * 24 * 16), parts(whole.size());
  ASSERT_TRUE(encode_astc(4, 4, true, rgba, extent, options, whole));
  for (const std::size_t part : {0u, 1u}) {
    ASSERT_TRUE(encode_astc(4, 4, true, std::span(rgba).subspan(part * rgba.size() / 2, rgba.size() / 2), half, options,
                            std::span(parts).subspan(part * parts.size() / 2, parts.size() / 2)));
  }
  EXPECT_EQ(parts, whole);
}

// A decoder that widens endpoints in the other way differs by at most one, so the best choice for one is not the best
// for the other.
TEST(Astc, blocks_of_4x4_are_chosen_for_the_decoder_that_will_read_them) {
  const Extent extent{96, 96};
  const auto rgba = noise(extent, 12);
  std::vector<std::byte> srgb(24 * 24 * 16), linear(srgb.size());
  ASSERT_TRUE(encode_astc(4, 4, true, rgba, extent, {}, srgb));
  ASSERT_TRUE(encode_astc(4, 4, false, rgba, extent, {}, linear));
  EXPECT_LT(lost(rgba, extent, srgb), lost(rgba, extent, linear));  // both read as sRGB
}

TEST(Astc, a_context_that_was_used_gives_the_same_blocks_as_a_new_one) {
  const Extent extent{72, 48};
  const auto rgba = noise(extent, 90), other = noise(extent, 5);
  const auto encode = [&](const std::vector<std::byte>& texels, bool srgb) {
    std::vector<std::byte> blocks(12 * 8 * 16);
    EXPECT_TRUE(
        encode_astc(6, 6, srgb, texels, extent, {codec::Effort::kFast, codec::Metric::kColor, {1, 1, 1, 1}}, blocks));
    return blocks;
  };
  const auto first = encode(rgba, true);
  encode(other, false);
  encode(other, true);
  EXPECT_EQ(encode(rgba, true), first);
  parallel_for(32, [&](int) { EXPECT_EQ(encode(rgba, true), first); });
}

}  // namespace
}  // namespace assetc::texture
