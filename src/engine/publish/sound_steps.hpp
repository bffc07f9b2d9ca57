// What an index lists if steps failed. Each file that it lists has all the assets that it needs.
#pragma once

#include <span>

#include "engine/state/step_set.hpp"
#include "engine/target/target.hpp"

namespace assetc::engine {

// The steps of `live` that need no step outside of it, directly or through others. A step needs the steps that it asked
// for, and those that make what it refers to by name.
StepSet sound_steps(const StepSet& live, const Target& target);

// The steps of `sound` that these need, and these themselves. Others were asked for only by steps that are not sound.
StepSet needed_steps(const StepSet& sound, std::span<const StepId> roots, const Target& target);

}  // namespace assetc::engine
