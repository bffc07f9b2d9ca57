// A clock that only tests advance.
#pragma once

#include "engine/disk/clock.hpp"

namespace assetc::engine {

class FakeClock final : public Clock {
 public:
  Time now() const override {
    const std::lock_guard lock(mutex_);
    return now_;
  }
  // A waiter polls, because nothing notifies it when the time has come.
  void wait_until(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, Time time) const override {
    if (now() < time) changed.wait_for(lock, std::chrono::milliseconds(1));
  }
  void advance(double seconds) {
    const std::lock_guard lock(mutex_);
    now_ += std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
  }

 private:
  mutable std::mutex mutex_;
  Time now_{std::chrono::seconds(1000)};
};

}  // namespace assetc::engine
