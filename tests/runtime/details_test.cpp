#include "runtime/loader/details.hpp"

#include <gmock/gmock.h>

#include "runtime/records.hpp"

namespace assetc::runtime {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

class DetailsOf : public Records {
 protected:
  void begin(std::uint64_t gpu_bytes) {
    for (std::uint32_t i = 1; i <= 4; ++i) add(i, "note");
    start({kMiB, kMiB, gpu_bytes});
    details.emplace(*residency);
  }
  // A record that is ready with level `first` of four, which have 1000, 100, 10 and 1 bytes on the device.
  Record& ready(std::uint32_t number, std::uint32_t first, int priority = 0) {
    constexpr std::uint64_t kBytes[] = {1000, 100, 10, 1};
    Record& record = make(number, priority);
    load(record, 0, kBytes[first]);
    record.detail = std::make_unique<Detail>(
        Detail{.levels = {.first = first, .finest = 0, .count = 4, .value_bytes = {1000, 100, 10, 1}}, .coarsest = 3});
    details->update(record);
    return record;
  }
  std::vector<std::pair<const Record*, std::uint32_t>> take() {
    std::vector<std::pair<const Record*, std::uint32_t>> out;
    for (const Details::Step& step : details->take()) out.emplace_back(step.record, step.level);
    return out;
  }
  std::optional<Details> details;
};

TEST_F(DetailsOf, the_most_urgent_become_finer_by_a_level_while_there_is_room) {
  begin(1150);
  Record &one = ready(1, 1), &two = ready(2, 3, 5);
  EXPECT_THAT(take(), ElementsAre(Pair(&two, 2), Pair(&one, 0))) << "1110 bytes";
  EXPECT_THAT(take(), IsEmpty()) << "both are in flight";
}

TEST_F(DetailsOf, levels_that_are_not_wanted_go_at_once) {
  begin(10'000);
  Record& one = ready(1, 0);
  one.wanted_level = 2;
  details->update(one);
  EXPECT_THAT(take(), ElementsAre(Pair(&one, 2)));
}

TEST_F(DetailsOf, the_first_part_stays_and_levels_that_failed_stay_away) {
  begin(10'000);
  Record& one = ready(1, 3);
  one.wanted_level = 9;
  details->update(one);
  EXPECT_THAT(take(), IsEmpty());
  one.wanted_level = 0;
  one.detail->reachable = 3;
  details->update(one);
  EXPECT_THAT(take(), IsEmpty());
}

TEST_F(DetailsOf, a_budget_that_is_exceeded_takes_the_finest_parts_of_the_least_urgent) {
  begin(1500);
  Record &one = ready(1, 0, 1), &two = ready(2, 0, 2), &three = ready(3, 1, 0);
  EXPECT_THAT(take(), UnorderedElementsAre(Pair(&three, 3), Pair(&one, 1))) << "2100 bytes";
  EXPECT_EQ(two.detail->coming_gpu_bytes, 0);
}

TEST_F(DetailsOf, an_urgent_one_takes_the_room_of_a_less_urgent_one) {
  begin(1150);
  Record &one = ready(1, 0, 1), &two = ready(2, 1, 2);
  EXPECT_THAT(take(), ElementsAre(Pair(&one, 1), Pair(&two, 0)));
}

TEST_F(DetailsOf, nothing_goes_to_and_fro) {
  begin(1150);
  ready(1, 0, 1);
  ready(2, 1, 1);
  EXPECT_THAT(take(), IsEmpty()) << "equal priorities do not evict each other";
}

TEST_F(DetailsOf, what_nobody_holds_becomes_no_finer) {
  begin(10'000);
  Record& one = ready(1, 2);
  residency->release(one);
  residency->take_idle();
  residency->cache(one);
  details->update(one);
  EXPECT_THAT(take(), IsEmpty());
  residency->retain(one);
  details->update(one);
  EXPECT_THAT(take(), ElementsAre(Pair(&one, 1)));
}

}  // namespace
}  // namespace assetc::runtime
