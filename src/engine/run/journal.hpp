// What a build learns of its steps, on its way to the cache in batches, so that a killed build loses little.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/state/cache.hpp"
#include "engine/state/state.hpp"

namespace assetc::engine {

// Thread-safe.
class Journal {
 public:
  // cache outlives the journal.
  explicit Journal(Cache& cache) : cache_(cache) {}

  // record: outlives the journal, and the state that it is applied to. orphans: files that the step had and has no
  // more.
  void add(const StepRecord& record, std::vector<std::string> orphans = {});
  // Hands what was added to the cache; commit_if_due: when enough has come together or enough time has passed.
  Result<void> commit();
  Result<void> commit_if_due();

  // Moves all that was added into the state, which has not changed until then.
  void apply(State& state);

 private:
  Result<void> hand_over();

  using Clock = std::chrono::steady_clock;

  Cache& cache_;
  std::mutex mutex_;
  std::vector<const StepRecord*> records_;
  std::vector<std::string> orphans_;
  LogWriter log_;
  std::deque<ByteVector> refused_;  // blocks that the cache could not take; tried again before the next
  Clock::time_point last_commit_ = Clock::now();
};

}  // namespace assetc::engine
