#include "assetc/codec/basis_lz.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "assetc/codec/transcode.hpp"
#include "etc1s_files.hpp"
#include "os/process.hpp"

namespace assetc {
namespace {

using etc1s::Shape;
using etc1s::Writer;

Result<BasisLzDecoder> open(const Writer& file) {
  const auto& parts = file.parts();
  return BasisLzDecoder::open(
      {file.shape().endpoints, file.shape().selectors, parts.endpoints, parts.selectors, parts.tables});
}

struct Extent {
  std::uint32_t width, height;
};
Extent extent_of(const Writer& file, std::size_t image) {
  const Shape& s = file.shape();
  const std::size_t level = image / (file.slices().size() / s.levels);
  return {std::max(s.width >> level, 1u), std::max(s.height >> level, 1u)};
}

// Decodes all images of a file to texels, in order.
std::vector<std::vector<Rgba8>> decoded(const Writer& file) {
  const auto decoder = open(file);
  EXPECT_TRUE(decoder) << decoder.error().to_string();
  std::vector<std::vector<Rgba8>> out;
  if (!decoder) return out;
  const std::size_t stride = file.shape().alpha ? 16 : 8;
  std::array<std::vector<BasisLzBlock>, 2> previous;
  for (std::size_t i = 0; i < file.slices().size(); ++i) {
    const Extent extent = extent_of(file, i);
    const std::uint32_t w = (extent.width + 3) / 4, h = (extent.height + 3) / 4;
    std::vector<std::byte> blocks(std::size_t{w} * h * stride);
    for (std::size_t s = 0; s < stride / 8; ++s) {
      if (file.shape().p_frames) previous[s].resize(std::size_t{w} * h);
      const std::size_t at = s == 0 ? stride - 8 : 0;  // alpha comes first
      const auto done = decoder->decode_slice({file.slices()[i][s], w, h, previous[s], file.is_p_frame(i)},
                                              std::span(blocks).subspan(at, blocks.size() - (stride - 8)), stride);
      EXPECT_TRUE(done) << "image " << i << ": " << done.error().to_string();
    }
    std::vector<Rgba8> texels(std::size_t{extent.width} * extent.height);
    const auto done = decode_blocks(blocks, stride == 16 ? BlockFormat::kEtc1sAlpha : BlockFormat::kEtc1s, extent.width,
                                    extent.height, texels);
    EXPECT_TRUE(done) << done.error().to_string();
    out.push_back(std::move(texels));
  }
  return out;
}

TEST(BasisLz, decodes_every_way_to_say_a_block) {
  constexpr std::uint32_t kSeeds = os::kLimitsMemory ? 20 : 8;  // fewer under a sanitizer
  for (const auto& [name, shape] : etc1s::shapes()) {
    for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
      const Writer file(shape, seed);
      const auto images = decoded(file);
      ASSERT_EQ(images.size(), file.slices().size());
      for (std::size_t i = 0; i < images.size(); ++i)
        ASSERT_EQ(images[i], file.texels(i)) << name << " " << seed << " " << i;
    }
  }
}

TEST(BasisLz, refuses_streams_that_end_early) {
  const Writer file({.width = 40, .height = 40}, 1);
  const auto& parts = file.parts();
  const auto& shape = file.shape();
  for (std::size_t size = 0; size < parts.endpoints.size(); ++size) {
    const ByteVector cut(parts.endpoints.begin(), parts.endpoints.begin() + static_cast<std::ptrdiff_t>(size));
    const auto opened = BasisLzDecoder::open({shape.endpoints, shape.selectors, cut, parts.selectors, parts.tables});
    ASSERT_FALSE(opened) << size;
    EXPECT_EQ(opened.error().place, "the endpoints");
  }
  for (std::size_t size = 0; size < parts.selectors.size(); ++size) {
    const ByteVector cut(parts.selectors.begin(), parts.selectors.begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_FALSE(BasisLzDecoder::open({shape.endpoints, shape.selectors, parts.endpoints, cut, parts.tables}));
  }
  for (std::size_t size = 0; size + 1 < parts.tables.size(); ++size) {
    const ByteVector cut(parts.tables.begin(), parts.tables.begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_FALSE(BasisLzDecoder::open({shape.endpoints, shape.selectors, parts.endpoints, parts.selectors, cut}));
  }
  const auto decoder = open(file);
  ASSERT_TRUE(decoder);
  const ByteVector& slice = file.slices()[0][0];
  for (std::size_t size = 0; size < slice.size(); ++size) {
    const ByteVector cut(slice.begin(), slice.begin() + static_cast<std::ptrdiff_t>(size));
    const auto done = decoder->decode_slice({cut, 10, 10}, {});
    ASSERT_FALSE(done) << size;
    EXPECT_TRUE(done.error().place.starts_with("block ")) << done.error().to_string();
  }
}

TEST(BasisLz, any_changed_bit_is_refused_or_decodes) {
  const Writer file({.width = 24, .height = 24, .alpha = true, .p_frames = true}, 3);
  std::mt19937 random(7);
  std::size_t refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::array<ByteVector, 4> parts = {file.parts().endpoints, file.parts().selectors, file.parts().tables,
                                       file.slices()[0][0]};
    ByteVector& changed = parts[random() % 4];
    changed[random() % changed.size()] ^= static_cast<std::byte>(1u << random() % 8);
    const auto decoder =
        BasisLzDecoder::open({file.shape().endpoints, file.shape().selectors, parts[0], parts[1], parts[2]});
    if (!decoder || !decoder->decode_slice({parts[3], 6, 6}, {})) ++refused;
  }
  EXPECT_GT(refused, 500u);
}

TEST(BasisLz, says_what_is_wrong_with_its_arguments) {
  const Writer file({.width = 8, .height = 8}, 1);
  const auto decoder = open(file);
  ASSERT_TRUE(decoder);
  const ByteVector& slice = file.slices()[0][0];
  std::vector<std::byte> blocks(4 * 8);
  const auto words = [](const Result<void>& result) { return result ? std::string() : result.error().to_string(); };
  EXPECT_EQ(words(decoder->decode_slice({slice, 2, 2}, blocks)), "");
  EXPECT_EQ(words(decoder->decode_slice({slice, 0, 2}, blocks)),
            "found a slice of 0x2, expected 1 to 16384 blocks each");
  EXPECT_EQ(words(decoder->decode_slice({slice, 2, 2}, std::span(blocks).first(24))),
            "found room for 24 bytes, expected room for 4 blocks");
  EXPECT_EQ(
      words(decoder->decode_slice({.bytes = slice, .width_blocks = 2, .height_blocks = 2, .is_p_frame = true}, {})),
      "found 0 blocks of the previous image, expected 4");
}

// Bounds of the mean squared error for targets that do not copy the block, measured on random blocks with room for
// rounding. The four colors of random blocks are often on no line, because they are clamped.
TEST(TranscodeEtc1s, every_target_is_near_the_texels) {
  const Writer file({.width = 256, .height = 256, .alpha = true, .endpoints = 500, .selectors = 800}, 5);
  const auto decoder = open(file);
  ASSERT_TRUE(decoder);
  std::vector<std::byte> blocks(64 * 64 * 16);
  ASSERT_TRUE(decoder->decode_slice({file.slices()[0][0], 64, 64}, std::span(blocks).subspan(8), 16));
  ASSERT_TRUE(decoder->decode_slice({file.slices()[0][1], 64, 64}, std::span(blocks).first(blocks.size() - 8), 16));
  const std::vector<Rgba8>& expected = file.texels(0);
  struct Target {
    BlockFormat format;
    std::array<int, 4> from;  // the source channel of each target channel, or 0 with -1, or 255 with -2
    double worst;
  };
  constexpr Target kTargets[] = {{BlockFormat::kRgba8, {0, 1, 2, 3}, 0},     {BlockFormat::kEtc1, {0, 1, 2, -2}, 0},
                                 {BlockFormat::kEtc2Rgba, {0, 1, 2, 3}, 4},  {BlockFormat::kBc1, {0, 1, 2, -2}, 100},
                                 {BlockFormat::kBc3, {0, 1, 2, 3}, 110},     {BlockFormat::kBc4, {3, -1, -1, -2}, 8},
                                 {BlockFormat::kBc5, {0, 3, -1, -2}, 20},    {BlockFormat::kBc7, {0, 1, 2, 3}, 105},
                                 {BlockFormat::kAstc4x4, {0, 1, 2, 3}, 105}, {BlockFormat::kEacR11, {3, -1, -1, -2}, 4},
                                 {BlockFormat::kEacRg11, {0, 3, -1, -2}, 9}};
  for (const Target& target : kTargets) {
    const std::uint8_t first = target.from[1] == -1 ? 3 : 0;
    std::vector<std::byte> out(64 * 64 * block_bytes(target.format));
    ASSERT_TRUE(transcode_etc1s(blocks, BlockFormat::kEtc1sAlpha, target.format, out,
                                {.first_channel = first, .second_channel = 3}));
    std::vector<Rgba8> texels(expected.size());
    ASSERT_TRUE(decode_blocks(out, target.format, 256, 256, texels));
    double sum = 0;
    for (std::size_t t = 0; t < texels.size(); ++t) {
      for (unsigned c = 0; c < 4; ++c) {
        const int from = target.from[c];
        const int wanted = from == -1 ? 0 : from == -2 ? 255 : expected[t][static_cast<unsigned>(from)];
        sum += (texels[t][c] - wanted) * (texels[t][c] - wanted);
      }
    }
    const double mean = sum / static_cast<double>(texels.size());
    EXPECT_LE(mean, target.worst) << to_string(target.format);
  }
}

TEST(TranscodeEtc1s, two_colors_are_exact_where_endpoints_have_8_bits) {
  // Base color 16, 8 and 24 of 31, table 3, levels alternate between darkest and brightest.
  const std::array<std::uint8_t, 8> bytes = {16 << 3, 8 << 3, 24 << 3, 3 << 5 | 3 << 2 | 2, 0xf0, 0xf0, 0xff, 0xff};
  for (const BlockFormat target : {BlockFormat::kAstc4x4, BlockFormat::kBc7}) {
    std::array<std::byte, 16> out;
    ASSERT_TRUE(transcode_etc1s(std::as_bytes(std::span(bytes)), BlockFormat::kEtc1s, target, out));
    BlockTexels expected, texels;
    ASSERT_TRUE(decode_blocks(std::as_bytes(std::span(bytes)), BlockFormat::kEtc1s, 4, 4, expected));
    ASSERT_TRUE(decode_blocks(out, target, 4, 4, texels));
    for (unsigned t = 0; t < kBlockTexels; ++t) {
      for (unsigned c = 0; c < 4; ++c)
        EXPECT_NEAR(texels[t][c], expected[t][c], target == BlockFormat::kBc7 ? 1 : 0) << to_string(target);
    }
  }
}

TEST(TranscodeEtc1s, blocks_of_two_colors_are_refused_or_magenta) {
  const std::array<std::uint8_t, 8> etc1 = {0x12, 0x34, 0x56, 0x02, 0, 0, 0, 0};  // differences are not 0
  const ByteSpan blocks = std::as_bytes(std::span(etc1));
  std::array<std::byte, 64> out;
  const auto refused = transcode_etc1s(blocks, BlockFormat::kEtc1s, BlockFormat::kRgba8, out);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().to_string(),
            "block 0: found an ETC1 block of two colors or tables, expected ETC1S, which has one of each; encode the "
            "texture again; the file is damaged or not ETC1S");
  ASSERT_TRUE(transcode_etc1s(blocks, BlockFormat::kEtc1s, BlockFormat::kRgba8, out, {InvalidBlocks::kMagenta}));
  Rgba8 texel;
  std::memcpy(&texel, out.data(), 4);
  EXPECT_EQ(texel, kInvalidBlockColor);
  EXPECT_EQ(transcode_etc1s(blocks, BlockFormat::kUastc, BlockFormat::kRgba8, out).error().to_string(),
            "found uastc as the source, expected ETC1S");
  EXPECT_EQ(transcode_etc1s(blocks, BlockFormat::kEtc1s, BlockFormat::kUastc, out).error().to_string(),
            "found uastc as the target, expected another format");
  EXPECT_EQ(transcode_etc1s(blocks, BlockFormat::kEtc1s, BlockFormat::kBc7, out).error().to_string(),
            "found 8 bytes of ETC1S and room for 64, expected whole blocks of 8 and room for 16 each");
}

}  // namespace
}  // namespace assetc
