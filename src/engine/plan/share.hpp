// The part of a build that one of several machines compiles.
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

// What a source of so many bytes takes to compile, where nobody recorded it.
std::uint64_t estimated_ns(const recipes::Recipe& recipe, std::string_view path, std::uint64_t bytes,
                           const recipes::Settings& settings);

// Of all sources those of one shard. All shards of one tree, one configuration and one file of costs compute the same,
// whatever lies in their stores.
//
// What is inside a source is compiled with it. A picture that models name is compiled with the first of them, in the
// order of the tree. What the names leave out or get wrong is compiled twice, or by whoever assembles: it costs time.
class Share {
 public:
  // All outlive it but the costs.
  Share(const Shard& shard, const Tree& input, const Sources& sources, const AssetRules& assets, FileTable& files,
        const RecordedCosts& costs);

  // By position in sources.claimed.
  bool has(std::size_t source) const { return has_[source]; }
  // Whether a model names the file, whichever shard has that.
  bool is_named(std::string_view path) const { return first_namer_.contains(path); }
  // Whether a picture is compiled with a model of another shard.
  bool leaves(std::string_view path) const;

 private:
  std::vector<bool> has_;
  std::unordered_map<std::string_view, std::size_t> first_namer_;  // by path of a source that others may take
};

}  // namespace assetc::engine
