// Rate-distortion optimization of BC1 to BC7, ETC2 and EAC.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "assetc/codec/transcode.hpp"
#include "codec/encode/bc/encode_bc.hpp"
#include "codec/encode/etc/encode_etc.hpp"
#include "codec/encode/uastc/encode_uastc.hpp"
#include "codec/pictures.hpp"
#include "os/process.hpp"
#include "parallel/parallel.hpp"

namespace assetc::codec {
namespace {

using Encode = Result<void> (*)(const TexelView&, const EncodeOptions&, std::span<std::byte>);
struct RdoFormat {
  const char* name;
  Encode encode;
  std::size_t block_bytes;
  BlockFormat decode;
  unsigned channels;  // bits of those that it stores
  bool is_wide;       // takes two channels of 16 bits
  float block_bits() const { return static_cast<float>(8 * block_bytes); }
};
template <BcFormat kFormat>
Result<void> bc(const TexelView& texels, const EncodeOptions& options, std::span<std::byte> blocks) {
  return encode_bc(kFormat, texels, options, blocks);
}
template <EtcFormat kFormat>
Result<void> etc(const TexelView& texels, const EncodeOptions& options, std::span<std::byte> blocks) {
  return encode_etc(kFormat, texels, options, blocks);
}
constexpr RdoFormat kRdoFormats[] = {
    {"bc1", bc<BcFormat::kBc1>, 8, BlockFormat::kBc1, 7, false},
    {"bc3", bc<BcFormat::kBc3>, 16, BlockFormat::kBc3, 15, false},
    {"bc4", bc<BcFormat::kBc4>, 8, BlockFormat::kBc4, 1, true},
    {"bc5", bc<BcFormat::kBc5>, 16, BlockFormat::kBc5, 3, true},
    {"bc7", bc<BcFormat::kBc7>, 16, BlockFormat::kBc7, 15, false},
    {"etc2", etc<EtcFormat::kEtc2Rgb>, 8, BlockFormat::kEtc1, 7, false},
    {"etc2a", etc<EtcFormat::kEtc2Rgba>, 16, BlockFormat::kEtc2Rgba, 15, false},
    {"r11", etc<EtcFormat::kEacR11>, 8, BlockFormat::kEacR11, 1, true},
    {"rg11", etc<EtcFormat::kEacRg11>, 16, BlockFormat::kEacRg11, 3, true},
};
constexpr std::uint32_t kRdoSize = os::kLimitsMemory ? 256 : 128;  // smaller under a sanitizer

std::vector<std::byte> encode(const RdoFormat& format, const Picture& picture, const EncodeOptions& options) {
  std::vector<std::byte> blocks(block_count(picture.width, picture.height) * format.block_bytes);
  std::vector<std::uint8_t> texels = picture.texels;
  if (format.is_wide) {
    for (std::size_t i = 0; i < texels.size(); i += 4)
      texels[i + 2] = texels[i + 3] = texels[i + 1], texels[i + 1] = texels[i];
  }
  const auto done =
      format.encode(tight_rows(std::as_bytes(std::span(texels)), picture.width, picture.height, 4), options, blocks);
  EXPECT_TRUE(done) << done.error().to_string();
  return blocks;
}
std::vector<std::byte> encode(const RdoFormat& format, const Picture& picture, float lambda,
                              Effort effort = Effort::kNormal) {
  return encode(format, picture, {.effort = effort, .rdo = lambda});
}

Picture decode(const RdoFormat& format, const Picture& like, std::span<const std::byte> blocks) {
  Picture picture = make_picture(like.width, like.height);
  std::vector<Rgba8> texels(std::size_t{like.width} * like.height);
  const auto done = decode_blocks(blocks, format.decode, like.width, like.height, texels);
  EXPECT_TRUE(done) << done.error().to_string();
  std::memcpy(picture.texels.data(), texels.data(), picture.texels.size());
  return picture;
}

double rdo_error_of(const RdoFormat& format, const Picture& picture, std::span<const std::byte> blocks) {
  return squared_error(picture, decode(format, picture, blocks), format.channels);
}

Picture translucent_picture() {
  Picture picture = grainy_picture(kRdoSize, kRdoSize);
  for (std::uint32_t y = 0; y < kRdoSize; ++y)
    for (std::uint32_t x = 0; x < kRdoSize; ++x)
      picture.at(x, y)[3] = static_cast<std::uint8_t>(x + y / 2 + picture.at(x, y)[2] % 8);
  return picture;
}

TEST(BlockRdo, more_lambda_is_smaller_and_worth_its_error) {
  const Picture picture = translucent_picture();
  for (const RdoFormat& format : kRdoFormats) {
    for (const Effort effort : {Effort::kFast, Effort::kNormal}) {
      const auto plain = encode(format, picture, 0, effort);
      std::size_t before = zstd_bytes(plain);
      const auto first = static_cast<double>(before);
      for (const float lambda : {1.0f, 20.0f, 100.0f}) {
        const auto blocks = encode(format, picture, lambda, effort);
        const std::size_t bytes = zstd_bytes(blocks);
        EXPECT_LE(static_cast<double>(bytes), static_cast<double>(before) * 1.02) << format.name << " " << lambda;
        before = bytes;
        // At most the value of every bit of every block.
        const double channels = std::popcount(format.channels);
        EXPECT_LE(rdo_error_of(format, picture, blocks),
                  rdo_error_of(format, picture, plain) + lambda * format.block_bits() / (16 * channels))
            << format.name << " " << lambda;
      }
      // Few matches of grain fit into the 8 bytes of BC1 and ETC2.
      const double most = format.decode == BlockFormat::kEtc1 ? 1 : format.decode == BlockFormat::kBc1 ? 0.97 : 0.8;
      EXPECT_LT(static_cast<double>(before), most * first) << format.name;
    }
  }
}

TEST(BlockRdo, photographs_keep_their_quality) {
  for (const char* name : {"hills.png", "market.png", "kodim01.png"}) {
    const auto whole = corpus_picture(name);
    if (!whole) continue;
    // A part, because sanitizers make this slow.
    Picture picture = make_picture(std::min(whole->width, kRdoSize), std::min(whole->height, kRdoSize));
    for (std::uint32_t y = 0; y < picture.height; ++y)
      std::memcpy(picture.at(0, y), &whole->texels[std::size_t{y} * whole->width * 4], std::size_t{picture.width} * 4);
    for (const RdoFormat& format : kRdoFormats) {
      const auto plain = encode(format, picture, 0), small = encode(format, picture, 40);
      for (const int level : {6, 18})
        EXPECT_LT(static_cast<double>(zstd_bytes(small, level)), 0.98 * static_cast<double>(zstd_bytes(plain, level)))
            << name << " " << format.name;
      const auto psnr_db = [&](std::span<const std::byte> blocks) {
        return 10 * std::log10(255.0 * 255.0 / std::max(rdo_error_of(format, picture, blocks), 1e-3));
      };
      EXPECT_GT(psnr_db(small), std::min(psnr_db(plain) - 3, 34.0)) << name << " " << format.name;
    }
  }
}

TEST(BlockRdo, smooth_blocks_show_no_steps) {
  const Picture picture = gradient_picture();
  for (const RdoFormat& format : kRdoFormats) {
    const auto worst = [&](float lambda) {
      const Picture back = decode(format, picture, encode(format, picture, lambda));
      int most = 0;
      for (std::size_t i = 0; i < back.texels.size(); ++i)
        if (format.channels >> i % 4 & 1) most = std::max(most, std::abs(back.texels[i] - picture.texels[i]));
      return most;
    };
    EXPECT_LE(worst(10), std::max(4, worst(0) + 1)) << format.name;
  }
}

// Including those whose decoded color is exact.
TEST(BlockRdo, blocks_of_one_color_do_not_change) {
  const Picture picture = half_solid_picture();
  for (const RdoFormat& format : kRdoFormats) {
    const auto plain = encode(format, picture, 0), small = encode(format, picture, 100);
    const std::size_t row = 32 * format.block_bytes;
    for (std::size_t at = 0; at < plain.size(); at += 2 * row)
      ASSERT_EQ(std::memcmp(&plain[at], &small[at], row), 0) << format.name << " " << at;
  }
}

TEST(BlockRdo, opaque_blocks_stay_opaque) {
  const Picture picture = mixed_picture(256, 128);
  for (const RdoFormat& format : kRdoFormats) {
    // Gray: alpha has almost no weight, but no texel may become translucent.
    for (const Metric metric : {Metric::kColor, Metric::kGray}) {
      if (format.decode != BlockFormat::kBc7) continue;
      const Picture back = decode(format, picture, encode(format, picture, {.metric = metric, .rdo = 100}));
      for (std::uint32_t by = 0; by < 128; by += 4)
        for (std::uint32_t bx = 0; bx < 256; bx += 4) {
          bool opaque = true, kept = true;
          for (std::uint32_t t = 0; t < 16; ++t) {
            const std::size_t at = ((by + t / 4) * 256 + bx + t % 4) * 4 + 3;
            opaque = opaque && picture.texels[at] == 255;
            kept = kept && back.texels[at] == 255;
          }
          ASSERT_TRUE(!opaque || kept) << format.name << " " << bx << ", " << by;
        }
    }
  }
}

TEST(BlockRdo, takes_every_small_size) {
  const Picture whole = mixed_picture(8, 8);
  for (const RdoFormat& format : kRdoFormats)
    for (std::uint32_t height = 1; height <= 7; ++height)
      for (std::uint32_t width = 1; width <= 7; ++width) {
        Picture picture = make_picture(width, height);
        for (std::uint32_t y = 0; y < height; ++y) std::memcpy(picture.at(0, y), &whole.texels[y * 32], width * 4);
        EXPECT_LE(rdo_error_of(format, picture, encode(format, picture, 1)),
                  rdo_error_of(format, picture, encode(format, picture, 0)) + format.block_bits() * 4)
            << format.name << " " << width << "x" << height;
      }
}

TEST(BlockRdo, every_instruction_set_and_any_number_of_threads_gives_the_same_bytes) {
  const RestoreTargets restore;
  const Picture mixed = mixed_picture(132, 128), wide = grainy_picture(1024, 300);
  const std::int64_t all = hwy::SupportedTargets();
  for (const RdoFormat& format : kRdoFormats) {
    hwy::SetSupportedTargetsForTest(all);
    const auto expected = encode(format, mixed, 20);
    for (std::int64_t rest = all; rest != 0; rest &= rest - 1) {
      hwy::SetSupportedTargetsForTest(rest & -rest);
      EXPECT_EQ(encode(format, mixed, 20), expected) << format.name << " " << hwy::TargetName(rest & -rest);
    }
    hwy::SetSupportedTargetsForTest(all);
    const auto of_wide = encode(format, wide, 20, Effort::kFast);
    for (const int threads : {1, 3}) {
      Arena arena(threads);
      arena.execute([&] { EXPECT_EQ(encode(format, wide, 20, Effort::kFast), of_wide) << format.name << threads; });
    }
  }
}

}  // namespace
}  // namespace assetc::codec
