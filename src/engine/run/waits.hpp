// Records when threads of a build had no step to run, and why; for a trace.
#pragma once

#include <chrono>
#include <cstdint>

namespace assetc::engine {

enum class WaitKind : std::uint8_t {
  kMemory,       // steps are ready, but none fits into the memory limit beside the running ones
  kSharedCache,  // all remaining steps wait for an answer of the shared cache
  kSteps,        // only running steps are left, and steps that may follow from them
};

struct WaitRecord {
  std::chrono::steady_clock::time_point begin, end;
  WaitKind kind = WaitKind::kSteps;
  // Numbers the threads without a step, from 0. At any time, as many threads wait as have a record. A waiting thread
  // may help with a parallel loop inside another thread's step.
  std::uint32_t thread = 0;
};

}  // namespace assetc::engine
