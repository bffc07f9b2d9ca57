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

// Selects the work of one shard. All shards of the same tree, configuration and costs file compute the same result,
// whatever their stores contain.
//
// A source is compiled with everything inside it, and a picture that models name with the first of them, in tree order.
// If that takes so long that shards would wait for it, the source is divided into parts: the first part makes the
// outputs of the source, and child step number i belongs to part i modulo their number. Each shard with a part reads
// the source again.
//
// If the names are incomplete or wrong, a picture is compiled twice, or by the build that assembles all shards. This
// only costs time.
class Share {
 public:
  // All arguments except the costs outlive it.
  Share(const Shard& shard, const Tree& input, const Sources& sources, const AssetRules& assets, FileTable& files,
        const RecordedCosts& costs);

  // Whether the shard compiles the source or a part of it. source: position in sources.claimed.
  bool has(std::size_t source) const { return of_source_[source] != Has::kNothing; }
  // Whether the shard makes the outputs of the source.
  bool makes_outputs(std::size_t source) const { return of_source_[source] == Has::kOutputs; }
  // Whether a model of any shard names the file.
  bool is_named(std::string_view path) const { return first_namer_.contains(path); }
  // Whether the shard compiles child step `number` of a source of which it has a part.
  // input_path: the file that the child compiles; empty if its input is inside the source.
  bool makes_child(std::string_view source, std::size_t number, std::string_view input_path) const;

 private:
  enum class Has : std::uint8_t { kNothing, kChildren, kOutputs };
  struct Namer {
    std::size_t source;
    std::string_view path;
  };

  std::vector<Has> of_source_;
  std::unordered_map<std::string_view, Namer> first_namer_;        // by path of sources that others may take
  std::unordered_map<std::string_view, std::vector<bool>> parts_;  // of divided sources, by path: whether it is ours
};

}  // namespace assetc::engine
