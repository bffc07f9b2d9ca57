// When threads of a build had no step, and why: for a trace.
#pragma once

#include <chrono>
#include <cstdint>

namespace assetc::engine {

enum class WaitKind : std::uint8_t {
  kMemory,       // steps are there, and none fits in the bound on bytes in flight beside those that run
  kSharedCache,  // all steps that are left wait for what another machine may have
  kSteps,        // nothing is left but what runs, and what may follow from it
};

struct WaitRecord {
  std::chrono::steady_clock::time_point begin, end;
  WaitKind kind = WaitKind::kSteps;
  // Of the threads without a step, from 0: as many wait at once as have a record. Such a thread may help with a loop
  // inside another's step.
  std::uint32_t thread = 0;
};

}  // namespace assetc::engine
