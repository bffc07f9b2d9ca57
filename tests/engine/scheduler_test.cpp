#include "engine/run/scheduler.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "engine/fake_clock.hpp"

namespace assetc::engine {
namespace {

TEST(Scheduler, runs_all_work_once_also_what_work_adds) {
  Scheduler scheduler(4, 1000);
  std::atomic<int> ran = 0;
  for (int i = 0; i < 50; ++i) {
    scheduler.push({1, 0, 0, [&] {
                      ++ran;
                      scheduler.push({1, 0, 0, [&] { ++ran; }});
                    }});
  }
  scheduler.run();
  EXPECT_EQ(ran, 100);
}

TEST(Scheduler, keeps_the_bytes_of_running_work_within_the_budget) {
  Scheduler scheduler(8, 1000);
  std::atomic<std::int64_t> now = 0;
  std::atomic<std::int64_t> most = 0;
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    const std::uint64_t bytes = 1 + random() % 400;
    scheduler.push({bytes, 0, 0, [&, bytes] {
                      const std::int64_t total = now += static_cast<std::int64_t>(bytes);
                      std::int64_t seen = most;
                      while (seen < total && !most.compare_exchange_weak(seen, total)) {
                      }
                      std::this_thread::yield();
                      now -= static_cast<std::int64_t>(bytes);
                    }});
  }
  scheduler.run();
  EXPECT_LE(most, 1000);
  EXPECT_LE(scheduler.peak_bytes(), 1000u);
  EXPECT_LE(scheduler.peak_running(), 8);
}

TEST(Scheduler, work_larger_than_the_budget_runs_alone) {
  Scheduler scheduler(4, 100);
  std::atomic<int> running = 0;
  std::atomic<bool> alone = true;
  const auto work = [&](bool large) {
    return [&, large] {
      const int others = running++;
      if (large && others != 0) alone = false;
      std::this_thread::yield();
      if (large && running != 1) alone = false;
      --running;
    };
  };
  for (int i = 0; i < 20; ++i) scheduler.push({10, 0, 0, work(false)});
  for (int i = 0; i < 3; ++i) scheduler.push({5000, 0, 0, work(true)});
  scheduler.run();
  EXPECT_TRUE(alone);
}

TEST(Scheduler, starts_the_largest_first_and_equals_in_order) {
  Scheduler scheduler(1, 1'000'000);
  std::vector<int> order;
  for (const int size : {3, 9, 1, 7})
    scheduler.push({static_cast<std::uint64_t>(size), 0, 5, [&order, size] { order.push_back(size); }});
  scheduler.push({7, 0, 1, [&order] { order.push_back(70); }});
  scheduler.run();
  EXPECT_THAT(order, testing::ElementsAre(9, 70, 7, 3, 1));
}

TEST(Scheduler, work_that_holds_bytes_goes_before_work_that_takes_more) {
  Scheduler scheduler(1, 100);
  std::vector<char> order;
  // Three children hold 30 each. The parent's 60 do not fit until one of them has run.
  for (int i = 0; i < 3; ++i) scheduler.push({5, 30, 0, [&order] { order.push_back('c'); }});
  scheduler.push({60, 0, 0, [&order] { order.push_back('P'); }});
  scheduler.run();
  EXPECT_THAT(order, testing::ElementsAre('c', 'c', 'P', 'c'));
}

TEST(Scheduler, held_bytes_over_the_budget_do_not_stop_it) {
  Scheduler scheduler(2, 10);
  std::atomic<int> ran = 0;
  for (int i = 0; i < 10; ++i) scheduler.push({5, 100, 0, [&] { ++ran; }});
  for (int i = 0; i < 10; ++i) scheduler.push({50, 0, 0, [&] { ++ran; }});
  scheduler.run();
  EXPECT_EQ(ran, 20);
}

TEST(Scheduler, canceled_work_is_not_started) {
  Scheduler scheduler(1, 100);
  int ran = 0;
  scheduler.push({9, 0, 0, [&] {
                    ++ran;
                    scheduler.cancel();
                  }});
  for (int i = 0; i < 5; ++i) scheduler.push({1, 0, 0, [&] { ++ran; }});
  scheduler.run();
  EXPECT_EQ(ran, 1);
}

TEST(Scheduler, waiting_work_starts_when_it_has_arrived) {
  for (const int jobs : {1, 4}) {
    Scheduler scheduler(jobs, 1000);
    scheduler.wait_forever();
    std::mutex mutex;
    std::vector<int> order;
    std::vector<std::uint64_t> waiting;
    waiting.reserve(3);
    for (int i = 0; i < 3; ++i) {
      waiting.push_back(scheduler.push_waiting({1, 0, 0,
                                                [&, i] {
                                                  const std::lock_guard lock(mutex);
                                                  order.push_back(i);
                                                }},
                                               0));
    }
    std::thread elsewhere([&] {
      for (const int i : {2, 0, 1}) {
        scheduler.arrived(waiting[static_cast<std::size_t>(i)]);
        for (bool ran = false; !ran;) {
          const std::lock_guard lock(mutex);
          ran = !order.empty() && order.back() == i;
        }
      }
    });
    scheduler.run();
    elsewhere.join();
    EXPECT_THAT(order, testing::ElementsAre(2, 0, 1)) << jobs;
  }
}

TEST(Scheduler, what_does_not_arrive_starts_all_the_same_the_cheapest_first) {
  Scheduler scheduler(1, 1000);
  std::vector<int> order;
  for (const int cost : {3, 1, 4, 2})
    scheduler.push_waiting({1, 0, 0, [&order, cost] { order.push_back(cost); }}, cost * 1e-3);
  const std::uint64_t known = scheduler.push_waiting({1, 0, 0, [&order] { order.push_back(5); }}, 1e-4);
  scheduler.expect(known, 5e-3);
  scheduler.push({1, 0, 0, [&order] { order.push_back(0); }});
  scheduler.run();
  EXPECT_THAT(order, testing::ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Scheduler, what_does_not_arrive_starts_by_rank) {
  Scheduler scheduler(1, 100);
  std::vector<int> order;
  std::uint64_t expected = 0;
  for (const int rank : {3, 1, 4, 2})
    expected = scheduler.push_waiting({1, 0, 0, [&order, rank] { order.push_back(rank); }}, 1e-4 * rank, rank);
  scheduler.expect(expected, 1e-5, 5);
  scheduler.run();
  EXPECT_EQ(order, (std::vector<int>{1, 3, 4, 2}));
}

TEST(Scheduler, what_arrives_without_being_spared_runs_all_the_same) {
  Scheduler scheduler(1, 100);
  std::vector<int> order;
  const std::uint64_t first = scheduler.push_waiting({1, 0, 0, [&order] { order.push_back(1); }}, 1);
  scheduler.push_waiting({1, 0, 0, [&order] { order.push_back(2); }}, 1e-4);
  scheduler.arrived(first, false);
  scheduler.run();
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(Scheduler, a_thread_without_work_takes_what_waits_while_others_are_busy) {
  Scheduler scheduler(2, 1000);
  std::atomic<bool> ran = false;
  scheduler.push({1, 0, 0, [&] {
                    while (!ran) std::this_thread::yield();
                  }});
  scheduler.push_waiting({1, 0, 0, [&] { ran = true; }}, 1e-3);
  scheduler.run();
  EXPECT_TRUE(ran);
}

TEST(Scheduler, arrivals_at_any_time_run_all_work_once) {
  for (int round = 0; round < 20; ++round) {
    Scheduler scheduler(3, 1000);
    std::atomic<int> ran = 0;
    std::vector<std::uint64_t> waiting;
    waiting.reserve(200);
    for (int i = 0; i < 200; ++i) waiting.push_back(scheduler.push_waiting({1, 0, 0, [&] { ++ran; }}, 1e-5));
    std::thread elsewhere([&] {
      for (const std::uint64_t one : waiting) scheduler.arrived(one);
    });
    scheduler.run();
    elsewhere.join();
    EXPECT_EQ(ran, 200);
  }
}

// Checks that at most `threads` threads wait at once and that the records of a thread do not overlap. Returns what they
// waited for.
std::set<WaitKind> expect_waits(const Scheduler& scheduler, std::uint32_t threads) {
  std::set<WaitKind> kinds;
  std::map<std::uint32_t, std::chrono::steady_clock::time_point> ends;
  for (const WaitRecord& wait : scheduler.waits()) {
    EXPECT_LT(wait.thread, threads);
    EXPECT_LE(wait.begin, wait.end);
    EXPECT_GE(wait.begin, ends[wait.thread]);
    ends[wait.thread] = wait.end;
    kinds.insert(wait.kind);
  }
  return kinds;
}

TEST(Scheduler, says_what_threads_waited_for) {
  {
    Scheduler scheduler(2, 100);
    scheduler.record_waits();
    for (int i = 0; i < 3; ++i) scheduler.push({60, 0, 0, [] {}});
    scheduler.run();
    EXPECT_THAT(expect_waits(scheduler, 1), testing::Contains(WaitKind::kMemory));
  }
  {
    Scheduler scheduler(3, 100);
    scheduler.record_waits();
    scheduler.push({1, 0, 0, [&] { scheduler.push({1, 0, 0, [] {}}); }});
    scheduler.run();
    EXPECT_THAT(expect_waits(scheduler, 2), testing::ElementsAre(WaitKind::kSteps));
  }
  {
    Scheduler scheduler(2, 100);
    scheduler.record_waits();
    scheduler.wait_forever();
    const std::uint64_t waiting = scheduler.push_waiting({1, 0, 0, [] {}}, 1);
    scheduler.push({1, 0, 0, [&] { scheduler.arrived(waiting); }});
    scheduler.run();
    EXPECT_THAT(expect_waits(scheduler, 2), testing::Contains(WaitKind::kSharedCache));
  }
  Scheduler silent(2, 100);
  for (int i = 0; i < 3; ++i) silent.push({60, 0, 0, [] {}});
  silent.run();
  EXPECT_THAT(silent.waits(), testing::IsEmpty());
}

TEST(Scheduler, canceled_waiting_work_does_not_run) {
  Scheduler scheduler(2, 1000);
  scheduler.wait_forever();
  bool ran = false;
  const std::uint64_t waiting = scheduler.push_waiting({1, 5, 0, [&] { ran = true; }}, 1);
  scheduler.push({1, 0, 0, [&] { scheduler.cancel(); }});
  scheduler.run();
  scheduler.arrived(waiting);
  EXPECT_FALSE(ran);
}

TEST(SchedulerOnAClock, starts_waiting_work_once_threads_have_stood_idle_long_enough) {
  FakeClock clock;
  Scheduler scheduler(2, 1000, clock);
  std::atomic<bool> is_over = false;
  bool began_late = false;
  scheduler.push_waiting({.estimate_bytes = 1, .run = [&] { began_late = is_over; }}, 100);
  std::thread time([&] {
    // 4 % of its duration, shared by two threads: 2 s.
    for (int i = 0; i < 19; ++i) {
      clock.advance(0.1);
      std::this_thread::yield();
    }
    is_over = true;
    clock.advance(1);
  });
  scheduler.run();
  time.join();
  EXPECT_TRUE(began_late);
}

}  // namespace
}  // namespace assetc::engine
