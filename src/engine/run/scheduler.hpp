// Runs work in parallel, the largest first, with a bound on the bytes that running work may hold.
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
    std::uint64_t order = 0;           // smaller first among equal estimates
    std::function<void()> run;
  };

  // jobs: threads, this one included. budget_bytes: work that alone needs more runs alone. clock: outlives it.
  Scheduler(int jobs, std::uint64_t budget_bytes, const Clock& clock = steady_clock());
  ~Scheduler();

  // From any thread, from inside running work too.
  void push(Work work);
  // Work of which something may still spare the most part: it starts once arrived() was called with what is returned.
  // It starts without that, the lowest rank first and of equal ones the cheapest, where there is nothing else to do and
  // threads have stood idle for a 25th of what all such work would take on them: waiting in vain costs no more than
  // that. Where work is spared much faster than it could be done they wait on, for a quarter of what was spared.
  std::uint64_t push_waiting(Work work, double seconds, double rank = 0);
  void arrived(std::uint64_t waiting, bool is_spared = true);
  // From now on waiting work starts only once it has arrived.
  void wait_forever();
  // What it would take is known better now.
  void expect(std::uint64_t waiting, double seconds, double rank = 0);
  // From now on waits() has all of them. Before run().
  void record_waits();
  // By their end. After run().
  const std::vector<WaitRecord>& waits() const;
  // Drops what has not started.
  void cancel();
  // Runs everything, also what running work pushes. The calling thread works too.
  void run();
  // Runs a function on the scheduler's threads, for parallel loops before run().
  void execute(const std::function<void()>& function);

  std::uint64_t budget_bytes() const;
  std::uint64_t peak_bytes() const;  // the most that was accounted for at once, for tests
  int peak_running() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assetc::engine
