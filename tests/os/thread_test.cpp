#include "os/thread.hpp"

#include <gtest/gtest.h>

#include <thread>
#if defined(__linux__)
#include <sched.h>
#endif

namespace assetc::os {
namespace {

TEST(Threads, yield_alone) {
#if defined(__linux__)
  int before = -1, after = -1;
  std::thread([&] {
    before = sched_getscheduler(0);
    yield_to_other_threads();
    after = sched_getscheduler(0);
  }).join();
  EXPECT_EQ(before, SCHED_OTHER);
  EXPECT_EQ(after, SCHED_BATCH);
  EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER) << "other threads keep their policy";
#else
  std::thread(yield_to_other_threads).join();
#endif
}

}  // namespace
}  // namespace assetc::os
