// Removes outputs that no step makes any more.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/publish/publish.hpp"
#include "engine/state/state.hpp"
#include "engine/state/step_set.hpp"

namespace assetc::engine {

// Turns files that builds published and no record owns into orphans: the build was killed, or the cache was lost. Noted
// files that do not exist are not orphans.
Result<void> find_orphans(State& state, Publisher& publisher, const Target& target, LogWriter& log);

struct Pruned {
  std::vector<std::string> removed;  // in byte order
  std::vector<Error> refused;        // errors of files that could not be removed; their records are kept
};
// Removes orphans and the outputs of steps that are not in live, with their records.
Pruned prune(State& state, const StepSet& live, Publisher& publisher, const Target& target, LogWriter& log);
// The same for steps that are gone. is_owned: whether another step makes a file of this path.
Pruned prune(State& state, std::span<const StepId> gone, const std::function<bool(const std::string& path)>& is_owned,
             Publisher& publisher, const Target& target, LogWriter& log);

}  // namespace assetc::engine
