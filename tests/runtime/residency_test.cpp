#include "runtime/loader/residency.hpp"

#include <gmock/gmock.h>

#include "runtime/records.hpp"

namespace assetc::runtime {
namespace {

using testing::ElementsAre;
using Residencies = Records;

TEST_F(Residencies, the_longest_unused_goes_first_and_only_if_it_helps) {
  for (std::uint32_t i = 1; i <= 3; ++i) add(i, "note");
  start({kMiB, 1000, 100});
  Record &one = make(1), &two = make(2), &three = make(3);
  load(one, 400, 0);
  load(two, 400, 80);
  load(three, 100, 80);
  for (Record* record : {&one, &two, &three}) idle(*record);
  EXPECT_EQ(residency->cached_count(), 3u);
  EXPECT_EQ(residency->take_victim(), &two) << "asset one uses nothing of the exceeded budget";
  residency->remove(two);
  EXPECT_EQ(residency->take_victim(), nullptr);
  residency->retain(one);
  EXPECT_EQ(residency->take_oldest(), &three) << "asset one is held";
  EXPECT_EQ(residency->take_oldest(), nullptr);
}

// A user without bytes on the device, and an asset that it needs.
TEST_F(Residencies, an_asset_counts_for_what_it_keeps_alive) {
  add(1, "user", {3});
  add(2, "user", {3});
  add(3, "base");
  start({kMiB, 1000, 100});
  Record &user = make(1), &other = make(2), &base = make(3);
  load(base, 0, 150);
  load(user, 10, 0);
  load(other, 10, 0);
  residency->release(base);
  EXPECT_EQ(residency->take_idle(), nullptr) << "it is needed";
  EXPECT_TRUE(base.is_held);
  idle(user);
  EXPECT_EQ(residency->take_victim(), nullptr) << "the other asset needs it too";
  EXPECT_EQ(residency->gpu_room(), -50);
  idle(other);
  EXPECT_FALSE(base.is_held);
  EXPECT_EQ(residency->gpu_room(), 100) << "once the cache is empty";
  EXPECT_EQ(residency->take_victim(), &user);
  residency->remove(user);
  residency->drop_later(user);
  EXPECT_EQ(residency->take_victim(), nullptr)
      << "the first must release its dependency before another asset is evicted";
  EXPECT_EQ(residency->take_dropping().record, &user);
  graph->drop_needs(user);
  EXPECT_EQ(residency->take_victim(), &other);
  residency->remove(other);
  residency->drop_later(other);
  residency->take_dropping();
  graph->drop_needs(other);
  ASSERT_EQ(residency->take_idle(), &base);
  residency->cache(base);
  EXPECT_EQ(residency->take_victim(), &base) << "although it was idle for longer than assets that were examined before";
}

TEST_F(Residencies, what_is_needed_is_held_as_long_as_one_that_needs_it) {
  add(1, "user", {2});
  add(2, "middle", {3});
  add(3, "base");
  start();
  Record& user = make(1);
  Record &middle = *user.hard[0], &base = *middle.hard[0];
  for (Record* record : {&base, &middle, &user}) load(*record, 1, 1);
  EXPECT_TRUE(base.is_held);
  idle(user);
  EXPECT_FALSE(middle.is_held);
  EXPECT_FALSE(base.is_held);
  residency->retain(middle);
  EXPECT_FALSE(user.is_held);
  EXPECT_TRUE(base.is_held);
  residency->retain(user);
  residency->release(middle);
  EXPECT_EQ(residency->take_idle(), nullptr);
  EXPECT_TRUE(base.is_held);
}

TEST_F(Residencies, what_keeps_nothing_of_a_budget_is_looked_at_once) {
  for (std::uint32_t i = 1; i <= 100; ++i) add(i, "note");
  start({kMiB, kMiB, 100});
  Record& held = make(1);
  load(held, 0, 500);
  for (std::uint32_t i = 2; i <= 100; ++i) {
    Record& record = make(i);
    load(record, 10, i == 100 ? 10 : 0);
    idle(record);
  }
  EXPECT_EQ(residency->take_victim()->cpu_bytes, 10u) << "the last one";
  const std::uint64_t looks = residency->look_count();
  EXPECT_GE(looks, 99u);
  residency->begin_looks();
  EXPECT_EQ(residency->take_victim(), nullptr);
  EXPECT_EQ(residency->look_count(), looks) << "nothing changed";
}

TEST_F(Residencies, a_pump_looks_at_so_many_and_the_next_one_goes_on) {
  constexpr std::uint32_t kCount = 5000;
  for (std::uint32_t i = 1; i <= kCount; ++i) add(i, "note");
  start({kMiB, kMiB, 5});
  for (std::uint32_t i = 1; i <= kCount; ++i) {
    Record& record = make(i);
    load(record, 10, i == kCount ? 10 : 0);
    idle(record);
  }
  EXPECT_EQ(residency->take_victim(), nullptr);
  EXPECT_LT(residency->look_count(), kCount);
  residency->begin_looks();
  EXPECT_NE(residency->take_victim(), nullptr);
  EXPECT_EQ(residency->look_count(), kCount);
}

TEST_F(Residencies, a_record_that_is_held_again_is_not_idle) {
  add(1, "note");
  start();
  Record& one = make(1);
  residency->release(one);
  residency->retain(one);
  EXPECT_EQ(residency->take_idle(), nullptr);
  residency->release(one);
  residency->note(one);
  EXPECT_EQ(residency->take_idle(), &one);
  EXPECT_EQ(residency->take_idle(), nullptr) << "noted once";
}

TEST_F(Residencies, memory_in_flight_has_room_for_what_reads_become) {
  add(1, "note");
  start({1000, kMiB, kMiB});
  Record& one = make(1);
  EXPECT_TRUE(residency->has_room_to_read(5000)) << "an asset that is too large is read alone";
  EXPECT_FALSE(residency->reserve(one, 300));
  EXPECT_TRUE(residency->has_room_to_read(200));
  EXPECT_FALSE(residency->has_room_to_read(201)) << "half of the budget is left for decodes";
  for (int i = 0; i < 200; ++i) residency->learn_decoded(0);
  EXPECT_TRUE(residency->has_room_to_read(600));
  residency->learn_decoded(400);
  EXPECT_FALSE(residency->has_room_to_read(400));
  EXPECT_TRUE(residency->has_room_to_decode(one, 1000));
  EXPECT_FALSE(residency->has_room_to_decode(one, 1001));
  EXPECT_TRUE(residency->reserve(one, 0));
  EXPECT_EQ(residency->in_flight_bytes(), 0u);
  EXPECT_EQ(residency->peak_in_flight_bytes(), 300u);
}

TEST_F(Residencies, values_are_destroyed_later_by_frame) {
  add(1, "note");
  start();
  Record& one = make(1);
  load(one, 10, 20);
  residency->retire({.frame = 1});
  residency->retire({.frame = 2});
  std::vector<Retired> retired = residency->take_retired();
  EXPECT_FALSE(residency->has_retired());
  const auto gone = Residency::split_over(retired, [](std::uint64_t frame) { return frame <= 1; });
  ASSERT_EQ(gone - retired.begin(), 1);
  EXPECT_EQ(retired[0].frame, 2u);
  EXPECT_EQ(retired[1].frame, 1u);
  residency->drop_later(one);
  EXPECT_EQ(one.refs, 2u);
  EXPECT_EQ(residency->take_dropping().loaded->gpu.size_bytes, 20u);
  EXPECT_EQ(one.loaded, nullptr);
}

}  // namespace
}  // namespace assetc::runtime
