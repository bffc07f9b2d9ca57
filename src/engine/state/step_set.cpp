#include "engine/state/step_set.hpp"

#include <algorithm>

namespace assetc::engine {

std::vector<bool> StepSet::in(const State& state) const {
  std::vector<bool> found(state.steps.size());
  StepRecord scratch;
  for (const Member& step : members_) {
    std::uint32_t position = step.position;
    if (position == Positions::kNone) {
      const StepRecord& record = step.record.read(scratch);
      position = *state.steps.find(step_id(record.recipe, record.stem));
    }
    found[position] = true;
  }
  return found;
}

std::vector<std::string> StepSet::files(const Target& target) const {
  std::vector<std::string> files;
  each([&](const StepRecord& record, const Member&) {
    std::ranges::move(files_of(record, target), std::back_inserter(files));
  });
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
  StepRecord scratch;
  for (std::size_t i = 0; i < state.steps.size(); ++i)
    std::ranges::move(files_of(state.steps[i].read(scratch), target), std::back_inserter(files));
  for (const std::string_view path : state.orphans) files.emplace_back(path);
  return files;
}

}  // namespace assetc::engine
