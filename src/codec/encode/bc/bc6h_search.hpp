// The search for the best BC6H block, with blocks side by side in SIMD lanes. Internal to the encoder.
//
// A kernel works on blocks of one partition, so the texels of a subset are the same in every lane. The mode, which is
// the precision of the endpoints, may differ between the lanes of one call.
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

// Blocks of red, green and blue: the low and the high bytes of half floats, which are finite and not negative.
struct HalfPlanes {
  std::vector<PlanarBlock> low, high;
};

// The best block so far and its squared error, measured in the bits of half floats. The error is huge if there is no
// block yet.
struct Bc6hChoice {
  float error = 1e30f;
  Bc6hBlock block;
};

// For every i in order, fits the modes of one subset, or of two subsets with that partition, to blocks[i]. Replaces
// best[i] if the fit is better.
// The result for a block does not depend on its neighbors, the number of lanes or the instruction set.
void fit_bc6h_one_subset(const HalfPlanes& blocks, std::span<const std::uint32_t> order, const RampEffort& effort,
                         std::span<Bc6hChoice> best);
void fit_bc6h_two_subsets(const HalfPlanes& blocks, std::span<const std::uint32_t> order, unsigned partition,
                          const RampEffort& effort, std::span<Bc6hChoice> best);

// Estimates the error of every partition for blocks[order[i]]. Writes the count best to candidates[count * i] and the
// following elements, as rank_bc7_two_subsets does.
void rank_bc6h_partitions(const HalfPlanes& blocks, std::span<const std::uint32_t> order, float loss, int count,
                          std::span<PartitionCandidate> candidates);

}  // namespace assetc::codec
