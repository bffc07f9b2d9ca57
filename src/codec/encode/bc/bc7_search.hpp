// The search for the best BC7 block, blocks side by side in SIMD lanes. Internal to the encoder.
//
// A kernel works on blocks that share a shape (mode, partition, rotation), so that a subset's texels are the same in
// every lane and each subset is fitted on its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/block/bc7_block.hpp"
#include "codec/encode/common/partition_candidate.hpp"
#include "codec/encode/common/planar_block.hpp"
#include "codec/encode/common/ramp_effort.hpp"

namespace assetc::codec {

struct Bc7Shape {
  std::uint8_t mode = 6;
  std::uint8_t partition = 0;
  std::uint8_t rotation = 0;
  std::uint8_t index_select = 0;
};

// The best block so far, and its weighted squared error; a huge error for none yet.
struct Bc7Choice {
  float error = 1e30f;
  Bc7Block block;
};

struct Bc7FitSettings {
  std::array<float, 4> channel_weights{1, 1, 1, 1};  // of a channel's squared error, > 0
  bool opaque = true;                                // alpha is 255 in every block, and stays so
  bool gray = false;                                 // R = G = B in every block, too
  RampEffort effort;
  EndReach reach, subset_reach;  // of gray: in mode 6, and in the modes of subsets
};

// Fits shape to blocks[i] for every i of order, and replaces best[i] where the fit is better.
// What comes out for a block does not depend on its neighbors, on the number of lanes or on the instruction set.
void fit_bc7(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order, Bc7Shape shape,
             const Bc7FitSettings& settings, std::span<Bc7Choice> best);

// Estimates the error of every partition of blocks[order[i]], two subsets or three: the count best are left in
// candidates[count * i] and after it, best first. loss is the fraction of a subset's variance along its axis that
// indices leave behind. Only the first partition_count partitions are looked at. count <= kMaxPartitionCandidates.
void rank_bc7_two_subsets(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order,
                          const Bc7FitSettings& settings, float loss, int count,
                          std::span<PartitionCandidate> candidates);
void rank_bc7_three_subsets(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order,
                            const Bc7FitSettings& settings, float loss, unsigned partition_count, int count,
                            std::span<PartitionCandidate> candidates);

// The same for blocks of opaque gray, in subset_count subsets of levels levels: what these leave where they lie between
// the extremes of a subset, of its very texels or, where even, of as many that are spread evenly.
struct GrayRanking {
  unsigned subset_count, partition_count, levels;
  bool even;
};
void rank_bc7_gray(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order,
                   const Bc7FitSettings& settings, const GrayRanking& what, int count,
                   std::span<PartitionCandidate> candidates);

// The same for rotations, 0 being alpha with indices of its own. Blocks with alpha have 0 to 3, opaque ones 1 to 3.
void rank_bc7_rotations(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order,
                        const Bc7FitSettings& settings, float loss, int count,
                        std::span<PartitionCandidate> candidates);

// Fits mode 5 to blocks of two colors, with every pair of indices that the two can have.
void fit_bc7_two_colors(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order,
                        const Bc7FitSettings& settings, std::span<Bc7Choice> best);

}  // namespace assetc::codec
