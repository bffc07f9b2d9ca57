// Pictures for the encoders' tests: generated, read and compared.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <spng.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codec/encode/common/encode_options.hpp"
#include "corpus.hpp"

namespace assetc::codec {

inline constexpr Effort kEfforts[] = {Effort::kFast, Effort::kNormal, Effort::kBest};

struct Picture {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint8_t> texels;
  std::uint8_t* at(std::uint32_t x, std::uint32_t y) { return &texels[(std::size_t{y} * width + x) * 4]; }
};

inline Picture make_picture(std::uint32_t width, std::uint32_t height) {
  return {width, height, std::vector<std::uint8_t>(std::size_t{width} * height * 4)};
}

class Random {
 public:
  std::uint32_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 33);
  }
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint32_t>(n)); }

 private:
  std::uint64_t state_ = 7;
};

// Has every kind of block: smooth, edged, noisy, solid, gray, with and without alpha.
inline Picture mixed_picture(std::uint32_t width, std::uint32_t height) {
  Picture picture = make_picture(width, height);
  Random random;
  for (std::uint32_t by = 0; by < height; by += 4)
    for (std::uint32_t bx = 0; bx < width; bx += 4) {
      const int kind = random.below(8);
      const int noise = 1 << random.below(7);
      int a[4], b[4];
      for (int c = 0; c < 4; ++c) {
        a[c] = random.below(256);
        b[c] = random.below(256);
      }
      if (kind != 5 && kind != 6) a[3] = b[3] = 255;
      const int slope = random.below(7) - 3;
      for (std::uint32_t y = by; y < std::min(by + 4, height); ++y)
        for (std::uint32_t x = bx; x < std::min(bx + 4, width); ++x)
          for (int c = 0; c < 4; ++c) {
            const int along = static_cast<int>(x - bx) * 3 + static_cast<int>(y - by) * slope + 9;
            int v = a[c];
            if (kind == 1 || kind == 5) v += (b[c] - a[c]) * along / 36;
            if (kind == 2) v = along > 12 ? a[c] : b[c];
            if (kind == 3 || kind == 6) v += random.below(noise) - noise / 2;
            if (kind == 4) v = a[0] + (b[0] - a[0]) * along / 36;
            if (kind == 7) v = random.below(256);
            if (c == 3 && kind != 5 && kind != 6) v = 255;
            picture.at(x, y)[c] = static_cast<std::uint8_t>(std::clamp(v, 0, 255));
          }
    }
  return picture;
}

// Soft waves with grain, as in a photograph of cloth or sand.
inline Picture grainy_picture(std::uint32_t width, std::uint32_t height) {
  Picture picture = make_picture(width, height);
  Random random;
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      const int wave = static_cast<int>((x * 5 + y * 3) / 8 % 64) - 32;
      const int grain = random.below(24);
      const std::array<int, 4> color{128 + std::abs(wave) + grain, 110 + std::abs(wave) / 2 + grain, 70 + grain / 2,
                                     255};
      for (unsigned c = 0; c < 4; ++c) picture.at(x, y)[c] = static_cast<std::uint8_t>(std::clamp(color[c], 0, 255));
    }
  return picture;
}

// Slopes that change slowly in every channel.
inline Picture gradient_picture() {
  Picture picture = make_picture(256, 128);
  for (std::uint32_t y = 0; y < 128; ++y)
    for (std::uint32_t x = 0; x < 256; ++x) {
      const std::uint8_t color[4] = {std::uint8_t(60 + x / 3), std::uint8_t(90 + y / 2),
                                     std::uint8_t(150 + (x + y) / 8), 255};
      std::memcpy(picture.at(x, y), color, 4);
    }
  return picture;
}

// Every second row of blocks has blocks of one color, the others are those of mixed_picture(). 128 x 128.
inline Picture half_solid_picture() {
  Picture picture = mixed_picture(128, 128);
  Random random;
  for (std::uint32_t by = 0; by < 128; by += 8)
    for (std::uint32_t bx = 0; bx < 128; bx += 4) {
      const std::uint32_t color = random.next() << 1 | (bx & 4 ? 0xff000000u : 0);
      for (std::uint32_t t = 0; t < 16; ++t) std::memcpy(picture.at(bx + t % 4, by + t / 4), &color, 4);
    }
  return picture;
}

// Strokes over flat colors with blended edges: few values, which only some modes and partitions can hold together.
inline Picture synthetic_picture(bool alpha) {
  Picture picture = make_picture(128, 128);
  for (std::uint32_t y = 0; y < 128; ++y)
    for (std::uint32_t x = 0; x < 128; ++x) {
      const std::uint32_t cell = x / 16 + y / 16 * 8;
      const auto channel = [&](std::uint32_t k) { return (cell + 1) * k % 256; };
      const std::uint32_t paper[] = {channel(29), channel(71), channel(113), alpha ? 0u : 255u};
      const std::uint32_t ink[] = {channel(181), channel(47), channel(7), 255u};
      // A slanted stroke, two and a half texels wide; its edge covers a half or a quarter of a texel.
      const std::uint32_t at = (x + y * (cell % 3 + 1) / 2) % 16;
      const std::uint32_t cover = at < 5 || at > 8 ? 0 : at == 5 ? 2 : at == 8 ? 1 : 4;
      for (std::uint32_t c = 0; c < 4; ++c)
        picture.at(x, y)[c] = static_cast<std::uint8_t>((paper[c] * (4 - cover) + ink[c] * cover + 2) / 4);
    }
  return picture;
}

inline std::size_t zstd_bytes(std::span<const std::byte> blocks, int level = 6) {
  std::vector<std::byte> out(ZSTD_compressBound(blocks.size()));
  return ZSTD_compress(out.data(), out.size(), blocks.data(), blocks.size(), level);
}

// Mean squared error over the channels whose bits are set.
inline double squared_error(const Picture& a, const Picture& b, unsigned channels) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.texels.size(); ++i)
    if (channels >> (i % 4) & 1) {
      const double miss = static_cast<double>(a.texels[i]) - b.texels[i];
      sum += miss * miss;
      ++count;
    }
  return sum / static_cast<double>(count);
}

// A picture of our corpus, or of the larger one; nullopt if neither has it.
inline std::optional<Picture> corpus_picture(const std::string& name) {
  Result<Bytes> bytes = fail(ErrorCode::kNotFound, "no such file");
  for (const auto& folder : corpus::folders("images"))
    if (!bytes) bytes = corpus::read_file(folder / name);
  if (!bytes) return std::nullopt;
  spng_ctx* context = spng_ctx_new(0);
  spng_set_png_buffer(context, bytes->data(), bytes->size());
  spng_ihdr header{};
  spng_get_ihdr(context, &header);
  Picture picture = make_picture(header.width, header.height);
  const int error = spng_decode_image(context, picture.texels.data(), picture.texels.size(), SPNG_FMT_RGBA8, 0);
  spng_ctx_free(context);
  EXPECT_EQ(error, 0) << name;
  return picture;
}

// Restores the instruction sets that a test disabled.
class RestoreTargets {
 public:
  ~RestoreTargets() { hwy::SetSupportedTargetsForTest(0); }
};

}  // namespace assetc::codec
