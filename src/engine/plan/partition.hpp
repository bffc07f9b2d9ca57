// How work is divided among machines that do not talk to one another: each computes the same answer.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace assetc::engine {

// What is compiled by one machine as a whole.
struct WorkUnit {
  std::string_view name;  // unlike any other's
  std::uint64_t cost_ns = 0;
};

inline constexpr std::uint32_t kMaxShards = 4096;

// Of each unit, the shard that it goes to, from 0; shards is 1 to kMaxShards.
//
// The largest first. A unit that takes longer than an equal part of all that is left has a shard of its own; each other
// goes to the shard that its name prefers among those with room for it, which is an eighth more than an equal part, or
// where none has, to the one with least. So the longest shard is at most an eighth, or half of its largest unit, above
// the best, and most units stay where they are when there is a shard or a unit more. It depends on names and costs
// alone, not on their order.
std::vector<std::uint32_t> partition(std::span<const WorkUnit> units, std::uint32_t shards);

}  // namespace assetc::engine
