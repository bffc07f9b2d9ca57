// Assets that are preloaded together.
#include <gmock/gmock.h>

#include <array>
#include <memory>
#include <thread>
#include <vector>

#include "runtime/notes.hpp"

namespace assetc::runtime {
namespace {

TEST_F(Managers, a_group_has_progress) {
  for (std::uint32_t i = 1; i <= 3; ++i) add(i, "note");
  start_notes();
  const std::vector<AssetHandle> wanted = {{.uuid = uuid(1)}, {.uuid = uuid(2)}, {.uuid = uuid(3)}, {.uuid = uuid(4)}};
  const Group group = manager->preload(wanted);
  EXPECT_EQ(group.progress().total, 4u);
  EXPECT_EQ(manager->stats().loading, 4u);
  EXPECT_TRUE(log.lines().empty());
  pump_until_done();
  EXPECT_EQ(group.progress().ready, 3u);
  EXPECT_EQ(group.progress().failed, 1u);
  EXPECT_TRUE(group.progress().is_done());
}

TEST_F(Managers, a_group_is_waited_for) {
  for (std::uint32_t i = 1; i <= 300; ++i) add(i, std::to_string(i));
  std::vector<AssetHandle> wanted;
  for (std::uint32_t i = 1; i <= 301; ++i) wanted.push_back({.uuid = uuid(i)});
  for (const bool on_threads : {false, true}) {
    ManagerOptions options{.io_thread = on_threads};
    if (on_threads) options.jobs = start_pool(3);
    start_notes(options, on_threads ? 2 : 0);
    const Group group = manager->preload(wanted);
    manager->wait(group);
    EXPECT_EQ(group.progress().ready, 300u);
    EXPECT_EQ(group.progress().failed, 1u);
    EXPECT_EQ(static_cast<const AssetRef<Note>&>(group.refs()[36]).get()->text, "37");
    manager.reset();
  }
}

TEST_F(Managers, a_group_that_is_destroyed_requests_nothing_more) {
  for (std::uint32_t i = 1; i <= 300; ++i) add(i, "note");
  std::vector<AssetHandle> wanted;
  for (std::uint32_t i = 1; i <= 300; ++i) wanted.push_back({.uuid = uuid(i)});
  for (const bool on_threads : {false, true}) {
    start_notes({.io_thread = on_threads}, on_threads ? 1 : 0);
    static_cast<void>(manager->preload(wanted));
    std::optional<Group> second = manager->preload(wanted);
    manager->pump({.time = std::chrono::microseconds(1)});
    second.reset();
    pump_until_done();
    EXPECT_EQ(manager->stats().loading, 0u);
    EXPECT_TRUE(manager->load<Note>({.uuid = uuid(300)}).is_ready());
  }
}

// Returns the numbers of the assets, in the order of the refs.
std::vector<std::uint32_t> numbers_of(const Group& group, std::uint32_t count) {
  std::vector<std::uint32_t> numbers;
  for (const AnyRef& ref : group.refs()) {
    for (std::uint32_t i = 1; i <= count; ++i) {
      if (ref.handle().uuid == uuid(i)) numbers.push_back(i);
    }
  }
  return numbers;
}

class GroupRefs : public Managers {
 protected:
  // More than are requested at once, in descending order. The last one is in no mount.
  void SetUp() override {
    for (std::uint32_t i = 1; i <= kCount; ++i) {
      if (i > 1) add(i, std::to_string(i));
      order.push_back(kCount + 1 - i);
      wanted.push_back({.uuid = uuid(order.back())});
    }
  }
  static constexpr std::uint32_t kCount = 600;
  std::vector<std::uint32_t> order;
  std::vector<AssetHandle> wanted;
};

TEST_F(GroupRefs, are_complete_after_preload) {
  start_notes();
  const Group before = manager->preload(wanted);
  const Group group = manager->preload(wanted);
  EXPECT_EQ(numbers_of(group, kCount), order);
  EXPECT_EQ(numbers_of(before, kCount), order);
  EXPECT_EQ(manager->stats().loading, kCount - 1);
  EXPECT_EQ(group.refs().back().failure()->fault, Fault::kMissing);
  pump_until_done();
  EXPECT_EQ(group.progress().ready, kCount - 1);
  EXPECT_TRUE(Group().refs().empty());
  EXPECT_EQ(Group().progress().total, 0u);
  EXPECT_TRUE(manager->preload({}).refs().empty());
}

TEST_F(GroupRefs, are_complete_on_each_thread) {
  for (int run = 0; run < 20; ++run) {
    start_notes({.jobs = start_pool(1)}, 1);
    const Group group = manager->preload(wanted);
    std::array<std::size_t, 3> counts{};
    std::vector<std::thread> threads;
    threads.reserve(std::size(counts));
    for (std::size_t& count : counts) threads.emplace_back([&] { count = group.refs().size(); });
    EXPECT_EQ(group.refs().size(), kCount);
    for (std::thread& thread : threads) thread.join();
    EXPECT_THAT(counts, testing::Each(kCount));
    manager->wait(group);
    EXPECT_TRUE(group.progress().is_done());
    manager.reset();
  }
}

TEST_F(GroupRefs, are_complete_and_failed_without_the_manager) {
  for (const bool on_threads : {false, true}) {
    start_notes({.io_thread = on_threads}, on_threads ? 1 : 0);
    const Group group = manager->preload(wanted);
    manager.reset();
    EXPECT_TRUE(group.progress().is_done());
    EXPECT_EQ(numbers_of(group, kCount), order);
    EXPECT_EQ(group.refs().size(), kCount);
    if (on_threads) continue;
    EXPECT_EQ(group.refs()[0].failure()->fault, Fault::kCanceled);
  }
}

// The destructor of a value runs while the manager is destroyed.
TEST_F(GroupRefs, are_complete_if_preload_is_called_in_the_manager_s_destructor) {
  struct Caller {
    std::shared_ptr<void> at_end;
  };
  add(kCount + 1, "caller");
  Group group;
  Manager& closing = start();
  closing.add<Caller>(kRaw, {.decode = [&](LoadInput&) -> Result<Caller> {
                        return Caller{std::shared_ptr<void>(nullptr, [&](void*) { group = closing.preload(wanted); })};
                      }});
  const AssetHandle caller{.uuid = uuid(kCount + 1)};
  EXPECT_TRUE(manager->load<Caller>(caller).is_ready());
  manager.reset();
  EXPECT_EQ(group.refs().size(), kCount);
  EXPECT_EQ(group.progress().failed, kCount);
}

// A large group is released in parts, however little time the pumps have.
class GroupEnds : public GroupRefs {
 protected:
  Group loaded_group() {
    Group group = manager->preload(wanted);
    manager->wait(group);
    return group;
  }
  std::size_t cached() const { return manager->stats().cached; }
  static constexpr PumpBudget kNoTime{.time = std::chrono::microseconds(0)};
};

TEST_F(GroupEnds, are_within_the_budget_of_pumps) {
  start_notes();
  AssetRef<Note> kept;
  {
    const Group group = loaded_group();
    kept = manager->load<Note>(wanted[0]);
  }
  EXPECT_EQ(cached(), 0u);
  std::size_t pumps = 0, before = 0;
  for (; cached() < kCount - 2; ++pumps) {
    manager->pump(kNoTime);
    ASSERT_GT(cached(), before);
    ASSERT_LE(cached(), before + 256);
    before = cached();
  }
  EXPECT_GE(pumps, 2u);
  manager->pump(kNoTime);
  EXPECT_EQ(cached(), kCount - 2) << "one is in use, one failed";
  EXPECT_EQ(kept.get()->text, std::to_string(kCount));
}

TEST_F(GroupEnds, are_complete_when_something_else_was_loaded) {
  add(kCount + 1, "another");
  start_notes();
  loaded_group();
  EXPECT_EQ(cached(), 0u);
  const AssetRef<Note> another = manager->load<Note>({.uuid = uuid(kCount + 1)});
  EXPECT_TRUE(another.is_ready());
  EXPECT_EQ(cached(), kCount - 1);
}

TEST_F(GroupEnds, cancel_loads) {
  start_notes();
  {
    const Group group = manager->preload(wanted);
    EXPECT_EQ(group.refs().size(), kCount);
  }
  EXPECT_EQ(manager->stats().loading, kCount - 1);
  for (int i = 0; i < 4; ++i) manager->pump(kNoTime);
  EXPECT_EQ(manager->stats().loading, 0u);
}

TEST_F(GroupEnds, unload_drops_assets_of_a_group_that_was_destroyed) {
  start_notes();
  loaded_group();
  manager->unload(wanted[0]);
  manager->unload(wanted[kCount - 2]);
  for (int i = 0; i < 4; ++i) manager->pump(kNoTime);
  EXPECT_EQ(cached(), kCount - 3);
}

TEST_F(GroupEnds, come_before_during_and_after_that_of_the_manager) {
  for (const int when : {0, 1, 2}) {
    start_notes();
    std::optional<Group> group = loaded_group();
    if (when == 0) group.reset();
    if (when == 1) {
      manager->pump(kNoTime);
      group.reset();
      manager->pump(kNoTime);
    }
    manager.reset();
    if (when == 2) {
      EXPECT_EQ(group->progress().ready, kCount - 1);
    }
  }
}

TEST_F(GroupEnds, come_on_other_threads) {
  for (int run = 0; run < 10; ++run) {
    start_notes({.jobs = start_pool(1)}, 1);
    std::vector<Group> groups(3, loaded_group());
    for (Group& group : groups) group = manager->preload(wanted);
    for (const Group& group : groups) manager->wait(group);
    std::vector<std::thread> threads;
    threads.reserve(groups.size());
    for (Group& group : groups) threads.emplace_back([&group] { group = {}; });
    if (run % 2 == 0) manager.reset();  // at any time of theirs
    for (int i = 0; manager.has_value() && i < 8; ++i) manager->pump({});
    for (std::thread& thread : threads) thread.join();
    manager.reset();
  }
}

}  // namespace
}  // namespace assetc::runtime
