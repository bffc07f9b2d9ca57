// Outputs that no step of the tree makes any more.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/publish/publish.hpp"
#include "engine/state/state.hpp"
#include "engine/state/step_set.hpp"

namespace assetc::engine {

// Makes orphans of what builds published and no record owns: they were killed, or the cache was lost. What is noted
// and not there is none.
Result<void> find_orphans(State& state, Publisher& publisher, const Target& target, LogWriter& log);

struct Pruned {
  std::vector<std::string> removed;  // in byte order
  std::vector<Error> refused;        // of files that could not be removed: they are not forgotten
};
// Removes orphans and the outputs of steps that are not among live, and forgets both.
Pruned prune(State& state, const StepSet& live, Publisher& publisher, const Target& target, LogWriter& log);
// The same of steps that are gone. is_owned: whether another step makes a file of this path.
Pruned prune(State& state, std::span<const StepId> gone, const std::function<bool(const std::string& path)>& is_owned,
             Publisher& publisher, const Target& target, LogWriter& log);

}  // namespace assetc::engine
