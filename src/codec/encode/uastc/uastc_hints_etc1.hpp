// The search for the ETC1 hints of many blocks, one block per SIMD lane.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "codec/encode/common/planar_block.hpp"
#include "codec/encode/uastc/uastc_hints.hpp"

namespace assetc::codec {

struct Etc1Choice {
  bool flip = false;
  bool diff = false;
  std::uint8_t bias = 0;
  std::array<std::uint8_t, 2> table{};
  std::uint32_t error = 0;  // squared, over R, G and B of 16 texels
  bool operator==(const Etc1Choice&) const = default;
};

// For every i in order, sets choices[i] to the hints with which uastc_to_etc1 comes nearest to source[i], among those
// that effort tries, for a block that decodes to decoded[i]. The mode of the block stores a bias if biased[i] is not 0.
// Every i in order must be below the size of the other spans. The result for a block depends only on the block.
void search_etc1_hints(std::span<const PlanarBlock> source, std::span<const PlanarBlock> decoded,
                       std::span<const std::uint8_t> biased, std::span<const std::uint32_t> order, HintEffort effort,
                       std::span<Etc1Choice> choices);

}  // namespace assetc::codec
