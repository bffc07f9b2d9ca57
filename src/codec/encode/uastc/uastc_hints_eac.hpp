// The search for the hints for transcoding alpha to EAC, one block per SIMD lane.
#pragma once

#include <cstdint>
#include <span>

#include "codec/encode/common/planar_block.hpp"
#include "codec/encode/uastc/uastc_hints.hpp"

namespace assetc::codec {

struct EacChoice {
  std::uint8_t table = 0;
  std::uint8_t multiplier = 0;
};

// For every i in order, sets choices[i] to the hints with which uastc_to_eac_alpha comes nearest to source[i], among
// those that effort tries, for a block that decodes to decoded[i]. Every i in order must be below the size of the other
// spans. The result for a block depends only on the block.
void search_eac_hints(std::span<const PlanarBlock> source, std::span<const PlanarBlock> decoded,
                      std::span<const std::uint32_t> order, HintEffort effort, std::span<EacChoice> choices);

}  // namespace assetc::codec
