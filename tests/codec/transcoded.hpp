// Decodes transcoded blocks to texels and measures their distance from others.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "assetc/codec/transcode.hpp"
#include "codec/block/uastc_block.hpp"

namespace assetc {

inline ByteSpan bytes_of(const codec::UastcBytes& block) { return std::as_bytes(std::span(block)); }

inline double mean_square(const BlockTexels& a, const BlockTexels& b, unsigned first, unsigned last) {
  double e = 0;
  for (unsigned t = 0; t < kBlockTexels; ++t)
    for (unsigned c = first; c <= last; ++c) e += (a[t][c] - b[t][c]) * (a[t][c] - b[t][c]);
  return e / (kBlockTexels * (last - first + 1));
}

inline BlockTexels decode(BlockFormat format, ByteSpan block) {
  BlockTexels texels;
  const auto ok = decode_blocks(block, format, 4, 4, texels);
  EXPECT_TRUE(ok.has_value()) << ok.error().to_string();
  return texels;
}

inline BlockTexels through(BlockFormat target, const codec::UastcBlock& block) {
  const codec::UastcBytes bytes = codec::pack_uastc(block);
  std::vector<std::byte> out(block_bytes(target));
  const auto ok = transcode_uastc(bytes_of(bytes), target, out);
  EXPECT_TRUE(ok.has_value()) << ok.error().to_string();
  return decode(target, out);
}

}  // namespace assetc
