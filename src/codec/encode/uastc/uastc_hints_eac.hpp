// The search for the hints that say how alpha is transcoded to EAC, one block in every SIMD lane.
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

// For every i of order, choices[i] is what brings uastc_to_eac_alpha nearest to source[i], among what effort tries, for
// a block that decodes to decoded[i]. All of order is below the size of the other spans. A block's result depends on
// nothing but the block.
void search_eac_hints(std::span<const PlanarBlock> source, std::span<const PlanarBlock> decoded,
                      std::span<const std::uint32_t> order, HintEffort effort, std::span<EacChoice> choices);

}  // namespace assetc::codec
