#include "codec/encode/etc/encode_etc.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "assetc/codec/transcode.hpp"
#include "codec/block/etc_block.hpp"
#include "codec/encode/etc/etc2_search.hpp"
#include "hwy/targets.h"

namespace assetc::codec {
namespace {

BlockTexels decoded(const std::uint8_t* block) { return decode_etc2_rgb(block); }

double rgb_error(const BlockTexels& a, const BlockTexels& b) {
  double error = 0;
  for (unsigned t = 0; t < kBlockTexels; ++t)
    for (unsigned c = 0; c < 3; ++c) error += (a[t][c] - b[t][c]) * (a[t][c] - b[t][c]);
  return error;
}

// Finds the ETC2 mode of a block: the overflow of a differential base color selects it.
enum class Mode { kHalves, kT, kH, kPlanar };
Mode mode_of(const std::uint8_t* b) {
  if ((b[3] & 2) == 0) return Mode::kHalves;
  const auto overflows = [&](unsigned at) {
    const int sum = (b[at] >> 3) + ((b[at] & 7) ^ 4) - 4;
    return sum < 0 || sum > 31;
  };
  return overflows(0) ? Mode::kT : overflows(1) ? Mode::kH : overflows(2) ? Mode::kPlanar : Mode::kHalves;
}

TEST(Etc2Block, t_and_h_blocks_decode_to_the_paints_that_were_packed) {
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    const auto four = [&] { return static_cast<std::uint8_t>(random() & 15); };
    Etc2Paints paints{
        (i & 1) != 0, {{{four(), four(), four()}, {four(), four(), four()}}}, static_cast<std::uint8_t>(random() & 7)};
    if (paints.h && paints.base[0] == paints.base[1]) paints.distance |= 1;
    TexelIndices chosen;
    for (auto& c : chosen) c = static_cast<std::uint8_t>(random() & 3);
    std::uint8_t block[8];
    pack_etc2_paints(paints, chosen, block);
    ASSERT_EQ(mode_of(block), paints.h ? Mode::kH : Mode::kT);
    const auto colors = paints.colors();
    const BlockTexels texels = decoded(block);
    for (unsigned t = 0; t < kBlockTexels; ++t) ASSERT_EQ(texels[t], colors[chosen[t]]) << i;
  }
}

TEST(Etc2Block, planar_blocks_decode_to_their_corners) {
  std::mt19937 random(4);
  for (int i = 0; i < 20000; ++i) {
    const auto color = [&] {
      return Rgb8{static_cast<std::uint8_t>(random() & 63), static_cast<std::uint8_t>(random() & 127),
                  static_cast<std::uint8_t>(random() & 63)};
    };
    const Etc2Plane plane{color(), color(), color()};
    std::uint8_t block[8];
    pack_etc2_planar(plane, block);
    ASSERT_EQ(mode_of(block), Mode::kPlanar);
    const Rgb8& o = plane.origin;
    const Rgba8 want = {static_cast<std::uint8_t>(o.r << 2 | o.r >> 4), static_cast<std::uint8_t>(o.g << 1 | o.g >> 6),
                        static_cast<std::uint8_t>(o.b << 2 | o.b >> 4), 255};
    const BlockTexels texels = decoded(block);
    ASSERT_EQ(texels[0], want);
    // Half of the way along an edge.
    const auto wide7 = [](int v) { return v << 1 | v >> 6; };
    ASSERT_EQ(texels[2].g, (2 * wide7(plane.horizontal.g) + 2 * wide7(o.g) + 2) >> 2);
    ASSERT_EQ(texels[8].g, (2 * wide7(plane.vertical.g) + 2 * wide7(o.g) + 2) >> 2);
  }
}

BlockTexels found(const BlockTexels& texels, Effort effort, Mode* mode = nullptr) {
  std::uint8_t block[8];
  search_etc2(texels, {effort, {64, 64, 64}}, block);
  if (mode != nullptr) *mode = mode_of(block);
  return decoded(block);
}

TEST(EncodeEtc, a_gradient_is_planar_and_near_exact) {
  BlockTexels texels;
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    const unsigned x = t & 3, y = t >> 2;
    texels[t] = {static_cast<std::uint8_t>(40 + 20 * x), static_cast<std::uint8_t>(200 - 15 * y),
                 static_cast<std::uint8_t>(90 + 10 * x + 5 * y), 255};
  }
  Mode mode;
  const BlockTexels got = found(texels, Effort::kNormal, &mode);
  EXPECT_EQ(mode, Mode::kPlanar);
  // A corner of 6 bits is off by 2 at most, and so are the values between corners.
  for (unsigned t = 0; t < kBlockTexels; ++t)
    for (unsigned c = 0; c < 3; ++c) EXPECT_NEAR(got[t][c], texels[t][c], 3);
}

TEST(EncodeEtc, two_colors_side_by_side_take_paints) {
  BlockTexels texels;
  for (unsigned t = 0; t < kBlockTexels; ++t)  // a checkerboard: no half has one color
    texels[t] = (t + t / 4) % 2 == 0 ? Rgba8{238, 17, 34, 255} : Rgba8{0, 102, 221, 255};
  Mode mode;
  const BlockTexels got = found(texels, Effort::kNormal, &mode);
  EXPECT_TRUE(mode == Mode::kT || mode == Mode::kH);
  // T gives one color exactly and the other with its distance 3; H gives both with a distance of 3.
  for (unsigned t = 0; t < kBlockTexels; ++t)
    for (unsigned c = 0; c < 3; ++c) EXPECT_NEAR(got[t][c], texels[t][c], 3);
}

TEST(EncodeEtc, more_effort_is_never_worse_on_the_whole) {
  std::mt19937 random(5);
  std::array<double, 3> errors{};
  for (int i = 0; i < 500; ++i) {
    BlockTexels texels;
    const unsigned spread = 1 + random() % 120;
    const unsigned base[3] = {static_cast<unsigned>(random() % 130), static_cast<unsigned>(random() % 130),
                              static_cast<unsigned>(random() % 130)};
    for (Rgba8& t : texels)
      for (unsigned c = 0; c < 3; ++c) t.set(c, static_cast<std::uint8_t>(base[c] + random() % spread));
    for (unsigned e = 0; e < 3; ++e) errors[e] += rgb_error(found(texels, static_cast<Effort>(e)), texels);
  }
  EXPECT_LT(errors[1], errors[0]);
  EXPECT_LT(errors[2], errors[1]);
}

TEST(EncodeEtc, solid_colors_are_within_a_planar_corner) {
  std::mt19937 random(6);
  for (int i = 0; i < 2000; ++i) {
    BlockTexels texels;
    texels.fill({static_cast<std::uint8_t>(random()), static_cast<std::uint8_t>(random()),
                 static_cast<std::uint8_t>(random()), 255});
    for (const Effort effort : {Effort::kFast, Effort::kNormal, Effort::kBest}) {
      const BlockTexels got = found(texels, effort);
      // Planar corners of 6, 7 and 6 bits are off by 2, 1 and 2 at most; the chosen mode must be at least as near.
      ASSERT_LE(rgb_error(got, texels), kBlockTexels * (2 * 2 + 1 * 1 + 2 * 2));
    }
  }
}

TEST(EncodeEtc, the_same_bytes_on_every_instruction_set) {
  std::mt19937 random(8);
  std::vector<BlockTexels> blocks(300);
  for (BlockTexels& b : blocks)
    for (Rgba8& t : b)
      t = {static_cast<std::uint8_t>(random() % 90), static_cast<std::uint8_t>(random()),
           static_cast<std::uint8_t>(60 + random() % 40), 255};
  std::vector<std::uint8_t> first;
  for (std::int64_t targets = hwy::SupportedTargets(); targets != 0; targets &= targets - 1) {
    hwy::SetSupportedTargetsForTest(targets & -targets);
    std::vector<std::uint8_t> out(blocks.size() * 8);
    for (std::size_t i = 0; i < blocks.size(); ++i)
      search_etc2(blocks[i], {static_cast<Effort>(i % 3), {64, 40, 3}}, &out[i * 8]);
    if (first.empty()) first = out;
    EXPECT_EQ(out, first) << hwy::TargetName(targets & -targets);
  }
  hwy::SetSupportedTargetsForTest(0);
}

// The largest error of eight steps over a range is half of the widest step.
TEST(EncodeEtc, one_channel_is_within_half_a_step) {
  std::mt19937 random(9);
  for (const unsigned spread : {1u, 2u, 6u, 40u, 200u}) {
    for (int i = 0; i < 300; ++i) {
      TexelIndices values;
      const unsigned low = random() % (256 - spread);
      for (auto& v : values) v = static_cast<std::uint8_t>(low + random() % spread);
      ChannelValues16 wide;
      for (unsigned t = 0; t < kBlockTexels; ++t) wide[t] = static_cast<std::uint16_t>(values[t] * 257);
      for (const unsigned tries : {1u, 2u, 3u}) {
        std::uint8_t block[8];
        search_eac_r11(wide, tries, block);
        const BlockTexels got = decode_eac_r11(block);
        for (unsigned t = 0; t < kBlockTexels; ++t)
          ASSERT_NEAR(got[t].r, values[t], spread <= 6 ? 0 : spread / 8 + 3) << spread << " " << tries;
      }
    }
  }
}

// A value of 11 bits as specified: Khronos Data Format Specification 1.3, 22.5.
int r11_of(const std::uint8_t* block, unsigned texel) {
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < 8; ++i) bits = bits << 8 | block[i];
  const int base = static_cast<int>(bits >> 56), multiplier = static_cast<int>(bits >> 52 & 15);
  const unsigned column_major = texel % 4 * 4 + texel / 4;
  const int modifier = kEacModifiers[bits >> 48 & 15][bits >> (45 - 3 * column_major) & 7];
  return std::clamp(base * 8 + 4 + (multiplier == 0 ? modifier : modifier * multiplier * 8), 0, 2047);
}

// Values that differ by at most a few steps of 8 bits.
TEST(EncodeEtc, eleven_bits_are_kept) {
  std::mt19937 random(10);
  for (const int spread : {1, 2, 8, 16, 28}) {
    std::array<double, 3> error{};
    for (int i = 0; i < 300; ++i) {
      std::array<int, kBlockTexels> values;
      ChannelValues16 wide;
      const auto low = static_cast<int>(random() % (2048u - static_cast<unsigned>(spread)));
      for (unsigned t = 0; t < kBlockTexels; ++t) {
        values[t] = low + static_cast<int>(random() % static_cast<unsigned>(spread));
        wide[t] = static_cast<std::uint16_t>((values[t] * 65535 + 1023) / 2047);
      }
      for (const unsigned tries : {1u, 2u, 3u}) {
        std::uint8_t block[8];
        search_eac_r11(wide, tries, block);
        for (unsigned t = 0; t < kBlockTexels; ++t) {
          const int miss = r11_of(block, t) - values[t];
          ASSERT_LE(std::abs(miss), spread / 4 + 4) << spread << " " << tries;
          error[tries - 1] += miss * miss / (300.0 * kBlockTexels);
        }
      }
    }
    EXPECT_LE(error[1], error[0]) << spread;
    EXPECT_LE(error[2], error[1]) << spread;
    // Even steps over the range would have this error.
    EXPECT_LT(std::sqrt(error[2]), spread / 8.0 / std::sqrt(12.0) * 1.3 + 0.3) << spread;
  }
}

TEST(EncodeEtc, eac_reads_two_numbers_of_sixteen_bits) {
  std::vector<std::uint16_t> texels;
  for (unsigned t = 0; t < 16; ++t)
    texels.insert(texels.end(), {static_cast<std::uint16_t>(0x8000 + 64 * (t % 4)), 0x4000});
  std::uint8_t block[16];
  ASSERT_TRUE(encode_etc(EtcFormat::kEacRg11, {std::as_bytes(std::span(texels)), 4, 4, 16}, {Effort::kBest},
                         std::as_writable_bytes(std::span(block))));
  for (unsigned t = 0; t < 16; ++t) {
    EXPECT_NEAR(r11_of(block, t), 1024 + 2 * static_cast<int>(t % 4), 1) << t;  // between 0x8000 and 0x80C0
    EXPECT_NEAR(r11_of(block + 8, t), 0x4000 * 2047 / 65535.0, 0.51);
  }
}

TEST(EncodeEtc, images_of_any_size_decode_near_their_texels) {
  for (std::uint32_t width = 1; width <= 7; ++width) {
    for (std::uint32_t height = 1; height <= 5; ++height) {
      std::vector<Rgba8> texels;
      texels.reserve(width * height);
      for (std::uint32_t i = 0; i < width * height; ++i)
        texels.push_back({static_cast<std::uint8_t>(50 + 4 * (i % width)),
                          static_cast<std::uint8_t>(180 - 5 * (i / width)), 77,
                          static_cast<std::uint8_t>(255 - 6 * (i % width))});
      for (const auto& [format, as, channels] : {std::tuple{EtcFormat::kEtc2Rgb, BlockFormat::kEtc1, 3u},
                                                 {EtcFormat::kEtc2Rgba, BlockFormat::kEtc2Rgba, 4u},
                                                 {EtcFormat::kEacR11, BlockFormat::kEacR11, 1u},
                                                 {EtcFormat::kEacRg11, BlockFormat::kEacRg11, 2u}}) {
        std::vector<std::byte> blocks(block_count(width, height) * etc_block_bytes(format));
        std::vector<Rgba8> source = texels;
        if (channels < 3)  // two values of 16 bits
          for (Rgba8& t : source) t = {t.r, t.r, t.g, t.g};
        ASSERT_TRUE(encode_etc(format, tight_rows(std::as_bytes(std::span(source)), width, height, 4), {}, blocks));
        std::vector<Rgba8> back(texels.size());
        ASSERT_TRUE(decode_blocks(blocks, as, width, height, back));
        for (std::size_t t = 0; t < texels.size(); ++t)
          for (unsigned c = 0; c < channels; ++c) ASSERT_NEAR(back[t][c], texels[t][c], 4);
      }
    }
  }
}

TEST(EncodeEtc, room_that_does_not_fit_is_refused) {
  const std::vector<std::byte> rgba(64);
  std::vector<std::byte> blocks(16);
  EXPECT_FALSE(encode_etc(EtcFormat::kEtc2Rgb, {rgba, 4, 4, 16}, {}, blocks));
  EXPECT_TRUE(encode_etc(EtcFormat::kEtc2Rgba, {rgba, 4, 4, 16}, {}, blocks));
}

}  // namespace
}  // namespace assetc::codec
