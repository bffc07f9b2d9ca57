#include "engine/publish/prune.hpp"

#include <algorithm>

namespace assetc::engine {

Result<void> find_orphans(State& state, Publisher& publisher, const Target& target, LogWriter& log) {
  // By hash: one that is taken for another stays, as if it was not noted.
  std::vector<std::uint64_t> owned;
  owned.reserve(state.steps.size());
  for (const auto& record : state.steps) {
    for (const std::string& file : files_of(*record, target)) owned.push_back(xxh3_64(as_bytes(file)));
  }
  std::ranges::sort(owned);
  ASSETC_TRY(const auto loose, publisher.notes().all_but([&](std::string_view path) {
    return std::ranges::binary_search(owned, xxh3_64(as_bytes(path)));
  }));
  for (const std::string& path : loose) {
    const std::string_view kept = state.arena.keep(path);
    if (state.orphans.insert(kept).second) log.orphan(kept);
  }
  return {};
}

Pruned prune(State& state, const StepSet& live, Publisher& publisher, const Target& target, LogWriter& log) {
  const std::unordered_set<StepId> wanted = live.ids();
  std::vector<std::shared_ptr<const StepRecord>> gone;
  std::vector<std::string> doomed;
  for (const auto& record : state.steps) {
    if (wanted.contains(step_id(record->recipe, record->stem))) continue;
    std::ranges::move(files_of(*record, target), std::back_inserter(doomed));
    gone.push_back(record);
  }
  for (std::string_view path : state.orphans) doomed.emplace_back(path);
  std::erase_if(doomed, [&](const std::string& path) {
    return !check_output_path(target, path) || publisher.is_beyond_link(path);
  });
  if (!doomed.empty()) {
    std::ranges::sort(doomed);
    doomed.erase(std::ranges::unique(doomed).begin(), doomed.end());
    const std::vector<std::string> owned = live.files(target);
    std::erase_if(doomed, [&](const std::string& path) { return std::ranges::binary_search(owned, path); });
  }
  Pruned result;
  std::unordered_set<std::string> kept;
  for (std::string& path : doomed) {
    if (publisher.has_directory(path)) continue;  // not what was written there
    if (auto removed = publisher.remove(path); removed) {
      result.removed.push_back(std::move(path));
    } else {
      result.refused.push_back(std::move(removed).error());
      kept.insert(std::move(path));
    }
  }
  const auto is_kept = [&](std::string_view path) { return !kept.empty() && kept.contains(std::string(path)); };
  for (const auto& record : gone) {
    if (std::ranges::any_of(files_of(*record, target), is_kept)) continue;
    const StepId id = step_id(record->recipe, record->stem);
    log.erase_step(id);
    state.erase(id);
  }
  for (std::string_view path : state.orphans) {
    if (!is_kept(path)) log.forget_orphan(path);
  }
  std::erase_if(state.orphans, [&](std::string_view path) { return !is_kept(path); });
  return result;
}

}  // namespace assetc::engine
