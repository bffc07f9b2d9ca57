#include "runtime/loader/reloads.hpp"

#include <gmock/gmock.h>

#include "runtime/records.hpp"

namespace assetc::runtime {
namespace {

using testing::ElementsAre;

class ReloadsOf : public Records {
 protected:
  void begin_reloads() {
    add(1, "user", {2});
    add(2, "base");
    add(3, "other");
    start();
    reloads.emplace(*graph, *residency);
  }
  static AssetHandle asset(std::uint32_t number) { return {.uuid = uuid(number), .type = kRaw}; }
  Reloads::Begun begin(std::uint32_t number) {
    Reloads::Begun begun = reloads->begin({asset(number)}, true);
    all.insert(all.end(), begun.made.begin(), begun.made.end());
    return begun;
  }
  std::optional<Reloads> reloads;
  std::vector<Failure> told;
};

TEST_F(ReloadsOf, what_is_held_is_loaded_beside_and_what_is_cached_dropped) {
  begin_reloads();
  Record &user = make(1), &other = make(3);
  load(user, 10, 10);
  load(other, 10, 10);
  residency->release(other);
  residency->take_idle();
  residency->cache(other);
  EXPECT_THAT(begin(3).dropped, ElementsAre(&other));
  const Reloads::Begun begun = begin(1);
  ASSERT_THAT(begun.held, ElementsAre(&user));
  Record& beside = *begun.made[0];
  EXPECT_EQ(user.reload, &beside);
  std::vector<Graph::Made> needed;
  EXPECT_FALSE(reloads->expand(beside, needed));
  EXPECT_TRUE(needed.empty()) << "it is loaded";
  EXPECT_THAT(beside.hard, ElementsAre(user.hard[0]));
  load(beside, 20, 30);
  EXPECT_EQ(&reloads->take_place(beside, 7, told), &user);
  EXPECT_EQ(user.reload, nullptr);
  EXPECT_EQ(user.loaded.load()->gpu.size_bytes, 30u);
  EXPECT_EQ(user.cpu_bytes, 20u);
  EXPECT_EQ(residency->take_retired().at(0).frame, 7u);
  EXPECT_THAT(reloads->take_replaced(), ElementsAre(&user));
}

TEST_F(ReloadsOf, a_failure_stands_beside_what_is_there_and_is_told_once) {
  begin_reloads();
  Record& other = make(3);
  load(other, 10, 10);
  for (int i = 0; i < 2; ++i) {
    Record& beside = *begin(3).made[0];
    beside.failure = new Failure{Fault::kCorrupt, other.handle, {}, {ErrorCode::kInvalidData, {}, {}, "bad", {}}};
    beside.state = LoadState::kFailed;
    reloads->take_place(beside, 1, told);
    EXPECT_EQ(other.state, LoadState::kReady);
    ASSERT_NE(other.failure, nullptr);
    EXPECT_EQ(told.size(), 1u);
  }
}

TEST_F(ReloadsOf, what_changes_while_it_loads_is_loaded_again_with_all_that_failed) {
  begin_reloads();
  Record &user = make(1), &other = make(3);
  other.failure = new Failure{Fault::kCorrupt, other.handle, {}, {}};
  other.state = LoadState::kFailed;
  EXPECT_TRUE(begin(1).made.empty());
  EXPECT_TRUE(reloads->take_again().empty()) << "it is still loading";
  reloads->again(user);
  EXPECT_EQ(reloads->again_count(), 1u);
  EXPECT_THAT(reloads->take_again(), ElementsAre(asset(1), asset(3)));
  EXPECT_EQ(reloads->again_count(), 0u);
}

TEST_F(ReloadsOf, users_of_what_was_replaced_are_told) {
  begin_reloads();
  Record &user = make(1), &base = make(2);
  load(base, 10, 10);
  load(user, 10, 10);
  EXPECT_THAT(reloads->events_of({&base}), ElementsAre(Reloads::Event{&base, &base}, Reloads::Event{&user, &base}));
}

}  // namespace
}  // namespace assetc::runtime
