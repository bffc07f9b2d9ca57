#include "os/thread.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <utility>
#if defined(__linux__)
#include <sched.h>
#include <sys/resource.h>
#endif

namespace assetc::os {
namespace {

TEST(Threads, yield_alone) {
#if defined(__linux__)
  const auto state = [] { return std::pair(sched_getscheduler(0), getpriority(PRIO_PROCESS, 0)); };
  const auto [policy, nice] = state();
  std::pair<int, int> before, after;
  std::thread([&] {
    before = state();
    yield_to_other_threads();
    after = state();
  }).join();
  EXPECT_EQ(before, std::pair(SCHED_OTHER, nice));
  EXPECT_EQ(after, std::pair(SCHED_BATCH, std::min(nice + 10, 19)));
  EXPECT_EQ(state(), std::pair(policy, nice)) << "other threads keep their policy";
#else
  std::thread(yield_to_other_threads).join();
#endif
}

}  // namespace
}  // namespace assetc::os
