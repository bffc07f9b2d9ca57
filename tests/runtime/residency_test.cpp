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
  for (Record* record : {&one, &two, &three}) {
    residency->release(*record);
    EXPECT_EQ(residency->take_idle(), record);
    residency->cache(*record);
  }
  EXPECT_EQ(residency->cached_count(), 3u);
  EXPECT_EQ(residency->take_victim(), &two) << "one has no part of the budget that is exceeded";
  residency->remove(two);
  EXPECT_EQ(residency->take_victim(), nullptr);
  residency->retain(one);
  EXPECT_EQ(residency->take_oldest(), &three) << "one is held";
  EXPECT_EQ(residency->take_oldest(), nullptr);
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
  EXPECT_TRUE(residency->has_room_to_read(5000)) << "one that is too large goes alone";
  EXPECT_FALSE(residency->reserve(one, 300));
  EXPECT_TRUE(residency->has_room_to_read(200));
  EXPECT_FALSE(residency->has_room_to_read(201)) << "half is left for decodes";
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
