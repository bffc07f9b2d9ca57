// The codebooks of an ETC1S texture: the first ones, and how they follow the blocks that use them. Internal to the
// encoder.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codec/encode/etc1s/basis_lz_write.hpp"

namespace assetc::codec {

// The error that saving a bit may cost, in the units of the kernels.
struct Etc1sPrice {
  double bit = 0;
  std::uint32_t of(double bits) const { return static_cast<std::uint32_t>(bits * bit + 0.5); }
};

// About how many bits the entries of the codebooks take.
inline constexpr double kEndpointEntryBits = 14;
inline constexpr double kLevelsEntryBits = 22;

// The best entries for a block on its own, best first.
inline constexpr unsigned kEndpointChoices = 4;
using EndpointChoices = std::array<std::uint16_t, kEndpointChoices>;

// What is known of each block, by its place.
struct Etc1sBlocks {
  std::vector<Etc1sTexels> texels;
  std::vector<Etc1sFit> fits;       // each block on its own
  std::vector<Etc1sLevels> levels;  // the best ones with the current endpoint
  std::vector<BasisLzBlock> chosen;
  std::vector<EndpointChoices> endpoints;
  std::size_t count() const { return texels.size(); }
};

// Fits every block, clusters the fits, and gives each block its endpoints and levels.
std::vector<Etc1sEndpoint> first_endpoints(Etc1sBlocks& blocks, const Etc1sWeights& weights, const Etc1sPrice& price);

// Clusters the best levels of blocks, and gives each block an entry.
std::vector<Etc1sLevels> first_levels(Etc1sBlocks& blocks, std::span<const Etc1sEndpoint> endpoints,
                                      const Etc1sWeights& weights, const Etc1sPrice& price);

// Gives each block the best entries for it on its own, near the one that it has, and the best of these.
void choose_endpoints(Etc1sBlocks& blocks, std::span<const Etc1sEndpoint> endpoints, const Etc1sWeights& weights);

// Removes entries that no block uses, and changes the others to fit the blocks that use them. With resort, sorts the
// endpoints so that blocks in a row have numbers that are close.
void update_codebooks(Etc1sBlocks& blocks, std::span<const BlockSlice> slices, const Etc1sWeights& weights,
                      Etc1sCodebooks& codebooks, bool resort);

// Sorts the levels so that each entry differs little from the one before. Blocks are renumbered.
void sort_levels(Etc1sBlocks& blocks, std::vector<Etc1sLevels>& levels);

}  // namespace assetc::codec
