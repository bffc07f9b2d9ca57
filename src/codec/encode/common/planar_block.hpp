// Blocks as the searches read them, and what can be told of one at a glance. Internal to the encoders.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "assetc/codec/texel.hpp"

namespace assetc::codec {

// What a block's texels are: decides which classes are tried. In an order that puts the kinds of each class side by
// side.
inline constexpr std::size_t kBlockKinds = 5;
enum class BlockKind : std::uint8_t {
  kOpaque,      // alpha is 255 everywhere: the class kOpaque
  kGreyOpaque,  // R = G = B too: kOpaque, with more levels and patterns, and kGreyAlpha, with finer endpoints
  kGreyAlpha,   // R = G = B in every texel: kGreyAlpha and kAlpha
  kAlpha,       // kAlpha
  kSolid,       // one colour: none
};

// Texels of one 4x4 block, a channel after the other: R 0-15, G 0-15, B 0-15, A 0-15, raster order.
struct PlanarBlock {
  alignas(64) std::array<std::uint8_t, 64> texels;
};

// Planes of blocks, and what kind each is.
void split_blocks(std::span<const BlockTexels> texels, std::span<PlanarBlock> blocks, std::span<BlockKind> kinds);

// Bits of a texel's word that are its colour, without alpha.
inline constexpr std::uint32_t kColourBits = std::bit_cast<std::uint32_t>(Rgba8{255, 255, 255, 0});

// Whether many texels equal a neighbour, as in drawn art, text and flat colours, and hardly ever in a
// photograph: half of the 24 pairs of neighbours.
inline bool looks_drawn(const BlockTexels& block) {
  const auto texels = std::bit_cast<std::array<std::uint32_t, kBlockTexels>>(block);
  const auto alike = [&](unsigned a, unsigned b) { return texels[a] == texels[b]; };
  unsigned pairs = 0;
  for (unsigned t = 0; t < 12; ++t) pairs += alike(t, t + 4);
  for (unsigned t = 0; t < 15; ++t) pairs += t % 4 != 3 && alike(t, t + 1);
  return pairs >= 12;
}

}  // namespace assetc::codec
