#include "engine/plan/partition.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "assetc/base/bytes.hpp"
#include "assetc/base/hash.hpp"

namespace assetc::engine {
namespace {

// More than two hours. The sum of two million such units still fits.
constexpr std::uint64_t kMostUnitNs = std::uint64_t{1} << 43;
constexpr std::uint64_t kRoomParts = 8;

// How much a unit prefers a shard: the finalizer of SplitMix64. Source: G. Steele et al., Fast Splittable Pseudorandom
// Number Generators, 2014.
std::uint64_t preference(std::uint64_t name_hash, std::uint32_t shard) {
  std::uint64_t x = name_hash + (shard + 1) * 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

class Shards {
 public:
  explicit Shards(std::uint32_t count) : load_ns_(count), closed_(count) {}

  std::uint32_t open() const { return open_count_; }
  // Closes one of the open shards that have nothing yet.
  std::uint32_t close_one(std::uint64_t name_hash) {
    const std::uint32_t shard = best(name_hash, 0, 0);
    closed_[shard] = true;
    --open_count_;
    return shard;
  }
  std::uint32_t add(std::uint64_t name_hash, std::uint64_t cost_ns, std::uint64_t room_ns) {
    const std::uint32_t shard = best(name_hash, cost_ns, room_ns);
    load_ns_[shard] += cost_ns;
    return shard;
  }

 private:
  // The preferred one of the open shards with room. If none has room, the least loaded one.
  std::uint32_t best(std::uint64_t name_hash, std::uint64_t cost_ns, std::uint64_t room_ns) const {
    using Rank = std::tuple<bool, std::uint64_t, std::uint64_t>;  // has room, least load, preference
    Rank best_rank{};
    std::uint32_t best = 0;
    bool found = false;
    for (std::uint32_t shard = 0; shard < load_ns_.size(); ++shard) {
      if (closed_[shard]) continue;
      const bool fits = load_ns_[shard] + cost_ns <= room_ns;
      const Rank rank{fits, fits ? 0 : ~load_ns_[shard], preference(name_hash, shard)};
      if (found && rank <= best_rank) continue;
      best_rank = rank;
      best = shard;
      found = true;
    }
    return best;
  }

  std::vector<std::uint64_t> load_ns_;
  std::vector<bool> closed_;
  std::uint32_t open_count_ = static_cast<std::uint32_t>(load_ns_.size());
};

}  // namespace

std::vector<std::uint32_t> partition(std::span<const WorkUnit> units, std::uint32_t shards) {
  // Units without a cost are spread, too.
  const auto cost = [&](std::size_t i) { return std::clamp<std::uint64_t>(units[i].cost_ns, 1, kMostUnitNs); };
  std::vector<std::size_t> order(units.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return cost(a) != cost(b) ? cost(a) > cost(b) : units[a].name < units[b].name;
  });
  std::uint64_t left_ns = 0;
  for (std::size_t i : order) left_ns += cost(i);

  std::vector<std::uint32_t> shard_of(units.size());
  Shards all(shards);
  const auto hash = [&](std::size_t i) { return xxh3_64(as_bytes(units[i].name)); };
  std::size_t next = 0;
  for (; next < order.size() && all.open() > 1; ++next) {
    const std::size_t i = order[next];
    if (cost(i) <= left_ns / all.open()) break;
    shard_of[i] = all.close_one(hash(i));
    left_ns -= cost(i);
  }
  const std::uint64_t part_ns = left_ns / all.open();
  for (; next < order.size(); ++next) {
    const std::size_t i = order[next];
    shard_of[i] = all.add(hash(i), cost(i), part_ns + part_ns / kRoomParts);
  }
  return shard_of;
}

}  // namespace assetc::engine
