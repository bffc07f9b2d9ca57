#include "engine/publish/prune.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_set>

#include "engine/target/output_tree.hpp"

namespace assetc::engine {

Result<void> find_orphans(State& state, Publisher& publisher, const Target& target, LogWriter& log) {
  // Paths are compared by hash. If two hashes are equal by chance, a file stays, as if it were not noted.
  std::vector<std::uint64_t> owned;
  owned.reserve(state.steps.size());
  StepRecord scratch;
  for (std::size_t i = 0; i < state.steps.size(); ++i) {
    for (const std::string& file : files_of(state.steps[i].read(scratch), target))
      owned.push_back(xxh3_64(as_bytes(file)));
  }
  for (const std::string& file : publisher.shared().files()) owned.push_back(xxh3_64(as_bytes(file)));
  std::ranges::sort(owned);
  ASSETC_TRY(const auto loose, publisher.notes().all_but(owned));
  for (const std::string& path : loose) {
    if (!publisher.may_hold(path)) continue;
    const std::string_view kept = state.arena.keep(path);
    if (state.orphans.insert(kept).second) log.orphan(kept);
  }
  return {};
}

Pruned prune(State& state, const StepSet& live, Publisher& publisher, const Target& target, LogWriter& log) {
  const std::vector<bool> wanted = live.in(state);
  std::vector<StepId> gone;
  for (std::size_t i = 0; i < state.steps.size(); ++i) {
    if (!wanted[i]) gone.push_back(state.steps.id(i));
  }
  std::optional<std::vector<std::string>> owned;
  const auto is_owned = [&](const std::string& path) {
    if (!owned) owned = live.files(target);
    return std::ranges::binary_search(*owned, path);
  };
  return prune(state, gone, is_owned, publisher, target, log);
}

Pruned prune(State& state, std::span<const StepId> gone, const std::function<bool(const std::string& path)>& is_owned,
             Publisher& publisher, const Target& target, LogWriter& log) {
  std::vector<std::vector<std::string>> files_of_gone;
  std::vector<std::string> doomed(state.orphans.begin(), state.orphans.end());
  StepRecord scratch;
  for (const StepId& id : gone) {
    files_of_gone.push_back(files_of(state.steps[*state.steps.find(id)].read(scratch), target));
    std::ranges::copy(files_of_gone.back(), std::back_inserter(doomed));
  }
  std::ranges::sort(doomed);
  doomed.erase(std::ranges::unique(doomed).begin(), doomed.end());
  const auto shared = publisher.shared().files();
  std::erase_if(doomed, [&](const std::string& path) {
    return !check_output_path(target, path) || publisher.is_beyond_link(path) || shared.contains(path) ||
           is_owned(path);
  });
  Pruned result;
  std::unordered_set<std::string> kept;
  for (std::string& path : doomed) {
    if (publisher.has_directory(path)) continue;  // a directory is not what was written there
    if (auto removed = publisher.remove(path); removed) {
      result.removed.push_back(std::move(path));
    } else {
      result.refused.push_back(std::move(removed).error());
      kept.insert(std::move(path));
    }
  }
  const auto is_kept = [&](std::string_view path) { return !kept.empty() && kept.contains(std::string(path)); };
  for (std::size_t i = 0; i < gone.size(); ++i) {
    if (std::ranges::any_of(files_of_gone[i], is_kept)) continue;
    log.erase_step(gone[i]);
    state.steps.erase(gone[i]);
  }
  for (std::string_view path : state.orphans) {
    if (!is_kept(path)) log.forget_orphan(path);
  }
  std::erase_if(state.orphans, [&](std::string_view path) { return !is_kept(path); });
  return result;
}

}  // namespace assetc::engine
