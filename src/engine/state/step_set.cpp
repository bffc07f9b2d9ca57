#include "engine/state/step_set.hpp"

#include <algorithm>

namespace assetc::engine {

void StepSet::add(StepSet other) { std::ranges::move(other.members_, std::back_inserter(members_)); }

std::unordered_set<StepId> StepSet::ids() const {
  std::unordered_set<StepId> ids;
  ids.reserve(members_.size());
  for (const Member& step : members_) ids.insert(step_id(step.record->recipe, step.record->stem));
  return ids;
}

std::vector<std::string> StepSet::files(const Target& target) const {
  std::vector<std::string> files;
  for (const Member& step : members_) std::ranges::move(files_of(*step.record, target), std::back_inserter(files));
  std::ranges::sort(files);
  return files;
}

std::vector<std::string> files_of(const StepRecord& record, const Target& target) {
  std::vector<std::string> files;
  files.reserve(record.outputs.size());
  for (const OutputRecord& output : record.outputs) files.push_back(target.file_path(record.stem, output.suffix));
  return files;
}

std::vector<std::string> files_of(const State& state, const Target& target) {
  std::vector<std::string> files;
  for (const auto& record : state.steps) std::ranges::move(files_of(*record, target), std::back_inserter(files));
  for (const std::string_view path : state.orphans) files.emplace_back(path);
  return files;
}

}  // namespace assetc::engine
