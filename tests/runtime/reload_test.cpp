// Hot reload: reloaded values replace the old ones behind the same refs.
#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "assetc/runtime/source.hpp"
#include "runtime/gate.hpp"
#include "runtime/notes.hpp"

namespace assetc::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class HotReloads : public Managers {
 protected:
  // Saves new contents of an asset, and the report of the change.
  void save(std::uint32_t number, std::string_view text) { files.put(blob_path(number), Bytes(raw_blob(text))); }
  static Changes written(const std::vector<std::uint32_t>& numbers) {
    Changes changes;
    for (const std::uint32_t number : numbers) changes.written.push_back(file_of(number));
    return changes;
  }
  static std::string file_of(std::uint32_t number) { return "Assets/" + uuid(number).to_string() + ".bin"; }
  void save_registry() { files.put("cooked/Registry/AssetRegistry.bin", Bytes(cooked.registry())); }
  Manager& start_reloads(ManagerOptions options = {.io_thread = false}) {
    options.on_reloaded = [this](const AnyRef& asset, const AnyRef& cause) {
      events.push_back(name(asset) + " by " + name(cause));
    };
    return start_notes(std::move(options));
  }
  std::string name(const AnyRef& ref) const {
    for (std::uint32_t i = 0; i < 100; ++i) {
      if (ref.handle().uuid == uuid(i)) return std::to_string(i);
    }
    return "?";
  }
  std::vector<std::string> events;
};

TEST_F(HotReloads, replaces_an_asset_behind_its_refs_and_keeps_the_last_one_for_frames) {
  add(1, "first");
  start_reloads({.io_thread = false, .frames_in_flight = 2});
  const AssetRef<Note> one = ask(1);
  AssetRef<Note> copy;
  copy = one;
  pump_until_done();
  const Note* const first = one.get();
  save(1, "second one");
  manager->changed(written({1}));
  EXPECT_EQ(one.get(), first);
  EXPECT_TRUE(one.is_ready());
  pump_all();
  EXPECT_EQ(one.get()->text, "second one");
  EXPECT_EQ(copy.get()->text, "second one");
  EXPECT_EQ(one.gpu().object, 10u);
  EXPECT_EQ(first->text, "first");
  EXPECT_THAT(events, ElementsAre("1 by 1"));
  pump_all();
  EXPECT_EQ(first->text, "first");
  pump_all();
  EXPECT_THAT(log.lines(),
              ElementsAre("decode first", "finalize first", "decode second one", "finalize second one", "release 5"));
  EXPECT_EQ(manager->stats().gpu_bytes, 10u);
  EXPECT_THAT(failures, IsEmpty());
}

// The memory in flight has no room for the reload, until something in flight turns out to wait for it.
TEST_F(HotReloads, what_a_decoded_asset_waits_for_is_read_without_room) {
  add(1, "user", {2});
  add(2, "needed");
  Gate decoding, go;
  start({.jobs = start_pool(1), .in_flight_bytes = 1});
  manager->add<Note>(kRaw, {.decode = [&](LoadInput& in) -> Result<Note> {
                       ASSETC_TRY(Note note, read_note(in));
                       if (note.text == "user") {
                         decoding.open();
                         go.wait();
                       }
                       return note;
                     }});
  files.put(blob_path(2), Bytes(ByteVector(40)));
  const AssetRef<Note> needed = ask(2);
  pump_until_done();
  ASSERT_EQ(needed.state(), LoadState::kFailed);
  const AssetRef<Note> user = ask(1);
  decoding.wait();
  save(2, "needed");
  manager->changed(written({2}));
  go.open();
  for (int i = 0; i < 20'000 && manager->stats().loading > 0; ++i) {
    manager->pump();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(needed.is_ready());
  EXPECT_TRUE(user.is_ready());
}

TEST_F(HotReloads, an_engine_says_when_a_frame_is_over) {
  add(1, "first");
  std::uint64_t over = 0;
  start_reloads({.io_thread = false, .is_over = [&](std::uint64_t frame) { return frame <= over; }});
  const AssetRef<Note> one = ask(1);
  pump_until_done();
  save(1, "second");
  manager->changed(written({1}));
  const std::uint64_t frame = manager->pump().frame;
  for (int i = 0; i < 10; ++i) pump_all();
  EXPECT_EQ(manager->stats().gpu_bytes, 20u);
  over = frame;
  pump_all();
  EXPECT_EQ(manager->stats().gpu_bytes, 10u);
}

TEST_F(HotReloads, one_that_fails_keeps_what_was_there_and_says_why_once) {
  add(1, "first");
  start_reloads();
  const AssetRef<Note> one = ask(1);
  pump_until_done();
  files.put(blob_path(1), Bytes(ByteVector(40)));
  manager->changed(written({1}));
  pump_until_done();
  EXPECT_EQ(one.get()->text, "first");
  EXPECT_EQ(one.failure(), nullptr);
  ASSERT_NE(one.reload_failure(), nullptr);
  EXPECT_EQ(one.reload_failure()->fault, Fault::kCorrupt);
  EXPECT_THAT(failures, ElementsAre(HasSubstr("Demo/Notes/1")));
  manager->changed(written({1}));
  pump_until_done();
  EXPECT_EQ(failures.size(), 1u);
  save(1, "mended");
  manager->changed(written({1}));
  pump_until_done();
  EXPECT_EQ(one.get()->text, "mended");
  EXPECT_EQ(one.reload_failure(), nullptr);
  EXPECT_THAT(events, ElementsAre("1 by 1"));
}

TEST_F(HotReloads, a_first_load_that_failed_recovers_and_so_does_who_failed_of_it) {
  add(1, "top", {2, 4});
  add(2, "middle", {3});
  add(3, "base");
  add(4, "other");
  start_reloads();
  files.put(blob_path(3), Bytes(ByteVector(40)));
  const AssetRef<Note> top = ask(1);
  pump_until_done();
  EXPECT_EQ(top.failure()->fault, Fault::kDependency);
  EXPECT_THAT(top.failure()->error.to_string(),
              HasSubstr("needs Demo/Notes/3 (" + uuid(3).to_string() + "): corrupt: "));
  save(3, "mended");
  manager->changed(written({3}));
  pump_until_done();
  ASSERT_TRUE(top.is_ready()) << top.failure()->to_string();
  EXPECT_EQ(top.get()->text, "top");
  EXPECT_EQ(top.failure(), nullptr);
}

// A file that is read while it is being written. No further change is reported when it is complete.
TEST_F(HotReloads, who_failed_of_what_changed_while_it_was_loading_recovers_with_it) {
  add(1, "top", {2});
  add(2, "base");
  start_reloads();
  files.put(blob_path(2), Bytes(ByteVector(40)));
  const AssetRef<Note> top = ask(1);
  manager->changed(written({2}));
  manager->pump({.time = std::chrono::seconds(60)});  // all of it in one, on any machine
  ASSERT_NE(top.failure(), nullptr);
  EXPECT_EQ(top.failure()->fault, Fault::kDependency);
  save(2, "whole");
  pump_until_done();
  EXPECT_TRUE(top.is_ready()) << top.failure()->to_string();
}

// Values that it made before it failed are released after the reload's value arrives.
TEST_F(HotReloads, one_that_failed_late_keeps_what_is_loaded_anew_at_once) {
  add(1, "one");
  start();
  bool fails = true;
  Loader<Note> loader = note_loader(log);
  loader.finalize = [&](Note&, const AssetDesc&) -> Result<GpuObject> {
    if (fails) return fail(ErrorCode::kLimit, "the device is full");
    return GpuObject{1, 10};
  };
  manager->add<Note>(kRaw, std::move(loader));
  const AssetRef<Note> one = manager->load<Note>({.uuid = uuid(1)});
  ASSERT_EQ(one.failure()->fault, Fault::kLimit);
  fails = false;
  manager->changed(written({1}));
  pump_until_done();
  for (int i = 0; i < 5; ++i) pump_all();
  ASSERT_TRUE(one.is_ready());
  ASSERT_NE(one.get(), nullptr);
  EXPECT_EQ(one.get()->text, "one");
  EXPECT_EQ(manager->stats().gpu_bytes, 10u);
  EXPECT_THAT(log.lines(), ElementsAre("decode one", "decode one"));
}

TEST_F(HotReloads, an_asset_that_was_missing_is_there_once_the_index_has_it) {
  add(1, "one");
  start_reloads();
  const AssetRef<Note> two = ask(2);
  pump_until_done();
  EXPECT_EQ(two.failure()->fault, Fault::kMissing);
  EXPECT_FALSE(manager->catalog().find_by_path("Demo/Notes/2"));
  add(2, "two", {1});
  save(2, "two");
  save_registry();
  Changes changes = written({2});
  changes.written.push_back("Registry/AssetRegistry.bin");
  manager->changed(changes);
  pump_until_done();
  ASSERT_TRUE(two.is_ready());
  EXPECT_EQ(two.get()->text, "two");
  EXPECT_TRUE(manager->catalog().find_by_path("Demo/Notes/2"));
  EXPECT_EQ(two.handle().type, kRaw);
}

// An asset that is deleted and comes back as a new file has another UUID.
TEST_F(HotReloads, what_was_found_by_its_path_is_found_there_again) {
  add(1, "one");
  add(2, "other");
  start_reloads();
  const AssetRef<Note> by_path = manager->load_async<Note>("Demo/Notes/1"), by_uuid = ask(2);
  const AssetHandle other = *manager->catalog().find_by_path("demo/notes/2");
  EXPECT_EQ(other, by_uuid.handle());
  EXPECT_EQ(std::hash<AssetHandle>()(other), std::hash<AssetHandle>()(by_uuid.handle()));
  pump_until_done();
  const auto change_registry = [&](Changes changes) {
    save_registry();
    changes.written.push_back("Registry/AssetRegistry.bin");
    manager->changed(changes);
    pump_until_done();
  };
  for (const std::uint32_t number : {1u, 2u}) {
    cooked.forget(uuid(number));
    files.remove(blob_path(number));
  }
  change_registry({.removed = {file_of(1), file_of(2)}});
  EXPECT_EQ(by_path.reload_failure()->fault, Fault::kMissing);
  for (const std::uint32_t number : {1u, 2u}) {
    cooked.add(uuid(10 + number), {kRaw, "Demo/Notes/" + std::to_string(number), raw_blob("again"), {}, {}});
    save(10 + number, "again");
  }
  change_registry(written({11, 12}));
  EXPECT_EQ(by_path.get()->text, "again");
  EXPECT_EQ(by_path.reload_failure(), nullptr);
  EXPECT_EQ(by_uuid.reload_failure()->fault, Fault::kMissing);  // a UUID is one asset
}

TEST_F(HotReloads, an_index_that_cannot_be_read_stays_as_it_was) {
  add(1, "one");
  start_reloads();
  const AssetRef<Note> one = ask(1);
  pump_until_done();
  files.put("cooked/Registry/AssetRegistry.bin", Bytes(ByteVector(100)));
  manager->changed({.written = {"Registry/AssetRegistry.bin"}});
  pump_all();
  EXPECT_THAT(failures, ElementsAre(HasSubstr("AssetRegistry.bin")));
  EXPECT_TRUE(manager->catalog().find_by_path("Demo/Notes/1"));
  EXPECT_EQ(one.get()->text, "one");
}

TEST_F(HotReloads, what_is_gone_stays_loaded_and_says_so) {
  add(1, "one");
  start_reloads();
  const AssetRef<Note> one = ask(1);
  pump_until_done();
  files.remove(blob_path(1));
  manager->changed({.removed = {file_of(1)}});
  pump_until_done();
  EXPECT_EQ(one.get()->text, "one");
  EXPECT_EQ(one.reload_failure()->fault, Fault::kMissing);
}

TEST_F(HotReloads, users_are_told_whatever_lies_between) {
  add(1, "material", {2});
  add(2, "texture");
  add(3, "mesh", {1});
  add(4, "stranger");
  start_reloads();
  const AssetRef<Note> mesh = ask(3), stranger = ask(4);
  pump_until_done();
  save(2, "another texture");
  manager->changed(written({2}));
  pump_until_done();
  EXPECT_THAT(events, ElementsAre("2 by 2", "1 by 2", "3 by 2"));
}

TEST_F(HotReloads, what_it_needs_now_is_loaded_and_what_it_needed_goes_when_frames_are_over) {
  add(1, "material", {2});
  add(2, "old");
  start_reloads({.io_thread = false, .gpu_bytes = 20, .frames_in_flight = 1});
  const AssetRef<Note> one = ask(1);
  pump_until_done();
  add(1, "material", {3});
  add(3, "new");
  save(1, "material with another");
  save(3, "new");
  save_registry();
  Changes changes = written({1, 3});
  changes.written.push_back("Registry/AssetRegistry.bin");
  manager->changed(changes);
  pump_until_done();
  EXPECT_EQ(one.get()->text, "material with another");
  EXPECT_THAT(log.lines(), testing::Not(testing::Contains("release 3")));
  pump_all();
  pump_all();
  EXPECT_THAT(log.lines(), testing::IsSupersetOf({"decode new", "release 8", "release 3"}));
  EXPECT_EQ(manager->stats().gpu_bytes, 20u);
}

TEST_F(HotReloads, a_change_while_it_loads_is_looked_at_afterwards) {
  add(1, "first");
  start_reloads();
  const AssetRef<Note> one = ask(1);
  int changes = 3;
  // Each read reads data that the next save replaces.
  files.before_read = [&](const ReadRequest& request) {
    if (request.size_bytes == 0 || changes-- <= 0) return;
    save(1, "save " + std::to_string(changes));
    manager->changed(written({1}));
  };
  pump_until_done();
  EXPECT_EQ(one.get()->text, "save 0");
}

TEST_F(HotReloads, a_file_that_is_replaced_between_its_size_and_its_read_is_read_whole) {
  add(1, std::string(100'000, 'f'));  // too large for one request
  start_reloads();
  int changes = 2;
  files.before_read = [&](const ReadRequest& request) {
    if (request.path != blob_path(1) || request.size_bytes == kToEnd || changes-- <= 0) return;
    save(1, std::string(changes == 1 ? 101'000 : 100'001, 'x'));
  };
  const AssetRef<Note> one = ask(1);
  pump_until_done();
  ASSERT_TRUE(one.is_ready());
  EXPECT_EQ(one.get()->text, std::string(100'001, 'x'));
}

TEST_F(HotReloads, letting_go_ends_it_at_every_stage) {
  add(1, "one", {2});
  add(2, "two");
  const JobSystem jobs_of_pool = start_pool(2);
  start_reloads({.jobs = jobs_of_pool});
  for (int i = 0; i < 300; ++i) {
    AssetRef<Note> one = manager->load<Note>({.uuid = uuid(1)});
    save(1, "one " + std::to_string(i));
    manager->changed(written({1, 2}));
    for (int pumps = i % 4; pumps > 0; --pumps) pump_all();
    one = {};
    pump_all();
    EXPECT_EQ(manager->load<Note>({.uuid = uuid(1)}).get()->text, "one " + std::to_string(i));
  }
  pump_until_done();
  manager.reset();
  const auto count = [&](std::string_view what) {
    return std::ranges::count_if(log.lines(), [&](const std::string& line) { return line.starts_with(what); });
  };
  EXPECT_EQ(count("finalize"), count("release"));
}

TEST_F(HotReloads, what_nobody_holds_is_dropped) {
  add(1, "one");
  start_reloads();
  manager->load<Note>({.uuid = uuid(1)});
  save(1, "two");
  manager->changed(written({1}));
  EXPECT_EQ(manager->stats().loading, 0u);
  EXPECT_EQ(manager->stats().cached, 0u);
  EXPECT_EQ(manager->load<Note>({.uuid = uuid(1)}).get()->text, "two");
}

TEST_F(HotReloads, everything_may_have_changed) {
  add(1, "one", {2});
  add(2, "two");
  start_reloads();
  const AssetRef<Note> one = ask(1);
  pump_until_done();
  save(1, "1");
  save(2, "2");
  manager->changed({.everything = true});
  pump_until_done();
  EXPECT_EQ(one.get()->text, "1");
  EXPECT_THAT(events, testing::UnorderedElementsAre("1 by 1", "1 by 2", "2 by 2"));
}

TEST_F(HotReloads, a_circle_among_what_it_needs_now_is_refused) {
  add(1, "one", {2});
  add(2, "two");
  start_reloads();
  const AssetRef<Note> one = ask(1);
  pump_until_done();
  // A loader finds the cycle, because a registry cannot have one.
  Loader<Note> loader = note_loader(log);
  add(2, "circle");
  manager.reset();
  start();
  loader.decode = [](LoadInput& in) -> Result<Note> {
    ASSETC_TRY(Note note, read_note(in));
    if (note.text == "circle") in.hard = {{.uuid = uuid(1)}};
    return note;
  };
  save(2, "two");
  manager->add<Note>(kRaw, loader);
  const AssetRef<Note> again = ask(1), two = ask(2);
  pump_until_done();
  save(2, "circle");
  manager->changed(written({1, 2}));
  pump_until_done();
  EXPECT_EQ(two.get()->text, "two");
  EXPECT_EQ(two.reload_failure()->fault, Fault::kCycle);
  EXPECT_EQ(again.get()->text, "one");
  EXPECT_EQ(again.reload_failure(), nullptr);
}

TEST_F(HotReloads, what_has_become_another_type_is_refused) {
  add(1, "one");
  start_reloads();
  manager->add<int>(kMaterial, {.decode = [](LoadInput&) -> Result<int> { return 7; }});
  const AssetRef<Note> one = ask(1);
  pump_until_done();
  cooked.add(uuid(1), {kMaterial, "Demo/Notes/1", material_blob({}), {}, {}});
  files.put(blob_path(1), Bytes(material_blob({})));
  save_registry();
  Changes changes = written({1});
  changes.written.push_back("Registry/AssetRegistry.bin");
  manager->changed(changes);
  pump_until_done();
  EXPECT_EQ(one.get()->text, "one");
  EXPECT_EQ(one.reload_failure()->fault, Fault::kWrongType);
}

TEST_F(HotReloads, what_does_not_build_is_said_of_its_assets_until_it_does) {
  add(1, "one");
  start_reloads();
  const AssetRef<Note> one = ask(1);
  pump_until_done();
  const Error error{ErrorCode::kInvalidData, "notes/1.txt", "line 3", "found X, expected Y", {}};
  for (int i = 0; i < 2; ++i) {
    manager->changed({.broken = {{{file_of(1)}, error}, {{}, {ErrorCode::kIo, "notes/9.txt", {}, "gone", {}}}}});
    pump_all();
    ASSERT_NE(one.reload_failure(), nullptr);
    EXPECT_EQ(one.reload_failure()->error.place, "line 3");
  }
  EXPECT_THAT(failures, ElementsAre(HasSubstr("notes/1.txt: line 3: found X"), HasSubstr("notes/9.txt: gone")));
  EXPECT_EQ(one.get()->text, "one");
  // A watch that has started does not know yet which assets are broken.
  manager->changed({.everything = true, .leaves_broken = true});
  pump_all();
  ASSERT_NE(one.reload_failure(), nullptr);
  manager->changed({});
  EXPECT_EQ(one.reload_failure(), nullptr);
}

TEST_F(HotReloads, a_manager_may_go_in_the_middle) {
  for (std::uint32_t i = 1; i <= 20; ++i) add(i, "note", i > 1 ? std::vector{i - 1} : std::vector<std::uint32_t>{});
  const JobSystem jobs_of_pool = start_pool(2);
  start_reloads({.jobs = jobs_of_pool});
  const AssetRef<Note> last = manager->load<Note>({.uuid = uuid(20)});
  manager->changed({.everything = true});
  pump_all();
  manager->changed({.everything = true});
  manager.reset();
  EXPECT_EQ(last.get()->text, "note");
}

TEST_F(HotReloads, what_was_asked_for_as_another_type_is_there_once_it_is_cooked_as_that) {
  add(1, "raw");
  start_reloads();
  manager->add<int>(kMaterial, {.decode = [](LoadInput&) -> Result<int> { return 7; }});
  const AssetRef<int> one = manager->load_async<int>({.uuid = uuid(1)});
  const AssetRef<Note> raw = ask(1);
  pump_until_done();
  EXPECT_EQ(one.failure()->fault, Fault::kWrongType);
  ASSERT_TRUE(raw.is_ready());
  manager->changed({.everything = true});
  pump_until_done();
  EXPECT_FALSE(one.is_ready());
  cooked.add(uuid(1), {kMaterial, "Demo/Notes/1", material_blob({}), {}, {}});
  files.put(blob_path(1), Bytes(material_blob({})));
  save_registry();
  for (int i = 0; i < 2; ++i) {
    manager->changed({.everything = true});
    pump_until_done();
    ASSERT_TRUE(one.is_ready()) << one.failure()->to_string();
    EXPECT_EQ(*one.get(), 7);
    EXPECT_EQ(raw.reload_failure()->fault, Fault::kWrongType);
  }
  // One failure for each request, reported once and for its own type.
  EXPECT_THAT(failures,
              ElementsAre(HasSubstr("is Raw, but was requested as Material"), HasSubstr("has become a Material")));
}

TEST_F(HotReloads, a_redirector_that_comes_later_leads_refs_that_are_held) {
  add(1, "one");
  start_reloads();
  const AssetRef<Note> one = ask(1), nine = ask(9);
  pump_until_done();
  EXPECT_EQ(nine.failure()->fault, Fault::kMissing);
  cooked = {};
  add(2, "moved");
  cooked.redirect(uuid(1), uuid(2), "Demo/Notes/1");
  cooked.redirect(uuid(9), uuid(2), "Demo/Notes/9");
  save(2, "moved");
  save_registry();
  manager->changed({.everything = true});
  pump_until_done();
  ASSERT_TRUE(nine.is_ready()) << nine.failure()->to_string();
  EXPECT_EQ(nine.get()->text, "moved");
  EXPECT_EQ(one.get()->text, "moved");
  EXPECT_EQ(one.reload_failure(), nullptr);
  save(2, "edited");
  manager->changed(written({2}));
  pump_until_done();
  EXPECT_EQ(one.get()->text, "edited");
  EXPECT_EQ(nine.get()->text, "edited");
}

TEST_F(HotReloads, what_no_registry_has_any_more_is_told_of_by_its_path) {
  add(1, "one");
  start_reloads();
  const AssetRef<Note> one = ask(1);
  pump_until_done();
  cooked = {};
  add(2, "two");
  save(2, "two");
  save_registry();
  for (int i = 0; i < 2; ++i) {
    manager->changed({.everything = true});
    pump_all();
  }
  EXPECT_THAT(failures, ElementsAre(HasSubstr("Demo/Notes/1 (")));
  EXPECT_EQ(one.get()->text, "one");
}

TEST_F(HotReloads, a_priority_that_was_set_while_it_was_ready_counts) {
  std::vector<AssetRef<Note>> held;
  for (std::uint32_t i = 1; i <= 3; ++i) add(i, std::to_string(i));
  start_reloads();
  for (std::uint32_t i = 1; i <= 3; ++i) held.push_back(ask(i));
  pump_until_done();
  manager->set_priority(held[2], 5);
  manager->set_priority(held[1], -5);
  const std::size_t before = log.lines().size();
  manager->changed(written({1, 2, 3}));
  pump_until_done();
  std::vector<std::string> decoded;
  for (std::size_t i = before; i < log.lines().size(); ++i) {
    if (log.lines()[i].starts_with("decode ")) decoded.push_back(log.lines()[i]);
  }
  EXPECT_THAT(decoded, ElementsAre("decode 3", "decode 1", "decode 2"));
}

}  // namespace
}  // namespace assetc::runtime
