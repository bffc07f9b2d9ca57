// Mounts and unmounts while assets are loaded: downloaded content and mods.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "assetc/formats/hpack.hpp"
#include "runtime/notes.hpp"

namespace assetc::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Remounts : public Managers {
 protected:
  // A further cooked tree. path: the virtual path of its asset.
  void put_more(std::uint32_t number, std::string_view text, const std::string& path, aas1::Type type = kRaw) {
    more.add(uuid(number), {type, path, raw_blob(text), {}, {}});
    more.put(more_files, "more/");
  }
  Expected<void> mount_more() { return manager->mount(more_files.source(), Layout::kCooked, "more", {.priority = 1}); }
  Manager& start_reloads() {
    ManagerOptions options{.io_thread = false, .frames_in_flight = 2};
    options.on_reloaded = [this](const AnyRef& asset, const AnyRef&) { reloaded.push_back(asset.handle().uuid); };
    return start_notes(std::move(options));
  }

  Cooked more;
  Files more_files;
  std::vector<Uuid> reloaded;
};

TEST_F(Remounts, a_mod_replaces_an_asset_by_its_virtual_path) {
  add(1, "of the game");
  add(2, "other");
  put_more(51, "of the mod", "Demo/Notes/1");
  start_reloads();
  const AssetRef<Note> one = ask(1), two = ask(2);
  pump_until_done();
  const Note* const first = one.get();
  ASSERT_EQ(first->text, "of the game");

  ASSERT_TRUE(mount_more());
  EXPECT_EQ(one.get(), first);
  pump_all();
  EXPECT_EQ(one.get()->text, "of the mod");
  EXPECT_EQ(first->text, "of the game");  // until the frames are over
  EXPECT_THAT(reloaded, ElementsAre(uuid(1)));
  EXPECT_EQ(manager->catalog().find_by_path("Demo/Notes/1")->uuid, uuid(51));
  EXPECT_EQ(manager->catalog().find(uuid(1))->uuid, uuid(51));
  const AssetRef<Note> again = ask(1);
  pump_until_done();
  EXPECT_EQ(again.get()->text, "of the mod");

  ASSERT_TRUE(manager->unmount("more"));
  pump_until_done();
  EXPECT_EQ(one.get()->text, "of the game");
  EXPECT_EQ(manager->catalog().find_by_path("Demo/Notes/1")->uuid, uuid(1));
  EXPECT_EQ(two.get()->text, "other");
  const auto lines = log.lines();
  EXPECT_EQ(std::ranges::count(lines, "decode other"), 1);
}

TEST_F(Remounts, a_mod_replaces_what_an_asset_depends_on) {
  add(1, "user", {2});
  add(2, "of the game");
  put_more(51, "of the mod", "Demo/Notes/2");
  start_reloads();
  const AssetRef<Note> user = ask(1), needed = ask(2);
  pump_until_done();
  ASSERT_TRUE(mount_more());
  pump_until_done();
  EXPECT_EQ(needed.get()->text, "of the mod");
  EXPECT_EQ(reloaded, (std::vector<Uuid>{uuid(2), uuid(1)}));  // the engine hears of the user, too
}

TEST_F(Remounts, an_asset_of_another_type_or_in_a_later_mount_replaces_nothing) {
  add(1, "of the game");
  put_more(51, "of the mod", "Demo/Notes/1", aas1::Type::kScript);
  start_notes();
  ASSERT_TRUE(mount_more());
  EXPECT_EQ(manager->catalog().find(uuid(1))->uuid, uuid(1));
  ASSERT_TRUE(manager->unmount("more"));
  put_more(51, "of the mod", "Demo/Notes/1");
  ASSERT_TRUE(manager->mount(more_files.source(), Layout::kCooked, "more", {.priority = -1}));
  EXPECT_EQ(manager->catalog().find(uuid(1))->uuid, uuid(1));
}

TEST_F(Remounts, a_former_path_replaces_nothing) {
  add(1, "of the game");
  more.redirect(uuid(60), uuid(51), "Demo/Notes/1");
  put_more(51, "of the mod", "Demo/Notes/moved");
  start_notes();
  ASSERT_TRUE(mount_more());
  EXPECT_EQ(manager->catalog().find(uuid(1))->uuid, uuid(1));
}

TEST_F(Remounts, an_asset_in_use_survives_its_mount) {
  put_more(7, "downloaded", "Demo/Notes/7");
  add(1, "of the game");
  start_reloads();
  ASSERT_TRUE(mount_more());
  AssetRef<Note> seven = ask(7);
  pump_until_done();
  ASSERT_TRUE(seven.is_ready());

  ASSERT_TRUE(manager->unmount("more"));
  pump_until_done();
  for (int i = 0; i < 4; ++i) pump_all();
  EXPECT_EQ(seven.get()->text, "downloaded");
  ASSERT_NE(seven.reload_failure(), nullptr);
  EXPECT_EQ(seven.reload_failure()->fault, Fault::kMissing);
  EXPECT_EQ(seven.reload_failure()->virtual_path, "Demo/Notes/7");

  // No longer in use, it cannot be loaded again.
  seven = {};
  manager->unload({.uuid = uuid(7)});
  pump_all();
  seven = ask(7);
  pump_until_done();
  pump_all();
  EXPECT_EQ(seven.state(), LoadState::kFailed);
  EXPECT_EQ(seven.failure()->fault, Fault::kMissing);

  // The mount comes back: the failed asset is loaded behind the same ref.
  ASSERT_TRUE(mount_more());
  pump_until_done();
  EXPECT_TRUE(seven.is_ready());
  EXPECT_EQ(seven.get()->text, "downloaded");
}

TEST_F(Remounts, a_request_by_path_waits_for_its_mount) {
  add(1, "of the game");
  put_more(7, "downloaded", "Demo/Notes/7");
  start_notes();
  const AssetRef<Note> one = manager->load_async<Note>("demo/notes/1"),
                       seven = manager->load_async<Note>("Demo/Notes/7");
  EXPECT_EQ(manager->load<Note>("Demo/Notes/1").get()->text, "of the game");
  pump_until_done();
  pump_all();
  EXPECT_EQ(one.get()->text, "of the game");
  ASSERT_EQ(seven.state(), LoadState::kFailed);
  EXPECT_EQ(seven.failure()->fault, Fault::kMissing);
  EXPECT_EQ(seven.failure()->virtual_path, "Demo/Notes/7");
  ASSERT_TRUE(mount_more());
  pump_until_done();
  ASSERT_TRUE(seven.is_ready());
  EXPECT_EQ(seven.get()->text, "downloaded");
}

TEST_F(Remounts, a_version_is_replaced_in_one_step_and_back) {
  add(1, "version 1");
  Files second;
  Cooked next;
  next.add(uuid(1), {kRaw, "Demo/Notes/1", raw_blob("version 2"), {}, {}});
  next.put(second, "next/");
  start_reloads();
  const AssetRef<Note> one = ask(1);
  pump_until_done();
  const auto cooked_source = files.source();
  ASSERT_TRUE(manager->replace("cooked", second.source(), Layout::kCooked, "next"));
  EXPECT_EQ(one.get()->text, "version 1") << "until a pump";
  EXPECT_EQ(manager->catalog().mounts().size(), 1u);
  pump_until_done();
  EXPECT_EQ(one.get()->text, "version 2");
  EXPECT_EQ(one.reload_failure(), nullptr);

  const auto broken = manager->replace("next", Files().source(), Layout::kCooked, "none");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().fault, Fault::kMissing);
  EXPECT_EQ(manager->replace("nothing", cooked_source, Layout::kCooked, "cooked").error().fault, Fault::kMissing);
  pump_until_done();
  EXPECT_EQ(one.get()->text, "version 2");
  EXPECT_EQ(manager->catalog().mounts()[0].path, "next");

  ASSERT_TRUE(manager->replace("next", cooked_source, Layout::kCooked, "cooked"));
  pump_until_done();
  EXPECT_EQ(one.get()->text, "version 1");
  EXPECT_THAT(failures, IsEmpty());
}

TEST_F(Remounts, an_asset_of_an_unmounted_place_falls_back) {
  put_more(7, "downloaded", "Demo/Notes/7");
  Loader<Note> loader = note_loader(log);
  loader.fallback = [](AssetType) { return Note{"instead"}; };
  start().add<Note>(kRaw, std::move(loader));
  ASSERT_TRUE(mount_more());
  AssetRef<Note> seven = ask(7);
  pump_until_done();
  EXPECT_EQ(seven.get_or_fallback()->text, "downloaded");
  ASSERT_TRUE(manager->unmount("more"));
  seven = {};
  for (int i = 0; i < 4; ++i) pump_all();
  seven = ask(7);
  pump_until_done();
  EXPECT_EQ(seven.get(), nullptr);
  ASSERT_NE(seven.get_or_fallback(), nullptr);
  EXPECT_EQ(seven.get_or_fallback()->text, "instead");
  EXPECT_EQ(seven.gpu().object, std::string_view("instead").size());
}

// Downloaded content is usually one file.
TEST_F(Remounts, a_pack_is_mounted_and_unmounted_while_the_game_runs) {
  add(1, "of the game");
  const std::vector<hpack::File> packed = {{"level_2/door.bin", Bytes(raw_blob("door"))},
                                           {"level_2/key.bin", Bytes(raw_blob("key"))}};
  const auto pack = hpack::write(packed);
  ASSERT_TRUE(pack);
  more_files.files["level_2.hpack"] = Bytes(*pack);
  start_notes({.jobs = start_pool(1)}, 1);
  const AssetRef<Note> one = ask(1), door = manager->load_async<Note>("level_2/door.bin");
  pump_until_done();
  EXPECT_EQ(door.failure()->fault, Fault::kMissing);
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(manager->mount(more_files.source(1), Layout::kPack, "level_2.hpack"));
    pump_until_done();
    ASSERT_TRUE(door.is_ready());
    EXPECT_EQ(door.get()->text, "door");
    EXPECT_EQ(manager->load<Note>("level_2/key.bin").get()->text, "key");
    ASSERT_TRUE(manager->unmount("level_2.hpack"));
    pump_all();
    EXPECT_EQ(door.get()->text, "door") << "it is in use";
    EXPECT_EQ(one.get()->text, "of the game");
  }
}

TEST_F(Remounts, a_cached_asset_goes_with_its_mount) {
  put_more(7, "downloaded", "Demo/Notes/7");
  start_notes();
  ASSERT_TRUE(mount_more());
  ask(7);
  AssetRef<Note> seven = ask(7);
  pump_until_done();
  seven = {};
  pump_all();
  ASSERT_EQ(manager->stats().cached, 1u);
  ASSERT_TRUE(manager->unmount("more"));
  for (int i = 0; i < 4; ++i) pump_all();
  EXPECT_EQ(manager->stats().cached, 0u);
  EXPECT_EQ(manager->stats().gpu_bytes, 0u);
  EXPECT_THAT(log.lines(), testing::Contains("release 10"));
}

TEST_F(Remounts, a_failed_mount_changes_nothing) {
  add(1, "of the game");
  start_notes();
  const AssetRef<Note> one = ask(1);
  pump_until_done();
  const auto missing = mount_more();
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().fault, Fault::kMissing);
  const auto unmounted = manager->unmount("more");
  ASSERT_FALSE(unmounted);
  EXPECT_EQ(unmounted.error().fault, Fault::kMissing);
  EXPECT_THAT(unmounted.error().to_string(), HasSubstr("more: is not mounted"));
  EXPECT_EQ(manager->catalog().mounts().size(), 1u);
  pump_all();
  EXPECT_THAT(log.lines(), ElementsAre("decode of the game", "finalize of the game"));
  EXPECT_THAT(failures, IsEmpty());
}

// Inserts, variants, requests and frames at the same time.
TEST_F(Remounts, may_meet_inserts_and_variants_from_other_threads) {
  constexpr std::uint32_t kAssets = 12;
  for (std::uint32_t i = 0; i < kAssets; ++i) {
    add(i, "plain " + std::to_string(i));
    const std::string path = "Demo/Notes/" + std::to_string(i) + "+low";
    cooked.add(uuid(50 + i), {kRaw, path, raw_blob("low " + std::to_string(i)), {}, {}});
  }
  start_notes({.jobs = start_pool(2)}, 1);
  std::vector<AssetRef<Note>> refs;
  refs.reserve(kAssets);
  for (std::uint32_t i = 0; i < kAssets; ++i) refs.push_back(ask(i));
  std::atomic<int> busy = 3;
  const auto repeat = [&](auto act) {
    return std::thread([&busy, act] {
      for (int i = 0; i < 200; ++i) {
        act(i);
        std::this_thread::yield();
      }
      --busy;
    });
  };
  std::vector<std::thread> threads;
  threads.push_back(repeat([&](int i) {
    const AssetRef<Note> made = manager->insert(Note{"made"});
    const AssetRef<Note> instead =
        manager->insert<Note>({.uuid = uuid(static_cast<unsigned>(i) % kAssets)}, {"instead"});
  }));
  threads.push_back(repeat([&](int i) {
    manager->set_variants(i % 2 == 0 ? std::vector<std::string>{"low"} : std::vector<std::string>());
  }));
  threads.push_back(repeat([&](int i) {
    const AssetRef<Note> one =
        manager->load_async<Note>("Demo/Notes/" + std::to_string(i % 15), LoadOptions{.priority = i % 3});
    EXPECT_TRUE(!one.is_ready() || !one.get()->text.empty());
  }));
  while (busy > 0) manager->pump();
  for (std::thread& thread : threads) thread.join();
  manager->set_variants({"low"});
  manager->changed({.everything = true});
  refs.clear();
  for (int i = 0; i < 4; ++i) pump_until_done(), pump_all();
  for (std::uint32_t i = 0; i < kAssets; ++i)
    EXPECT_EQ(manager->load<Note>({.uuid = uuid(i)}).get()->text, "low " + std::to_string(i));
  manager->set_variants({});
  for (std::uint32_t i = 0; i < kAssets; ++i)
    EXPECT_EQ(manager->load<Note>({.uuid = uuid(i)}).get()->text, "plain " + std::to_string(i));
}

// Loads, frames, mounts and unmounts at the same time. At the end every asset has the value of its mount.
TEST_F(Remounts, happen_while_assets_load) {
  constexpr std::uint32_t kAssets = 20;
  for (std::uint32_t i = 0; i < kAssets; ++i) {
    add(i, "game " + std::to_string(i));
    if (i % 2 == 0) put_more(50 + i, "mod " + std::to_string(i), "Demo/Notes/" + std::to_string(i));
  }
  start_notes({.jobs = start_pool(2)}, 1);
  std::atomic<bool> over = false;
  std::thread engine([&] {
    while (!over) {
      for (std::uint32_t i = 0; i < kAssets; ++i) ask(i);
      std::this_thread::yield();
    }
  });
  std::thread mounts([&] {
    for (int i = 0; i < 25; ++i) {
      EXPECT_TRUE(manager->mount(more_files.source(1), Layout::kCooked, "more", {.priority = 1}));
      std::this_thread::yield();
      EXPECT_TRUE(manager->unmount("more"));
    }
    EXPECT_TRUE(manager->mount(more_files.source(1), Layout::kCooked, "more", {.priority = 1}));
    over = true;
  });
  std::vector<AssetRef<Note>> refs;
  refs.reserve(kAssets);
  for (std::uint32_t i = 0; i < kAssets; ++i) refs.push_back(ask(i));
  while (!over) manager->pump();
  engine.join();
  mounts.join();
  while (manager->stats().loading > 0) manager->pump();
  for (std::uint32_t i = 0; i < kAssets; ++i) {
    ASSERT_TRUE(refs[i].is_ready()) << i;
    EXPECT_EQ(refs[i].get()->text, (i % 2 == 0 ? "mod " : "game ") + std::to_string(i));
  }
}

}  // namespace
}  // namespace assetc::runtime
