// Decodes the texels of a compiled .ktx2 for tests.
#pragma once

#include <gtest/gtest.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <vector>

#include "assetc/codec/transcode.hpp"
#include "assetc/formats/ktx2.hpp"

namespace assetc::testing {

struct PixelLevel {
  std::uint32_t width = 0, height = 0;
  ByteVector rgba;
  std::array<int, 4> at(std::uint32_t x, std::uint32_t y) const {
    std::array<int, 4> t{};
    for (std::size_t c = 0; c < 4; ++c) t[c] = std::to_integer<int>(rgba[(std::size_t{y} * width + x) * 4 + c]);
    return t;
  }
};

inline ByteVector inflate_level(const ktx2::View& view, std::size_t level) {
  const ktx2::Level& l = view.levels()[level];
  if (view.supercompression() == ktx2::Supercompression::kNone) return {l.bytes.begin(), l.bytes.end()};
  ByteVector out(l.uncompressed_size_bytes);
  const std::size_t size = ZSTD_decompress(out.data(), out.size(), l.bytes.data(), l.bytes.size());
  EXPECT_EQ(size, out.size());
  return out;
}

// Image `index` (layer-major, then face; or a slice of depth) of a level of a UASTC or RGBA8 texture.
inline PixelLevel read_pixels(ByteSpan file, std::size_t level, std::size_t index = 0) {
  const auto view = ktx2::View::open(file);
  EXPECT_TRUE(view) << view.error().to_string();
  PixelLevel out{view->levels()[level].width_texels, view->levels()[level].height_texels, {}};
  const ByteVector bytes = inflate_level(*view, level);
  out.rgba.resize(std::size_t{out.width} * out.height * 4);
  if (view->format() == TexelFormat::kRgba8) {
    const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(index * out.rgba.size());
    std::copy_n(from, out.rgba.size(), out.rgba.begin());
    return out;
  }
  EXPECT_EQ(view->format(), TexelFormat::kUastc);
  const std::size_t size = block_count(out.width, out.height) * 16;
  const ByteSpan blocks = ByteSpan(bytes).subspan(index * size, size);
  ByteVector texels(*transcoded_bytes(BlockFormat::kRgba8, size));
  const auto done = transcode_uastc(blocks, BlockFormat::kRgba8, texels);
  EXPECT_TRUE(done) << done.error().to_string();
  const std::size_t blocks_across = (out.width + 3) / 4;
  for (std::uint32_t y = 0; y < out.height; ++y) {
    for (std::uint32_t x = 0; x < out.width; ++x) {
      const std::size_t from = ((y / 4 * blocks_across + x / 4) * 16 + y % 4 * 4 + x % 4) * 4;
      std::copy_n(texels.begin() + static_cast<std::ptrdiff_t>(from), 4,
                  out.rgba.begin() + static_cast<std::ptrdiff_t>((std::size_t{y} * out.width + x) * 4));
    }
  }
  return out;
}

}  // namespace assetc::testing
