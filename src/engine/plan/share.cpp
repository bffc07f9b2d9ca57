#include "engine/plan/share.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <optional>

namespace assetc::engine {
namespace {

// The cost of any step, however small: planning and file access.
constexpr std::uint64_t kStepNs = 200'000;
constexpr double kMostScaledNs = 1e15;

recipes::Step step_of(std::string_view path, const recipes::Recipe& recipe) {
  recipes::Step step;
  step.recipe = &recipe;
  step.source = step.input_path = path;
  return step;
}

// A source and its estimated cost.
struct Weighed {
  const recipes::Recipe* recipe = nullptr;
  std::string_view path;
  const recipes::Settings* settings = nullptr;
  std::uint64_t bytes = 0;  // of its files, except those that are sources themselves
  std::uint64_t cost_ns = 0;
  std::optional<std::uint64_t> head_ns;  // estimated from the head of the file
  std::vector<std::string> names;
};

class Survey {
 public:
  Survey(const Tree& input, const Sources& sources, const AssetRules& assets, FileTable& files)
      : sources_(sources.claimed.size()) {
    tbb::parallel_for(std::size_t{0}, sources_.size(), [&](std::size_t i) {
      const Source& claimed = sources.claimed[i];
      Weighed& source = sources_[i];
      source.recipe = assets.recipes[claimed.recipe];
      source.path = input.path(claimed.entry);
      source.settings = &assets.settings_of(source.path);
      source.bytes = bytes_of(input, claimed.entry);
      if (source.recipe->named_files == nullptr && source.recipe->estimate_head_ns == nullptr) return;
      PeekingInputs peek(files);
      const recipes::Step step = step_of(source.path, *source.recipe);
      if (source.recipe->named_files != nullptr) source.names = source.recipe->named_files(step, peek);
      if (source.recipe->estimate_head_ns != nullptr)
        source.head_ns = source.recipe->estimate_head_ns(step, peek, *source.settings);
    });
    for (std::size_t i = 0; i < sources_.size(); ++i) by_path_.emplace(sources_[i].path, i);
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      for (const std::string& name : sources_[i].names) {
        if (const auto named = by_path_.find(name); named == by_path_.end()) {
          if (const auto at = files.find(name)) sources_[i].bytes += files.size_bytes(*at);
        } else if (sources_[named->second].recipe->stands_alone != nullptr) {
          first_namer_.try_emplace(sources_[named->second].path, i);
        }
      }
    }
  }

  const std::unordered_map<std::string_view, std::size_t>& first_namer() const { return first_namer_; }

  // The shard of each source, from 0.
  std::vector<std::uint32_t> shards(std::uint32_t count, const RecordedCosts& costs) {
    weigh(costs);
    std::vector<WorkUnit> units;
    std::vector<std::size_t> positions;
    std::vector<std::uint64_t> with_named(sources_.size());
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const auto namer = first_namer_.find(sources_[i].path);
      with_named[namer == first_namer_.end() ? i : namer->second] += sources_[i].cost_ns;
    }
    std::vector<std::uint32_t> shard_of(sources_.size());
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (first_namer_.contains(sources_[i].path)) continue;
      units.push_back({sources_[i].path, with_named[i]});
      positions.push_back(i);
    }
    const std::vector<std::uint32_t> shard_of_unit = partition(units, count);
    for (std::size_t u = 0; u < units.size(); ++u) shard_of[positions[u]] = shard_of_unit[u];
    for (const auto& [path, namer] : first_namer_) shard_of[by_path_.at(path)] = shard_of[namer];
    return shard_of;
  }

 private:
  // For a folder that is one source: the bytes of all files below it.
  static std::uint64_t bytes_of(const Tree& input, std::size_t entry) {
    if (input[entry].type != FileType::kDirectory) return input[entry].signature.size_bytes;
    const std::string below = std::string(input.path(entry)) + "/";
    std::uint64_t bytes = 0;
    for (std::size_t i = entry + 1; i < input.size() && input.path(i).starts_with(below); ++i)
      bytes += input[i].signature.size_bytes;
    return bytes;
  }

  // A source without a recorded cost gets its estimate multiplied by the median ratio of recorded to estimated costs,
  // because the machine that recorded the costs may be slow.
  void weigh(const RecordedCosts& costs) {
    std::vector<double> scales;
    for (Weighed& source : sources_) {
      source.cost_ns = source.head_ns ? kStepNs + *source.head_ns
                                      : estimated_ns(*source.recipe, source.path, source.bytes, *source.settings);
      if (const auto cost = costs.find(source.path); cost != costs.end())
        scales.push_back(static_cast<double>(cost->second) / static_cast<double>(source.cost_ns));
    }
    if (scales.empty()) return;
    const auto median = scales.begin() + static_cast<std::ptrdiff_t>(scales.size() / 2);
    std::ranges::nth_element(scales, median);
    for (Weighed& source : sources_) {
      const auto cost = costs.find(source.path);
      const double scaled = std::min(kMostScaledNs, static_cast<double>(source.cost_ns) * *median);
      source.cost_ns = cost != costs.end() ? cost->second : static_cast<std::uint64_t>(scaled);
    }
  }

  std::vector<Weighed> sources_;
  std::unordered_map<std::string_view, std::size_t> by_path_;
  std::unordered_map<std::string_view, std::size_t> first_namer_;
};

}  // namespace

std::uint64_t estimated_ns(const recipes::Recipe& recipe, std::string_view path, std::uint64_t bytes,
                           const recipes::Settings& settings) {
  if (recipe.estimate_ns == nullptr) return kStepNs + bytes * recipes::kUsualNsPerByte;
  return kStepNs + recipe.estimate_ns(path, bytes, settings);
}

Share::Share(const Shard& shard, const Tree& input, const Sources& sources, const AssetRules& assets, FileTable& files,
             const RecordedCosts& costs) {
  Survey survey(input, sources, assets, files);
  const std::vector<std::uint32_t> shards = survey.shards(shard.count, costs);
  has_.reserve(shards.size());
  for (std::uint32_t of : shards) has_.push_back(of == shard.number - 1);
  first_namer_ = survey.first_namer();
}

bool Share::leaves(std::string_view path) const {
  const auto namer = first_namer_.find(path);
  return namer != first_namer_.end() && !has_[namer->second];
}

}  // namespace assetc::engine
