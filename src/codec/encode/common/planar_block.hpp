// Blocks as the searches read them, and their kind. Internal to the encoders.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "assetc/codec/texel.hpp"

namespace assetc::codec {

// The kind of a block: the channels that vary. Kinds that share modes of UASTC are adjacent.
inline constexpr std::size_t kBlockKinds = 5;
enum class BlockKind : std::uint8_t {
  kOpaque,      // alpha is 255
  kGrayOpaque,  // R = G = B too
  kGrayAlpha,   // R = G = B
  kAlpha,
  kSolid,  // one color
};

// The texels of one 4x4 block, one channel after the other: R 0-15, G 0-15, B 0-15, A 0-15, in raster order.
struct PlanarBlock {
  alignas(64) std::array<std::uint8_t, 64> texels;
};

// Computes the planes and the kind of every block.
void split_blocks(std::span<const BlockTexels> texels, std::span<PlanarBlock> blocks, std::span<BlockKind> kinds);

// The bits of a texel's word that are its color, without alpha.
inline constexpr std::uint32_t kColorBits = std::bit_cast<std::uint32_t>(Rgba8{255, 255, 255, 0});

// Whether at least half of the 24 pairs of neighbors are equal. This is usual in drawings, text and flat colors, and
// rare in photographs.
inline bool is_synthetic(const BlockTexels& block) {
  const auto texels = std::bit_cast<std::array<std::uint32_t, kBlockTexels>>(block);
  const auto alike = [&](unsigned a, unsigned b) { return texels[a] == texels[b]; };
  unsigned pairs = 0;
  for (unsigned t = 0; t < 12; ++t) pairs += alike(t, t + 4);
  for (unsigned t = 0; t < 15; ++t) pairs += t % 4 != 3 && alike(t, t + 1);
  return pairs >= 12;
}

}  // namespace assetc::codec
