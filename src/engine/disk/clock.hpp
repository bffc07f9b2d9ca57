// The clock that a build uses. Tests pass a clock that they advance themselves.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace assetc::engine {

// Thread-safe.
class Clock {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;
  virtual ~Clock() = default;

  virtual Time now() const = 0;
  // Waits until `changed` is notified or `time` has come. May also return early for no reason.
  virtual void wait_until(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, Time time) const = 0;

  // Waits until `is_done` returns true, for at most `duration`. Returns the last result of `is_done`.
  template <class IsDone>
  bool wait(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, Duration duration,
            const IsDone& is_done) const {
    const Time end = now() + duration;
    while (!is_done()) {
      if (now() >= end) return is_done();
      wait_until(changed, lock, end);
    }
    return true;
  }
};

// Uses std::chrono::steady_clock.
const Clock& steady_clock();

inline double seconds_between(Clock::Time begin, Clock::Time end) {
  return std::chrono::duration<double>(end - begin).count();
}

}  // namespace assetc::engine
