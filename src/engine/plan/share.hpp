// The share of a build that one of several machines compiles.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/plan/discover.hpp"
#include "engine/plan/partition.hpp"
#include "engine/plan/recorded_costs.hpp"
#include "engine/state/inputs.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

struct Shard {
  std::uint32_t number = 1;  // from 1
  std::uint32_t count = 1;
  bool operator==(const Shard&) const = default;
};

// Estimated compile time of a source of so many bytes that has no recorded cost.
std::uint64_t estimated_ns(const recipes::Recipe& recipe, std::string_view path, std::uint64_t bytes,
                           const recipes::Settings& settings);

// Selects the sources of one shard. All shards of the same tree, configuration and costs file compute the same result,
// whatever their stores contain.
//
// Everything inside a source is compiled with it. A picture that models name is compiled with the first of them, in
// tree order. If the names are incomplete or wrong, a picture is compiled twice, or by the build that assembles all
// shards. This only costs time.
class Share {
 public:
  // All arguments except the costs outlive it.
  Share(const Shard& shard, const Tree& input, const Sources& sources, const AssetRules& assets, FileTable& files,
        const RecordedCosts& costs);

  // By position in sources.claimed.
  bool has(std::size_t source) const { return has_[source]; }
  // Whether a model of any shard names the file.
  bool is_named(std::string_view path) const { return first_namer_.contains(path); }
  // Whether the picture is compiled with a model of another shard.
  bool leaves(std::string_view path) const;

 private:
  std::vector<bool> has_;
  std::unordered_map<std::string_view, std::size_t> first_namer_;  // by path of sources that others may take
};

}  // namespace assetc::engine
