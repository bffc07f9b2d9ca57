#include "parallel/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace assetc {
namespace {

TEST(Parallel, each_index_is_called_once) {
  for (const std::uint32_t count : {0u, 1u, 7u, 5000u}) {
    std::vector<std::atomic<int>> calls(count);
    parallel_for(count, [&](std::uint32_t i) { ++calls[i]; });
    for (const auto& called : calls) EXPECT_EQ(called, 1);
  }
}

TEST(Parallel, ranges_and_blocks_cover_all_without_overlap) {
  std::vector<std::atomic<int>> calls(1000);
  std::atomic<std::size_t> longest = 0;
  parallel_blocks(calls.size(), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t known = longest; known < end - begin && !longest.compare_exchange_weak(known, end - begin);) {
    }
    for (std::size_t i = begin; i < end; ++i) ++calls[i];
  });
  parallel_ranges(calls.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) ++calls[i];
  });
  for (const auto& called : calls) EXPECT_EQ(called, 2);
  EXPECT_LE(longest, 16u);
}

TEST(Parallel, an_exception_reaches_the_caller) {
  const auto work = [](std::size_t i) {
    if (i == 40) throw std::runtime_error("40");
  };
  EXPECT_THROW(parallel_for(std::size_t{100}, work), std::runtime_error);
  EXPECT_THROW(isolated([] { throw std::runtime_error("one"); }), std::runtime_error);
  int called = 0;
  parallel_invoke([&] { called += 1; }, [] {});
  EXPECT_EQ(called, 1);
}

TEST(Parallel, an_arena_returns_what_its_work_returns) {
  Arena arena(2);
  EXPECT_EQ(arena.execute([] { return max_concurrency(); }), 2);
  EXPECT_EQ(*arena.execute([] { return std::make_unique<int>(7); }), 7);
  bool called = false;
  arena.execute([&] { called = true; });
  EXPECT_TRUE(called);
}

TEST(Parallel, a_limit_holds_while_it_lives) {
  const std::size_t before = thread_limit();
  {
    const ThreadLimit limit(1);
    EXPECT_EQ(thread_limit(), 1u);
  }
  EXPECT_EQ(thread_limit(), before);
  EXPECT_GE(default_concurrency(), 1);
}

TEST(Parallel, a_group_waits_for_tasks_that_tasks_add) {
  std::atomic<int> called = 0;
  Arena arena(2);
  TaskGroup group;
  group.run_in(arena, [&] {
    ++called;
    group.run([&] { ++called; });
  });
  arena.execute([&] {
    for (int i = 0; i < 10; ++i) group.run([&, owned = std::make_unique<int>(1)] { called += *owned; });
    group.wait();
  });
  arena.execute([&] { group.wait(); });
  EXPECT_EQ(called, 12);
}

TEST(Parallel, each_thread_has_its_own_value) {
  std::atomic<int> made = 0;
  PerThread<std::vector<std::size_t>> values([&] {
    ++made;
    return std::vector<std::size_t>();
  });
  parallel_for(std::size_t{1000}, [&](std::size_t i) { values.local().push_back(i); });
  std::size_t count = 0, lists = 0;
  values.for_each([&](const std::vector<std::size_t>& value) { count += value.size(), ++lists; });
  EXPECT_EQ(count, 1000u);
  EXPECT_EQ(lists, static_cast<std::size_t>(made));
}

TEST(Parallel, a_spin_lock_admits_one_thread) {
  SpinLock lock;
  int sum = 0;
  parallel_for(1000, [&](int) {
    const std::lock_guard held(lock);
    ++sum;
  });
  EXPECT_EQ(sum, 1000);
}

}  // namespace
}  // namespace assetc
