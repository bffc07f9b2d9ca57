// Assets that are preloaded together.
#include <gmock/gmock.h>

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
  EXPECT_TRUE(group.refs().empty());  // the caller does not wait for requests
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
    const Group third = manager->preload(wanted);
    manager.reset();  // while it has requests
    for (const AnyRef& ref : third.refs()) EXPECT_NE(ref.state(), LoadState::kLoading);
    EXPECT_EQ(third.progress().total, 300u);
  }
}

}  // namespace
}  // namespace assetc::runtime
