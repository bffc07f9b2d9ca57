// Chooses the hints of a UASTC block for the best transcodings to BC1, ETC1 and ETC2 alpha.
#pragma once

#include <cstdint>
#include <span>

#include "assetc/codec/texel.hpp"
#include "codec/block/uastc_block.hpp"
#include "codec/encode/common/planar_block.hpp"

namespace assetc::codec {

// How much of the space of ETC1 and EAC hints is searched.
enum class HintEffort : std::uint8_t {
  kFast,    // the likeliest bias of ETC1 in the layout that fits best, a few tables of EAC
  kNormal,  // more of both, and a fresh BC1 encoding as an alternative if the mode does not store hint 1
  kBest,    // still more, and a fresh BC1 encoding as an alternative in every mode
};

// Sets block.hints (block.solid_hints for a solid block) so that the transcodings come nearest to source. decoded is
// decode_uastc(block). Every other field is kept. The result is the same on every machine.
// If the source no longer exists, source and decoded may be the same object.
void choose_hints(UastcBlock& block, const BlockTexels& decoded, const BlockTexels& source,
                  HintEffort effort = HintEffort::kNormal);

// The same for blocks[i] for every i in order, from their planes and many at a time. None of these blocks may be solid.
void choose_hints(std::span<UastcBlock> blocks, std::span<const PlanarBlock> decoded,
                  std::span<const PlanarBlock> source, std::span<const std::uint32_t> order, HintEffort effort);

// Makes a complete solid block, including its hints.
UastcBlock make_solid_uastc(Rgba8 color);

}  // namespace assetc::codec
