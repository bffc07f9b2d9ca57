// Our ASTC decoder against libastcenc's, and the blocks that libastcenc makes for us.
#include <astcenc.h>
#include <gtest/gtest.h>
#include <tbb/parallel_for.h>

#include <random>

#include "codec/block/astc_block.hpp"
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

// A row of blocks as libastcenc decodes it.
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

// Compares block by block; returns how many were legal.
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
    EXPECT_GT(expect_same(std::move(blocks), shape), kBlocks / 50) << "too few legal blocks to say anything";
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
  tbb::parallel_for(0, 32, [&](int) { EXPECT_EQ(encode(rgba, true), first); });
}

}  // namespace
}  // namespace assetc::texture
