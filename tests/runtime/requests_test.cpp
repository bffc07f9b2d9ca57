// Typed handles, settings of requests, inserted values, and sources that fail for a while.
#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "runtime/notes.hpp"

namespace assetc::runtime {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// ---- typed handles ----

TEST_F(Managers, a_typed_handle_loads_without_naming_the_type) {
  add(1, "one");
  start_notes();
  const Handle<Note> handle = manager->find<Note>("Demo/Notes/1");
  EXPECT_EQ(handle.uuid, uuid(1));
  const AssetRef<Note> one = manager->load(handle);
  EXPECT_EQ(one.get()->text, "one");
  EXPECT_EQ(one.handle(), handle);
  EXPECT_EQ(manager->load_async(one.handle(), {.priority = 3}).get(), one.get());
}

TEST_F(Managers, a_typed_handle_of_an_unknown_path_fails_with_that_path) {
  start_notes();
  const AssetRef<Note> none = manager->load_async(manager->find<Note>("Demo/Notes/None"));
  EXPECT_EQ(none.failure()->fault, Fault::kMissing);
  EXPECT_EQ(none.failure()->virtual_path, "Demo/Notes/None");
}

// ---- settings ----

// Notes whose loader writes the settings into the text.
class Settings : public Managers {
 protected:
  void start_settings(ManagerOptions options = {.io_thread = false}) {
    Loader<Note> loader = note_loader(log);
    loader.decode = [](LoadInput& in) -> Result<Note> {
      ASSETC_TRY(Note note, read_note(in));
      if (in.desc.settings.keep_data) note.text += " kept";
      if (in.desc.settings.format == TexelFormat::kRgba8) note.text += " rgba8";
      return note;
    };
    loader.finalize = [this](Note& note, const AssetDesc& desc) -> Result<GpuObject> {
      log.add(desc.settings.keep_data ? "keep" : "clear");
      return GpuObject{note.text.size(), 10};
    };
    start(std::move(options)).add<Note>(kRaw, std::move(loader));
  }
  AssetRef<Note> ask_with(std::uint32_t number, const LoadSettings& settings) {
    return manager->load_async<Note>({.uuid = uuid(number)}, {.settings = settings});
  }
};

TEST_F(Settings, each_setting_gives_a_value_of_its_own) {
  add(1, "one");
  start_settings();
  const AssetRef<Note> plain = ask(1), kept = ask_with(1, {.keep_data = true}),
                       again = ask_with(1, {.keep_data = true}),
                       as_rgba8 = ask_with(1, {.format = TexelFormat::kRgba8});
  pump_until_done();
  EXPECT_EQ(plain.get()->text, "one");
  EXPECT_EQ(kept.get()->text, "one kept");
  EXPECT_EQ(as_rgba8.get()->text, "one rgba8");
  EXPECT_EQ(kept.get(), again.get());
  EXPECT_THAT(log.lines(), testing::UnorderedElementsAre("clear", "keep", "clear"));
}

TEST_F(Settings, a_change_reloads_the_values_of_all_settings) {
  add(1, "old");
  start_settings({.io_thread = false, .frames_in_flight = 1});
  const AssetRef<Note> plain = ask(1), kept = ask_with(1, {.keep_data = true});
  pump_until_done();
  files.put(blob_path(1), Bytes(raw_blob("new")));
  manager->changed({.written = {"Assets/" + uuid(1).to_string() + ".bin"}, .assets = {{.uuid = uuid(1)}}});
  pump_until_done();
  EXPECT_EQ(plain.get()->text, "new");
  EXPECT_EQ(kept.get()->text, "new kept");
}

TEST_F(Settings, unload_drops_the_values_of_all_settings) {
  add(1, "one");
  start_settings();
  ask(1);
  {
    const AssetRef<Note> plain = ask(1), kept = ask_with(1, {.keep_data = true});
    pump_until_done();
  }
  EXPECT_EQ(manager->stats().cached, 2u);
  manager->unload({.uuid = uuid(1)});
  pump_all();
  EXPECT_EQ(manager->stats().cached, 0u);
  EXPECT_EQ(manager->stats().gpu_bytes, 0u);
}

// ---- inserted values ----

TEST_F(Managers, an_inserted_value_is_finalized_and_released_like_a_loaded_one) {
  start_notes();
  AssetRef<Note> made = manager->insert(Note{"made"});
  EXPECT_EQ(made.state(), LoadState::kLoading);
  pump_all();
  ASSERT_TRUE(made.is_ready());
  EXPECT_EQ(made.get()->text, "made");
  EXPECT_EQ(made.gpu().object, 4u);
  EXPECT_EQ(manager->stats().gpu_bytes, 10u);
  made = {};
  pump_all();
  EXPECT_THAT(log.lines(), ElementsAre("finalize made", "release 4"));
  EXPECT_EQ(manager->stats().gpu_bytes, 0u);
  EXPECT_EQ(manager->stats().cached, 0u);
}

TEST_F(Managers, an_inserted_value_is_found_by_its_handle_until_it_is_not_in_use) {
  add(1, "of the mount");
  start_notes();
  const AssetHandle noise = manager->find<Note>("Demo/Noise");
  std::optional<AssetRef<Note>> made = manager->insert<Note>(noise, {"noise"});
  const AssetRef<Note> found = manager->load_async<Note>("Demo/Noise");
  pump_all();
  EXPECT_EQ(found.get(), made->get());
  {
    const AssetRef<Note> instead = manager->insert<Note>({.uuid = uuid(1)}, {"instead"});
    EXPECT_EQ(manager->load<Note>({.uuid = uuid(1)}).get()->text, "instead");
  }
  pump_all();
  EXPECT_EQ(manager->load<Note>({.uuid = uuid(1)}).get()->text, "of the mount");
}

TEST_F(Managers, an_inserted_value_replaces_a_loaded_one_behind_its_refs_and_stays_after_changes) {
  add(1, "loaded");
  std::vector<Uuid> reloaded;
  ManagerOptions options{.io_thread = false, .frames_in_flight = 1};
  options.on_reloaded = [&](const AnyRef& asset, const AnyRef&) { reloaded.push_back(asset.handle().uuid); };
  start_notes(std::move(options));
  const AssetRef<Note> one = ask(1);
  pump_until_done();
  const AssetRef<Note> made = manager->insert<Note>({.uuid = uuid(1)}, {"made"});
  EXPECT_EQ(one.get()->text, "loaded");
  pump_until_done();
  EXPECT_EQ(one.get()->text, "made");
  EXPECT_EQ(made.get(), one.get());
  EXPECT_THAT(reloaded, ElementsAre(uuid(1)));
  manager->changed({.everything = true});
  pump_until_done();
  EXPECT_EQ(one.get()->text, "made");
  for (int i = 0; i < 3; ++i) pump_all();
  EXPECT_THAT(log.lines(), testing::Contains("release 6"));
}

TEST_F(Managers, an_asset_that_had_failed_becomes_ready_with_an_inserted_value) {
  start_notes();
  const AssetRef<Note> none = manager->load_async<Note>("Demo/Noise");
  pump_all();
  ASSERT_EQ(none.failure()->fault, Fault::kMissing);
  const AssetRef<Note> made = manager->insert<Note>(none.handle(), {"noise"});
  pump_until_done();
  ASSERT_TRUE(none.is_ready());
  EXPECT_EQ(none.get()->text, "noise");
}

TEST_F(Managers, an_asset_that_loads_keeps_its_refs_apart_from_an_inserted_value) {
  add(1, "loaded");
  start_notes();
  const AssetRef<Note> before = ask(1);
  const AssetRef<Note> made = manager->insert<Note>({.uuid = uuid(1)}, {"made"});
  pump_until_done();
  EXPECT_EQ(before.get()->text, "loaded");
  EXPECT_EQ(made.get()->text, "made");
  EXPECT_EQ(ask(1).get()->text, "made");
}

TEST_F(Managers, a_value_without_a_loader_of_its_type_is_refused_and_destroyed) {
  start_notes();
  const auto counted = std::make_shared<int>(1);
  const AssetRef<std::shared_ptr<int>> refused = manager->insert(counted);
  EXPECT_EQ(refused.failure()->fault, Fault::kNoLoader);
  EXPECT_EQ(counted.use_count(), 1);
}

TEST_F(Managers, values_that_were_inserted_and_not_finalized_are_destroyed_with_the_manager) {
  Loader<std::shared_ptr<int>> loader;
  loader.decode = [](LoadInput&) -> Result<std::shared_ptr<int>> { return nullptr; };
  start().add<std::shared_ptr<int>>(kRaw, std::move(loader));
  const auto counted = std::make_shared<int>(1);
  const AssetRef<std::shared_ptr<int>> held = manager->insert(counted), gone = manager->insert(counted);
  EXPECT_EQ(counted.use_count(), 3);
  manager.reset();
  EXPECT_EQ(counted.use_count(), 1);
}

// ---- retries ----

class Retries : public Managers {
 protected:
  // Fails the first `count` reads of a blob's bytes.
  void start_faults(unsigned count, const RetryPolicy& retry, ManagerOptions options = {.io_thread = false},
                    unsigned threads = 0) {
    left = count;
    files.fault = [this](const ReadRequest& request) {
      if (!request.path.contains("Assets/") || left == 0) return false;
      --left;
      return true;
    };
    cooked.put(files);
    Catalog catalog;
    ASSERT_TRUE(catalog.mount(files.source(threads, retry), Layout::kCooked, "cooked"));
    options.on_failure = [this](const Failure& failure) { failures.push_back(failure.to_string()); };
    manager.emplace(std::move(catalog), std::move(options));
    manager->add<Note>(kRaw, note_loader(log));
  }
  std::atomic<unsigned> left = 0;
};

TEST_F(Retries, a_source_that_is_away_for_a_moment_heals_without_a_reload) {
  add(1, "one");
  start_faults(3, {.retries = 3, .first_delay = milliseconds(0)});
  const AssetRef<Note> one = ask(1);
  pump_until_done();
  EXPECT_TRUE(one.is_ready());
  EXPECT_THAT(failures, IsEmpty());
}

TEST_F(Retries, after_the_last_retry_the_asset_fails_and_says_how_often_it_was_tried) {
  add(1, "one");
  start_faults(100, {.retries = 2, .first_delay = milliseconds(0)});
  const AssetRef<Note> one = ask(1);
  pump_until_done();
  EXPECT_EQ(one.failure()->fault, Fault::kIo);
  EXPECT_THAT(failures, ElementsAre(HasSubstr("a fault (tried 3 times)")));
  EXPECT_EQ(left, 97u);
}

TEST_F(Retries, a_source_without_a_policy_and_an_error_that_is_final_are_not_retried) {
  add(1, "one");
  add(2, "two");
  start_faults(1, {});
  EXPECT_EQ(manager->load<Note>({.uuid = uuid(1)}).failure()->fault, Fault::kIo);
  start_faults(0, {.retries = 5, .first_delay = milliseconds(0)});
  files.remove(blob_path(2));
  EXPECT_EQ(manager->load<Note>({.uuid = uuid(2)}).failure()->fault, Fault::kMissing);
  EXPECT_LE(files.reads().size(), 6u);
}

TEST_F(Retries, an_asset_that_waits_for_its_next_try_is_loading_and_may_be_canceled) {
  add(1, "one");
  add(2, "two");
  start_faults(1, {.retries = 1, .first_delay = std::chrono::hours(1), .longest_delay = std::chrono::hours(1)});
  AssetRef<Note> one = ask(1);
  for (int i = 0; i < 3; ++i) pump_all();
  EXPECT_EQ(one.state(), LoadState::kLoading);
  EXPECT_EQ(manager->stats().retrying, 1u);
  EXPECT_EQ(manager->stats().in_flight_bytes, 0u);
  EXPECT_TRUE(manager->load<Note>({.uuid = uuid(2)}).is_ready());  // others are not delayed
  one = {};
  EXPECT_EQ(manager->stats().retrying, 0u);
  EXPECT_EQ(manager->stats().loading, 0u);
  const AssetRef<Note> again = ask(1);
  pump_until_done();
  EXPECT_TRUE(again.is_ready());
}

TEST_F(Retries, delays_out_of_range_are_clamped) {
  add(1, "one");
  for (const milliseconds delay : {milliseconds::min(), milliseconds::max()}) {
    start_faults(1, {.retries = 1, .first_delay = delay, .longest_delay = delay});
    const AssetRef<Note> one = ask(1);
    for (int i = 0; i < 3; ++i) pump_all();
    EXPECT_EQ(one.state(), delay < milliseconds(0) ? LoadState::kReady : LoadState::kLoading);
  }
}

TEST_F(Retries, load_waits_through_the_delays_with_and_without_threads) {
  add(1, "one");
  for (const bool io_thread : {false, true}) {
    start_faults(2, {.retries = 2, .first_delay = milliseconds(1)}, {.io_thread = io_thread}, io_thread ? 1 : 0);
    EXPECT_TRUE(manager->load<Note>({.uuid = uuid(1)}).is_ready());
  }
}

TEST_F(Retries, a_manager_may_be_destroyed_while_an_asset_waits_for_its_next_try) {
  add(1, "one");
  start_faults(1, {.retries = 1, .first_delay = std::chrono::hours(1), .longest_delay = std::chrono::hours(1)},
               {.io_thread = true}, 1);
  const AssetRef<Note> one = ask(1);
  while (manager->stats().retrying == 0) std::this_thread::yield();
  manager.reset();
  EXPECT_EQ(one.failure()->fault, Fault::kCanceled);
}

}  // namespace
}  // namespace assetc::runtime
