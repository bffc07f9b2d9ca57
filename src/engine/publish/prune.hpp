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

// Removes orphans and the outputs of steps that are not among live, and forgets both. Returns the paths removed, in
// byte order.
Result<std::vector<std::string>> prune(State& state, const StepSet& live, Publisher& publisher, const Target& target,
                                       LogWriter& log);

}  // namespace assetc::engine
