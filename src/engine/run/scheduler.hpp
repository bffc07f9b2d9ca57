// Runs work in parallel, the largest first, and limits the bytes that running work may hold.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "engine/disk/clock.hpp"
#include "engine/run/waits.hpp"

namespace assetc::engine {

class Scheduler {
 public:
  struct Work {
    std::uint64_t estimate_bytes = 0;  // held while it runs
    std::uint64_t held_bytes = 0;      // held from the moment it is pushed until it has run
    std::uint64_t order = 0;           // the smaller order runs first among equal estimates
    std::function<void()> run;
  };

  // jobs: threads, including the calling one. budget_bytes: work that needs more than this runs alone. clock: outlives
  // the scheduler.
  Scheduler(int jobs, std::uint64_t budget_bytes, const Clock& clock = steady_clock());
  ~Scheduler();

  // May be called from any thread, also from running work.
  void push(Work work);
  // Adds work most of which may become unnecessary, for example because its product is downloaded. It starts when
  // arrived() is called with the returned value.
  //
  // It also starts without that, the lowest rank first and the cheapest of equal ranks, if there is nothing else to do
  // and threads have been idle for 1/25 of the time that all such work would take on them. So waiting in vain costs no
  // more than that. While work is saved much faster than the threads could do it, they wait longer, by a quarter of the
  // time that was saved.
  std::uint64_t push_waiting(Work work, double seconds, double rank = 0);
  void arrived(std::uint64_t waiting, bool is_spared = true);
  // From now on, waiting work starts only when it has arrived.
  void wait_forever();
  // Updates the expected duration of waiting work.
  void expect(std::uint64_t waiting, double seconds, double rank = 0);
  // From now on, waits() records all of them. Call before run().
  void record_waits();
  // Sorted by end. Call after run().
  const std::vector<WaitRecord>& waits() const;
  // Drops all work that has not started.
  void cancel();
  // Runs all work, including work that running work pushes. The calling thread works too.
  void run();
  // Runs a function on the scheduler's threads, for parallel loops before run().
  void execute(const std::function<void()>& function);

  std::uint64_t budget_bytes() const;
  std::uint64_t peak_bytes() const;  // the most bytes that were accounted for at once; for tests
  int peak_running() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assetc::engine
