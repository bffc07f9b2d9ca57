// Hands the results of steps to the cache in batches, so that a killed build loses little.
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

  // record: outlives the journal and the state that it is applied to. orphans: files that the step wrote before and
  // does not write any more.
  void add(const StepRecord& record, std::vector<std::string> orphans = {});
  // Hands all added records to the cache. commit_if_due: only if enough bytes or enough time have accumulated.
  Result<void> commit();
  Result<void> commit_if_due();

  // Moves all added records into the state. The state does not change before that.
  void apply(State& state);

 private:
  Result<void> hand_over();

  using Clock = std::chrono::steady_clock;

  Cache& cache_;
  std::mutex mutex_;
  std::vector<const StepRecord*> records_;
  std::vector<std::string> orphans_;
  LogWriter log_;
  std::deque<ByteVector> refused_;  // blocks that the cache could not write; retried before the next block
  Clock::time_point last_commit_ = Clock::now();
};

}  // namespace assetc::engine
