// The search for the best BC7 block, with blocks side by side in SIMD lanes. Internal to the encoder.
//
// A kernel works on blocks that share a shape (mode, partition, rotation), so the texels of a subset are the same in
// every lane. Each subset is fitted separately.
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

// The best block so far and its weighted squared error. The error is huge if there is no block yet.
struct Bc7Choice {
  float error = 1e30f;
  Bc7Block block;
};

struct Bc7FitSettings {
  std::array<float, 4> channel_weights{1, 1, 1, 1};  // of a channel's squared error, > 0
  bool opaque = true;                                // alpha is 255 in every block and stays 255
  bool gray = false;                                 // R = G = B in every block as well
  RampEffort effort;
  EndReach reach, subset_reach;  // for gray: in mode 6, and in the modes with subsets
};

// For every i in order, fits shape to blocks[i]. Replaces best[i] if the fit is better.
// The result for a block does not depend on its neighbors, the number of lanes or the instruction set.
void fit_bc7(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order, Bc7Shape shape,
             const Bc7FitSettings& settings, std::span<Bc7Choice> best);

// Estimates the error of every partition for blocks[order[i]], into two or three subsets. Writes the count best to
// candidates[count * i] and the following elements, best first. loss is the fraction of a subset's variance along its
// axis that remains after its indices. Only the first partition_count partitions are considered.
// count <= kMaxPartitionCandidates.
void rank_bc7_two_subsets(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order,
                          const Bc7FitSettings& settings, float loss, int count,
                          std::span<PartitionCandidate> candidates);
void rank_bc7_three_subsets(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order,
                            const Bc7FitSettings& settings, float loss, unsigned partition_count, int count,
                            std::span<PartitionCandidate> candidates);

// The same for blocks of opaque gray, with subset_count subsets and `levels` levels. The estimate is the error that
// levels between the extremes of a subset leave. If `even` is set, it assumes texels that are spread evenly between the
// extremes. Otherwise it measures the texels themselves.
struct GrayRanking {
  unsigned subset_count, partition_count, levels;
  bool even;
};
void rank_bc7_gray(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order,
                   const Bc7FitSettings& settings, const GrayRanking& what, int count,
                   std::span<PartitionCandidate> candidates);

// The same for rotations. Rotation 0 gives alpha its own indices. Blocks with alpha use 0 to 3, opaque blocks 1 to 3.
void rank_bc7_rotations(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order,
                        const Bc7FitSettings& settings, float loss, int count,
                        std::span<PartitionCandidate> candidates);

// Fits mode 5 to blocks of two colors. Tries every pair of indices for the two.
void fit_bc7_two_colors(std::span<const PlanarBlock> blocks, std::span<const std::uint32_t> order,
                        const Bc7FitSettings& settings, std::span<Bc7Choice> best);

}  // namespace assetc::codec
