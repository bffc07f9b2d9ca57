#include "engine/publish/prune.hpp"

#include <algorithm>

namespace assetc::engine {

Result<void> find_orphans(State& state, Publisher& publisher, const Target& target, LogWriter& log) {
  // By hash: one that is taken for another stays, as if it was not noted.
  std::vector<std::uint64_t> owned;
  owned.reserve(state.steps.size());
  StepRecord scratch;
  for (std::size_t i = 0; i < state.steps.size(); ++i) {
    for (const std::string& file : files_of(state.steps[i].read(scratch), target))
      owned.push_back(xxh3_64(as_bytes(file)));
  }
  std::ranges::sort(owned);
  ASSETC_TRY(const auto loose, publisher.notes().all_but(owned));
  for (const std::string& path : loose) {
    const std::string_view kept = state.arena.keep(path);
    if (state.orphans.insert(kept).second) log.orphan(kept);
  }
  return {};
}

Pruned prune(State& state, const StepSet& live, Publisher& publisher, const Target& target, LogWriter& log) {
  const std::vector<bool> wanted = live.in(state);
  std::vector<std::pair<StepId, std::vector<std::string>>> gone;
  std::vector<std::string> doomed;
  StepRecord scratch;
  for (std::size_t i = 0; i < state.steps.size(); ++i) {
    if (wanted[i]) continue;
    gone.emplace_back(state.steps.id(i), files_of(state.steps[i].read(scratch), target));
    std::ranges::copy(gone.back().second, std::back_inserter(doomed));
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
  for (const auto& [id, files] : gone) {
    if (std::ranges::any_of(files, is_kept)) continue;
    log.erase_step(id);
    state.steps.erase(id);
  }
  for (std::string_view path : state.orphans) {
    if (!is_kept(path)) log.forget_orphan(path);
  }
  std::erase_if(state.orphans, [&](std::string_view path) { return !is_kept(path); });
  return result;
}

}  // namespace assetc::engine
