// The search for the best BC6H block, blocks side by side in SIMD lanes. Internal to the encoder.
//
// A kernel works on blocks of one partition, so that a subset's texels are the same in every lane. Lanes of one call
// may differ in the mode, which is the precision of the endpoints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/block/bc6h_block.hpp"
#include "codec/encode/common/partition_candidate.hpp"
#include "codec/encode/common/planar_block.hpp"
#include "codec/encode/common/ramp_effort.hpp"

namespace assetc::codec {

// Blocks of red, green and blue, as the low and the high bytes of the bits of half floats: finite and not negative.
struct HalfPlanes {
  std::vector<PlanarBlock> low, high;
};

// The best block so far and its squared error, counted in the bits of halves; a huge error for none yet.
struct Bc6hChoice {
  float error = 1e30f;
  Bc6hBlock block;
};

// Fits the modes of one subset, or of two with that partition, to blocks[i] for every i of order, and replaces best[i]
// where the fit is better.
// What comes out for a block does not depend on its neighbors, on the number of lanes or on the instruction set.
void fit_bc6h_one_subset(const HalfPlanes& blocks, std::span<const std::uint32_t> order, const RampEffort& effort,
                         std::span<Bc6hChoice> best);
void fit_bc6h_two_subsets(const HalfPlanes& blocks, std::span<const std::uint32_t> order, unsigned partition,
                          const RampEffort& effort, std::span<Bc6hChoice> best);

// Estimates the error of every partition of blocks[order[i]]: the count best are left in candidates[count * i] and
// after it, as rank_bc7_two_subsets does.
void rank_bc6h_partitions(const HalfPlanes& blocks, std::span<const std::uint32_t> order, float loss, int count,
                          std::span<PartitionCandidate> candidates);

}  // namespace assetc::codec
