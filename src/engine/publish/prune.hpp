// Outputs that no step of the tree makes any more.
#pragma once

#include <string>
#include <vector>

#include "engine/publish/publish.hpp"
#include "engine/state/state.hpp"
#include "engine/state/step_set.hpp"

namespace assetc::engine {

// Makes orphans of what builds published and no record owns: they were killed, or the cache was lost.
Result<void> find_orphans(State& state, Publisher& publisher, const Target& target, LogWriter& log);

struct Pruned {
  std::vector<std::string> removed;  // in byte order
  std::vector<Error> refused;        // of files that could not be removed: they are not forgotten
};
// Removes orphans and the outputs of steps that are not among live, and forgets both.
Pruned prune(State& state, const StepSet& live, Publisher& publisher, const Target& target, LogWriter& log);

}  // namespace assetc::engine
