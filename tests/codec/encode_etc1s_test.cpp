#include "codec/encode/etc1s/encode_etc1s.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "assetc/codec/basis_lz.hpp"
#include "assetc/codec/transcode.hpp"
#include "codec/encode/etc1s/basis_lz_codes.hpp"
#include "codec/pictures.hpp"
#include "codec/transcode/basis_lz_bits.hpp"
#include "parallel/parallel.hpp"

namespace assetc::codec {
namespace {

TexelView view_of(const Picture& picture) {
  return tight_rows(std::as_bytes(std::span(picture.texels)), picture.width, picture.height, 4);
}

Result<BasisLzTexture> encoded(std::span<const Picture> levels, const Etc1sOptions& options) {
  std::vector<TexelView> views;
  for (const Picture& level : levels) views.push_back(view_of(level));
  return encode_etc1s(views, options);
}

// The texels of a level, by the decoder that engines use. The second slice is alpha.
Picture decoded(const BasisLzTexture& texture, std::size_t level, std::uint32_t width, std::uint32_t height) {
  const auto decoder = BasisLzDecoder::open(
      {texture.endpoint_count, texture.selector_count, texture.endpoints, texture.selectors, texture.tables});
  EXPECT_TRUE(decoder) << decoder.error().to_string();
  Picture out = make_picture(width, height);
  if (!decoder) return out;
  const BasisLzTexture::Image& image = texture.images[level];
  const std::size_t stride = image.second.empty() ? 8 : 16;
  const std::uint32_t w = (width + 3) / 4, h = (height + 3) / 4;
  std::vector<std::byte> blocks(std::size_t{w} * h * stride);
  for (std::size_t s = 0; s < stride / 8; ++s) {
    const std::size_t at = s == 0 ? stride - 8 : 0;
    const auto done = decoder->decode_slice({s == 0 ? image.color : image.second, w, h},
                                            std::span(blocks).subspan(at, blocks.size() - (stride - 8)), stride);
    EXPECT_TRUE(done) << done.error().to_string();
  }
  std::vector<Rgba8> texels(std::size_t{width} * height);
  const auto done =
      decode_blocks(blocks, stride == 16 ? BlockFormat::kEtc1sAlpha : BlockFormat::kEtc1s, width, height, texels);
  EXPECT_TRUE(done) << done.error().to_string();
  std::memcpy(out.texels.data(), texels.data(), out.texels.size());
  return out;
}

double psnr(const Picture& a, const Picture& b, unsigned channels) {
  return 10 * std::log10(255 * 255 / std::max(squared_error(a, b, channels), 1e-9));
}

std::size_t size_of(const BasisLzTexture& texture) {
  std::size_t size = texture.endpoints.size() + texture.selectors.size() + texture.tables.size();
  for (const auto& image : texture.images) size += image.color.size() + image.second.size();
  return size;
}

constexpr unsigned kRgb = 7, kAlphaOnly = 8;

TEST(EncodeEtc1s, pictures_of_any_size_decode) {
  std::mt19937 random(5);
  const std::pair<std::uint32_t, std::uint32_t> sizes[] = {{1, 1},   {3, 5},   {4096, 1}, {1, 777},
                                                           {17, 33}, {64, 64}, {130, 66}};
  for (const auto& [width, height] : sizes) {
    for (const std::uint32_t quality : {1u, 128u, 255u}) {
      for (const bool second : {false, true}) {
        Picture picture = mixed_picture(width, height);
        if (quality == 128)
          for (auto& v : picture.texels) v = static_cast<std::uint8_t>(random());
        const auto texture = encoded({&picture, 1}, {.quality = quality, .has_second_slice = second});
        ASSERT_TRUE(texture) << texture.error().to_string();
        EXPECT_EQ(texture->images.at(0).second.empty(), !second);
        const Picture out = decoded(*texture, 0, width, height);
        EXPECT_GT(psnr(picture, out, kRgb), 7) << width << "x" << height << " " << quality;
      }
    }
  }
}

TEST(EncodeEtc1s, one_color_takes_a_few_bytes_and_is_close) {
  std::mt19937 random(6);
  for (int i = 0; i < 50; ++i) {
    Picture picture = make_picture(64, 48);
    for (std::size_t at = 0; at < picture.texels.size(); at += 4)
      for (std::size_t c = 0; c < 4; ++c)
        picture.texels[at + c] = at == 0 ? static_cast<std::uint8_t>(random()) : picture.texels[c];
    const auto texture = encoded({&picture, 1}, {.quality = 255, .has_second_slice = true});
    ASSERT_TRUE(texture);
    EXPECT_LT(size_of(*texture), 160u);
    const Picture out = decoded(*texture, 0, 64, 48);
    for (std::size_t c = 0; c < 4; ++c) EXPECT_LE(std::abs(out.texels[c] - picture.texels[c]), 5) << i;
  }
}

TEST(EncodeEtc1s, levels_share_codebooks) {
  const std::array<Picture, 3> levels = {mixed_picture(60, 36), mixed_picture(30, 18), mixed_picture(15, 9)};
  const auto texture = encoded(levels, {.quality = 255, .has_second_slice = true});
  ASSERT_TRUE(texture);
  ASSERT_EQ(texture->images.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const Picture out = decoded(*texture, i, levels[i].width, levels[i].height);
    EXPECT_GT(psnr(levels[i], out, kRgb), 18) << i;
    EXPECT_GT(psnr(levels[i], out, kAlphaOnly), 18) << i;
  }
}

TEST(EncodeEtc1s, quality_trades_size_for_error) {
  const auto picture = corpus_picture("kodim03.png");
  if (!picture) GTEST_SKIP() << "needs the corpus";
  std::size_t last_size = 0;
  double last_psnr = 0;
  for (const std::uint32_t quality : {1u, 64u, 128u, 255u}) {
    const auto texture = encoded({&*picture, 1}, {.quality = quality});
    ASSERT_TRUE(texture);
    const double reached = psnr(*picture, decoded(*texture, 0, picture->width, picture->height), kRgb);
    EXPECT_GT(size_of(*texture), last_size);
    EXPECT_GT(reached, last_psnr);
    last_size = size_of(*texture);
    last_psnr = reached;
  }
  EXPECT_GT(last_psnr, 36);
}

TEST(EncodeEtc1s, every_instruction_set_and_number_of_threads_gives_the_same_bytes) {
  const RestoreTargets restore;
  const std::array<Picture, 2> levels = {mixed_picture(260, 132), synthetic_picture(true)};
  for (const Effort effort : kEfforts) {
    Etc1sOptions options{.quality = 128, .has_second_slice = true};
    options.encode.effort = effort;
    hwy::SetSupportedTargetsForTest(0);
    const auto first = encoded(levels, options);
    ASSERT_TRUE(first);
    {
      const ThreadLimit one(1);
      EXPECT_EQ(*encoded(levels, options), *first);
    }
    for (std::int64_t targets = hwy::SupportedTargets(); targets != 0; targets &= targets - 1) {
      hwy::SetSupportedTargetsForTest(targets & -targets);
      EXPECT_EQ(*encoded(levels, options), *first) << hwy::TargetName(targets & -targets);
    }
  }
}

TEST(EncodeEtc1s, refuses_options_out_of_range) {
  const Picture picture = make_picture(4, 4);
  EXPECT_EQ(encode_etc1s({}, {}).error().code, ErrorCode::kUsage);
  EXPECT_EQ(encoded({&picture, 1}, {.quality = 0}).error().to_string(),
            "found an ETC1S quality of 0, expected 1 to 255");
  EXPECT_EQ(encoded({&picture, 1}, {.quality = 256}).error().code, ErrorCode::kUsage);
  const Picture empty;
  EXPECT_EQ(encoded({&empty, 1}, {}).error().code, ErrorCode::kUsage);
}

// Counts of every shape, also those whose codes would be longer than 16 bits.
TEST(BasisLzCodes, decoders_read_what_is_written) {
  std::mt19937 random(9);
  for (int i = 0; i < 300; ++i) {
    std::vector<std::uint32_t> counts(1 + random() % (i % 10 == 0 ? 16383 : 60));
    std::uint32_t a = 1, b = 1;
    for (auto& n : counts) {
      if (i % 3 == 0) n = random() % 3;
      if (i % 3 == 1) n = random() % 5 == 0 ? 1 + random() % 1000 : 0;
      if (i % 3 == 2) {  // Fibonacci numbers have the longest codes
        n = a;
        a = std::exchange(b, std::min(a + b, 1u << 30));
      }
    }
    const HuffmanCode code(counts);
    StreamWriter bits;
    for (std::uint32_t s = 0; s < counts.size(); ++s)
      if (code.length(s) != 0) code.put(bits, s);
    const ByteVector bytes = bits.finish();
    std::vector<std::uint8_t> lengths(counts.size());
    for (std::uint32_t s = 0; s < counts.size(); ++s) lengths[s] = static_cast<std::uint8_t>(code.length(s));
    HuffmanTable table;
    ASSERT_TRUE(table.build(lengths)) << i;
    StreamBits reader(bytes);
    for (std::uint32_t s = 0; s < counts.size(); ++s) {
      EXPECT_TRUE(counts[s] == 0 || code.length(s) != 0);
      if (code.length(s) != 0) {
        ASSERT_EQ(table.read(reader), s) << i;
      }
    }
    EXPECT_FALSE(reader.is_past_end());
  }
}

}  // namespace
}  // namespace assetc::codec
