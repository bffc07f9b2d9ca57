// The search for ETC1 hints of many blocks, one in every SIMD lane: what the encoder uses. search_etc1 is
// its equal for a single block.
#pragma once

#include <cstdint>
#include <span>

#include "codec/etc1_search.hpp"
#include "codec/uastc_hints.hpp"
#include "codec/uastc_search.hpp"

namespace assetc::codec {

// For every i of order, choices[i] is what brings uastc_to_etc1 nearest to source[i], among what effort tries, for a
// block that decodes to decoded[i] and whose mode stores a bias if biased[i] is not 0. All of order is below the size of
// the other spans. A block's result depends on nothing but the block.
void search_etc1_lanes(std::span<const PlanarBlock> source, std::span<const PlanarBlock> decoded,
                       std::span<const std::uint8_t> biased, std::span<const std::uint32_t> order, HintEffort effort,
                       std::span<Etc1Choice> choices);

}  // namespace assetc::codec
