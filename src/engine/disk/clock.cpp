#include "engine/disk/clock.hpp"

namespace assetc::engine {
namespace {

class SteadyClock final : public Clock {
 public:
  Time now() const override { return std::chrono::steady_clock::now(); }
  void wait_until(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, Time time) const override {
    (void)changed.wait_until(lock, time);
  }
};

}  // namespace

const Clock& steady_clock() {
  static const SteadyClock clock;
  return clock;
}

}  // namespace assetc::engine
