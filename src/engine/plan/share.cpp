#include "engine/plan/share.hpp"

#include <algorithm>
#include <deque>
#include <optional>

#include "parallel/parallel.hpp"

namespace assetc::engine {
namespace {

// The cost of any step, however small: planning and file access.
constexpr std::uint64_t kStepNs = 200'000;
constexpr double kMostScaledNs = 1e15;
// A part of a divided source takes at least this fraction of a shard's time, and this many times the time of reading
// the source, which is a fraction of compiling it without its children.
constexpr std::uint64_t kPartsOfShard = 4;
constexpr std::uint64_t kLeastReads = 2;
constexpr std::uint64_t kReadsOfOwn = 4;

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
  std::optional<recipes::HeadEstimate> head;
  std::vector<std::string> names;
  // What else is compiled with it: the cost and number of the pictures that it is the first to name.
  std::uint64_t named_ns = 0, named = 0;

  // The part of cost_ns that is for children.
  std::uint64_t children_ns() const {
    if (!head || head->children_ns == 0) return 0;
    const double all = static_cast<double>(head->own_ns) + static_cast<double>(head->children_ns);
    return static_cast<std::uint64_t>(static_cast<double>(cost_ns) * (static_cast<double>(head->children_ns) / all));
  }
  std::uint64_t own_ns() const { return cost_ns - std::min(cost_ns, children_ns()); }
  std::uint64_t shared_ns() const { return named_ns + children_ns(); }
  std::uint64_t read_ns() const { return own_ns() / kReadsOfOwn; }
  // How many shards may compile its children.
  std::uint32_t parts(std::uint64_t shard_ns, std::uint32_t shards) const {
    const std::uint64_t children = named + (head ? head->children : 0);
    const std::uint64_t least_ns = std::max<std::uint64_t>({1, shard_ns / kPartsOfShard, read_ns() * kLeastReads});
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
        shared_ns() / least_ns, 1, std::max<std::uint64_t>(1, std::min<std::uint64_t>(children, shards))));
  }
};

class Survey {
 public:
  Survey(const Tree& input, const Sources& sources, const AssetRules& assets, FileTable& files)
      : sources_(sources.claimed.size()) {
    parallel_for(sources_.size(), [&](std::size_t i) {
      const Source& claimed = sources.claimed[i];
      Weighed& source = sources_[i];
      source.recipe = assets.recipes[claimed.recipe];
      source.path = input.path(claimed.entry);
      source.settings = &assets.settings_of(source.path);
      source.bytes = bytes_of(input, claimed.entry);
      if (source.recipe->named_files == nullptr && source.recipe->estimate_head == nullptr) return;
      PeekingInputs peek(files);
      const recipes::Step step = step_of(source.path, *source.recipe);
      if (source.recipe->named_files != nullptr) source.names = source.recipe->named_files(step, peek);
      if (source.recipe->estimate_head != nullptr)
        source.head = source.recipe->estimate_head(step, peek, *source.settings);
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

  // The shards of each source, from 0: one for each of its parts, the first of which makes its outputs.
  std::vector<std::vector<std::uint32_t>> shards(std::uint32_t count, const RecordedCosts& costs) {
    weigh(costs);
    std::uint64_t total_ns = 0;
    for (const Weighed& source : sources_) {
      total_ns += source.cost_ns;
      const auto namer = first_namer_.find(source.path);
      if (namer == first_namer_.end()) continue;
      sources_[namer->second].named_ns += source.cost_ns;
      ++sources_[namer->second].named;
    }
    std::deque<std::string> names;  // of parts
    std::vector<WorkUnit> units;
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const Weighed& source = sources_[i];
      if (first_namer_.contains(source.path)) continue;
      const std::uint32_t parts = source.parts(total_ns / count, count);
      const std::uint64_t part_ns = source.shared_ns() / parts;
      for (std::uint32_t part = 0; part < parts; ++part) {
        std::string_view name = source.path;
        if (part > 0) name = names.emplace_back(std::string(name) + "/" + std::to_string(part));
        units.push_back({name, part_ns + (part > 0 ? source.read_ns() : source.own_ns())});
        positions.push_back(i);
      }
    }
    const std::vector<std::uint32_t> shard_of_unit = partition(units, count);
    std::vector<std::vector<std::uint32_t>> shards_of(sources_.size());
    for (std::size_t u = 0; u < units.size(); ++u) shards_of[positions[u]].push_back(shard_of_unit[u]);
    for (const auto& [path, namer] : first_namer_) shards_of[by_path_.at(path)] = {shards_of[namer].front()};
    return shards_of;
  }
  std::string_view path(std::size_t source) const { return sources_[source].path; }

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
      source.cost_ns = source.head ? kStepNs + source.head->own_ns + source.head->children_ns
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
  const std::vector<std::vector<std::uint32_t>> shards_of = survey.shards(shard.count, costs);
  const auto is_ours = [&](std::uint32_t of) { return of == shard.number - 1; };
  of_source_.reserve(shards_of.size());
  for (std::size_t i = 0; i < shards_of.size(); ++i) {
    const std::vector<std::uint32_t>& parts = shards_of[i];
    of_source_.push_back(is_ours(parts.front())                ? Has::kOutputs
                         : std::ranges::any_of(parts, is_ours) ? Has::kChildren
                                                               : Has::kNothing);
    if (parts.size() == 1) continue;
    std::vector<bool>& ours = parts_[survey.path(i)];
    for (const std::uint32_t of : parts) ours.push_back(is_ours(of));
  }
  for (const auto& [path, namer] : survey.first_namer()) first_namer_.emplace(path, Namer{namer, survey.path(namer)});
}

bool Share::makes_child(std::string_view source, std::size_t number, std::string_view input_path) const {
  const auto namer = first_namer_.find(input_path);
  if (namer != first_namer_.end() && namer->second.path != source)
    return makes_outputs(namer->second.source) && !parts_.contains(namer->second.path);
  const auto divided = parts_.find(source);
  return divided == parts_.end() || divided->second[number % divided->second.size()];
}

}  // namespace assetc::engine
