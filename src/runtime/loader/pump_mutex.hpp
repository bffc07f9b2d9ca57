// A mutex for which the pump waits only briefly. If it fails once, other threads let the pump go first.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>

namespace assetc::runtime {

// Critical sections are short. But a thread may lose its processor in one, and a thread that unlocks and locks again
// may get the mutex before a thread that must be woken. Therefore the pump looks again and again for kPatience and then
// gives up: if it slept, it would often be woken too late for the frame. The next time it sleeps without a limit, and
// other threads wait until it has had the mutex.
class PumpMutex {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::time_point kNoEnd = Clock::time_point::max();
  static constexpr std::chrono::microseconds kPatience{100};

  void lock() {
    if (pump_waits_.load(std::memory_order_relaxed)) {
      const std::lock_guard until_the_pump_has_it(turn_);
    }
    mutex_.lock();
  }
  void unlock() { mutex_.unlock(); }
  // Returns whether other threads wait until the pump has had the mutex.
  bool is_left_to_pump() const { return pump_waits_.load(); }

  // Only for the pump. Returns false if other threads had the mutex for kPatience or until the end.
  bool try_lock_until(Clock::time_point end) {
    if (mutex_.try_lock()) return true;
    if (end != kNoEnd) {
      const auto start = Clock::now();
      for (auto now = start; now < end && now - start < kPatience; now = Clock::now()) {
        if (mutex_.try_lock()) return true;
      }
      return false;
    }
    const std::lock_guard turn(turn_);
    pump_waits_.store(true);
    mutex_.lock();
    pump_waits_.store(false);
    return true;
  }

 private:
  std::mutex mutex_;
  // Locked by the pump while it waits without a limit. Not std::atomic::wait: in GCC 12 it loses wakeups on systems
  // without a futex.
  std::mutex turn_;
  std::atomic<bool> pump_waits_ = false;
};

}  // namespace assetc::runtime
