#include "runtime/loader/pump_mutex.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

namespace assetc::runtime {
namespace {

using Clock = PumpMutex::Clock;

// Another thread, which holds the mutex from the constructor until let_go().
class Holder {
 public:
  explicit Holder(PumpMutex& mutex)
      : thread_([this, &mutex] {
          const std::lock_guard lock(mutex);
          has_.set_value();
          goes_.get_future().wait();
        }) {
    has_.get_future().wait();
  }
  ~Holder() { let_go(); }
  void let_go() {
    if (!thread_.joinable()) return;
    goes_.set_value();
    thread_.join();
  }

 private:
  std::promise<void> has_, goes_;
  std::thread thread_;
};

TEST(APumpMutex, is_missed_where_another_thread_has_it_until_the_end) {
  PumpMutex mutex;
  Holder other(mutex);
  EXPECT_FALSE(mutex.try_lock_until(Clock::now()));
  EXPECT_FALSE(mutex.try_lock_until(Clock::now() + std::chrono::milliseconds(1)));
  other.let_go();
  ASSERT_TRUE(mutex.try_lock_until(Clock::now())) << "a free mutex is locked, even after the deadline";
  mutex.unlock();
}

TEST(APumpMutex, a_pump_that_asks_without_an_end_has_it_before_those_that_come_later) {
  PumpMutex mutex;
  Holder other(mutex);
  std::vector<int> order;
  std::thread pump([&] {
    EXPECT_TRUE(mutex.try_lock_until(PumpMutex::kNoEnd));
    order.push_back(1);
    mutex.unlock();
  });
  while (!mutex.is_left_to_pump()) std::this_thread::yield();
  std::thread later([&] {
    const std::lock_guard lock(mutex);
    order.push_back(2);
  });
  other.let_go();
  pump.join();
  later.join();
  EXPECT_THAT(order, testing::ElementsAre(1, 2));
}

}  // namespace
}  // namespace assetc::runtime
