// Choosing the hints of a UASTC block: how its transcodings to BC1, ETC1 and ETC2 alpha come out best.
#pragma once

#include <cstdint>
#include <span>

#include "assetc/codec/texel.hpp"
#include "codec/block/uastc_block.hpp"
#include "codec/encode/common/planar_block.hpp"

namespace assetc::codec {

// How much of the space of ETC1 and EAC hints is searched.
enum class HintEffort : std::uint8_t {
  kFast,    // the likeliest bias of ETC1 in the layout that suits best, a few tables of EAC
  kNormal,  // more of both, and what a fresh BC1 encoding would do better where its weights are not stored
  kBest,    // more still, and what a fresh BC1 encoding would do better everywhere
};

// Sets block.hints (block.solid_hints for a solid block) so that the transcodings come nearest to source.
// decoded is decode_uastc(block). Every other field is kept. Deterministic: the same bits everywhere.
// source and decoded may be the same object when the source is gone.
void choose_hints(UastcBlock& block, const BlockTexels& decoded, const BlockTexels& source,
                  HintEffort effort = HintEffort::kNormal);

// The same for blocks[i] for every i of order, none of them solid, from their planes: many at a time.
void choose_hints(std::span<UastcBlock> blocks, std::span<const PlanarBlock> decoded,
                  std::span<const PlanarBlock> source, std::span<const std::uint32_t> order, HintEffort effort);

// A whole solid block, hints included.
UastcBlock make_solid_uastc(Rgba8 color);

}  // namespace assetc::codec
