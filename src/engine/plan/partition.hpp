// Divides work among machines that do not communicate: each machine computes the same result.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace assetc::engine {

// Work that one machine compiles as a whole.
struct WorkUnit {
  std::string_view name;  // unique
  std::uint64_t cost_ns = 0;
};

inline constexpr std::uint32_t kMaxShards = 4096;

// Returns the shard of each unit, from 0. shards: 1 to kMaxShards.
//
// Assigns the largest unit first:
// - A unit that takes longer than an equal part of all remaining work gets a shard of its own.
// - Any other unit goes to the shard that its name prefers among those with room for it. The room of a shard is an
//   equal part plus an eighth. If no shard has room, the unit goes to the shard with the least work.
//
// Therefore the longest shard is at most an eighth, or half of its largest unit, above the optimum, and most units keep
// their shard when there is one shard or unit more. The result depends only on names and costs, not on their order.
std::vector<std::uint32_t> partition(std::span<const WorkUnit> units, std::uint32_t shards);

}  // namespace assetc::engine
