// Chooses endpoint and levels of each block, in the order of the stream. Internal to the ETC1S encoder.
#pragma once

#include "codec/encode/etc1s/etc1s_codebook.hpp"

namespace assetc::codec {

// What the symbols of a slice cost, in the units of errors.
struct SymbolRates {
  std::array<std::uint32_t, 4> source{};  // by EndpointSource
  std::vector<std::uint32_t> delta;       // by the difference from the previous endpoint
  std::vector<std::uint32_t> endpoint;    // an entry's share of its place in the codebook
  std::vector<std::uint32_t> levels;      // by entry, with its share
  std::array<std::uint32_t, kLevelHistory> history{};
};

// Guesses, from the entries that blocks use.
SymbolRates first_rates(std::span<const BasisLzBlock> blocks, const Etc1sCodebooks& codebooks, const Etc1sPrice& price);
// From the symbols that blocks take.
SymbolRates rates_of(std::span<const BlockSlice> slices, std::span<const BasisLzBlock> blocks,
                     const Etc1sCodebooks& codebooks, const Etc1sPrice& price);

// Replaces the choices of all blocks by those of the least error and rate. Slices run in parallel.
void choose_blocks(Etc1sBlocks& blocks, std::span<const BlockSlice> slices, const Etc1sCodebooks& codebooks,
                   const Etc1sWeights& weights, const SymbolRates& rates);

}  // namespace assetc::codec
