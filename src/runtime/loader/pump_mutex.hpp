// A mutex that the thread that pumps asks for until its time is over, and that others leave to it once it was in vain.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>

namespace assetc::runtime {

// Critical sections are short, but a thread that unlocks and locks again may take the mutex before one that has to be
// woken. So a pump that missed it once asks without an end, and until it has it others wait for the pump.
class PumpMutex {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::time_point kNoEnd = Clock::time_point::max();

  void lock() {
    if (pump_waits_.load(std::memory_order_relaxed)) {
      const std::lock_guard until_the_pump_has_it(turn_);
    }
    mutex_.lock();
  }
  void unlock() { mutex_.unlock(); }
  // Others wait until the pump has had it.
  bool is_left_to_pump() const { return pump_waits_.load(); }

  // Of the pump alone. False where others had it until the end.
  bool try_lock_until(Clock::time_point end) {
    if (mutex_.try_lock()) return true;
    if (end != kNoEnd) return wait_until(end);
    const std::lock_guard turn(turn_);
    pump_waits_.store(true);
    mutex_.lock();
    pump_waits_.store(false);
    return true;
  }

 private:
  bool wait_until(Clock::time_point end) {
#if defined(__SANITIZE_THREAD__)
    // ThreadSanitizer does not know pthread_mutex_clocklock, which waits by this clock.
    return mutex_.try_lock_until(std::chrono::system_clock::now() + (end - Clock::now()));
#else
    return mutex_.try_lock_until(end);
#endif
  }

  std::timed_mutex mutex_;
  // The pump has it while it waits without an end. Not std::atomic::wait: GCC 12's loses wakeups on systems without a
  // futex.
  std::mutex turn_;
  std::atomic<bool> pump_waits_ = false;
};

}  // namespace assetc::runtime
