// Splits points into compact groups of about equal size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assetc::mesh::cluster {

// A point with a direction. The caller scales the direction: points whose directions are opposite should be as far
// apart as points on both ends of a group.
using SplitPoint = std::array<float, 6>;

struct SplitOptions {
  std::size_t parts = 1;     // groups; 1 <= parts <= items
  std::size_t max_size = 0;  // of a group; parts * max_size >= items
  // Where each split of n groups is made: at n * numerator / 5 of them. 2 or 3; other values of the same hierarchy
  // give other borders.
  unsigned fifths = 0;  // 0: in the middle
};

// Reorders items, which index points, so that each group is a run, and returns the ends of the runs: options.parts
// numbers. Splits along the axis on which the points are spread most. Requires finite points. The result does not
// depend on the number of threads.
std::vector<std::uint32_t> split(std::span<std::uint32_t> items, std::span<const SplitPoint> points,
                                 const SplitOptions& options);

}  // namespace assetc::mesh::cluster
