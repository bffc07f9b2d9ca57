// Requests under another name, as another type, or at another time.
#include <gmock/gmock.h>

#include <chrono>
#include <coroutine>
#include <future>
#include <limits>
#include <thread>

#include "assetc/runtime/await.hpp"
#include "assetc/runtime/source.hpp"
#include "runtime/notes.hpp"

namespace assetc::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(Managers, a_loader_may_name_what_it_needs_by_any_of_its_names) {
  add(1, "user");
  add(2, "new");
  cooked.redirect(uuid(9), uuid(2), "Demo/Notes/9");
  for (const bool is_soft : {false, true}) {
    start().add<Note>(kRaw, {.decode = [is_soft](LoadInput& in) -> Result<Note> {
                        auto note = read_note(in);
                        if (note->text == "user") (is_soft ? in.soft : in.hard).push_back({.uuid = uuid(9)});
                        return note;
                      }});
    const AssetRef<Note> renamed = ask(2), user = ask(1);
    pump_until_done();
    EXPECT_TRUE(user.is_ready()) << user.failure()->to_string();
    EXPECT_THAT(failures, testing::IsEmpty());
    EXPECT_EQ(manager->stats().cpu_bytes, renamed.get()->text.size() + user.get()->text.size() + 2 * sizeof(Note));
  }
}

TEST_F(Managers, a_failure_names_what_failed_first_however_far_that_is) {
  add(1, "top", {2});
  add(2, "middle", {3});
  add(3, "base");
  start_notes();
  files.put(blob_path(3), Bytes(ByteVector(40)));
  const AssetRef<Note> top = ask(1);
  pump_until_done();
  EXPECT_EQ(top.failure()->fault, Fault::kDependency);
  EXPECT_THAT(top.failure()->to_string(),
              HasSubstr("Demo/Notes/1 (" + uuid(1).to_string() + "): dependency: needs Demo/Notes/3 (" +
                        uuid(3).to_string() + "): corrupt: byte 0"));
}

// Loads while another read does not end before load() has returned.
TEST_F(Managers, load_does_not_wait_for_what_others_read) {
  add(1, "fast");
  add(2, "slow");
  std::promise<void> loaded;
  const std::shared_future<void> is_loaded = loaded.get_future().share();
  const JobSystem jobs_of_pool = start_pool(1);
  start_notes({.jobs = jobs_of_pool, .io_thread = false}, 2);
  files.before_read = [&, is_loaded](const ReadRequest& request) {
    if (request.path == blob_path(2) && request.size_bytes != 0) is_loaded.wait();
  };
  const AssetRef<Note> slow = ask(2);
  for (int i = 0; i < 3; ++i) pump_all();
  EXPECT_TRUE(manager->load<Note>({.uuid = uuid(1)}).is_ready());
  EXPECT_EQ(slow.state(), LoadState::kLoading);
  loaded.set_value();
  pump_until_done();
  EXPECT_TRUE(slow.is_ready());
}

TEST_F(Managers, without_jobs_a_pump_has_a_budget_for_what_fails_and_for_what_waits) {
  for (std::uint32_t i = 1; i <= 20; ++i) {
    add(i, "note", i <= 10 ? std::vector<std::uint32_t>{21} : std::vector<std::uint32_t>{});
  }
  add(21, "base");
  start_notes();
  for (std::uint32_t i = 11; i <= 20; ++i) files.put(blob_path(i), Bytes(ByteVector(40)));
  std::vector<AssetRef<Note>> held;
  for (std::uint32_t i = 1; i <= 20; ++i) held.push_back(ask(i, i <= 10 ? 1 : 0));
  manager->set_priority(ask(21), 0);
  std::size_t pumps = 0, failed = 0;
  for (; manager->stats().loading > 0; ++pumps) {
    const PumpReport report = manager->pump({.time = std::chrono::microseconds(0)});
    EXPECT_LE(report.failed, 1u);
    failed += report.failed;
  }
  EXPECT_EQ(failed, 10u);
  EXPECT_GE(pumps, 20u);
}

TEST_F(Managers, a_budget_of_the_gpu_drops_nothing_that_has_no_part_of_it) {
  for (std::uint32_t i = 1; i <= 4; ++i) add(i, i <= 2 ? "cpu" : "gpu");
  start({.io_thread = false, .gpu_bytes = 10})
      .add<Note>(kRaw, {.decode = read_note, .finalize = [](Note& note, const AssetDesc&) -> Result<GpuObject> {
                          return GpuObject{1, note.text == "gpu" ? 20u : 0u};
                        }});
  for (std::uint32_t i = 1; i <= 4; ++i) {
    const AssetRef<Note> ref = ask(i);
    pump_until_done();
  }
  pump_all();
  EXPECT_EQ(manager->stats().cached, 2u);
  EXPECT_EQ(manager->stats().gpu_bytes, 0u);
}

// Like a material, which has nothing on the device, and its textures.
TEST_F(Managers, a_budget_drops_what_keeps_others_alive) {
  add(1, "material", {2, 3, 4, 5});
  for (std::uint32_t i = 2; i <= 5; ++i) add(i, "texture " + std::to_string(i));
  start({.io_thread = false, .gpu_bytes = 20});
  Loader<Note> loader = note_loader(log);
  loader.finalize = [](Note& note, const AssetDesc&) -> Result<GpuObject> {
    return GpuObject{note.text.size(), note.text == "material" ? 0u : 10u};
  };
  manager->add<Note>(kRaw, loader);
  AssetRef<Note> material = ask(1);
  pump_until_done();
  pump_all();
  EXPECT_EQ(manager->stats().gpu_bytes, 40u) << "all of it is held";
  const AssetRef<Note> texture = ask(2);
  material = {};
  pump_all();
  EXPECT_EQ(manager->stats().gpu_bytes, 20u);
  EXPECT_EQ(manager->stats().cached, 1u);
  EXPECT_TRUE(texture.is_ready());
}

// After its last ref is released, an asset that was loaded as the registry's type can be loaded as another type.
TEST_F(Managers, what_nobody_holds_as_raw_loads_as_an_engines_own_type_and_back) {
  constexpr AssetType kFont{130};
  struct Font {
    std::size_t size_bytes;
  };
  for (std::uint32_t i = 1; i <= 3; ++i) add(i, "a font");
  add(4, "user", {3});
  start_notes();
  manager->add<Font>(kFont, {.decode = [](LoadInput& in) -> Result<Font> { return Font{in.bytes.size()}; }});
  manager->load<Note>({.uuid = uuid(1)});
  EXPECT_EQ(manager->stats().cached, 1u);
  EXPECT_TRUE(manager->load<Font>({.uuid = uuid(1)}).is_ready());
  EXPECT_TRUE(manager->load<Note>({.uuid = uuid(1)}).is_ready());
  manager->load<Note>({.uuid = uuid(2)});
  const Group fonts = manager->preload(std::vector<AssetHandle>{{.uuid = uuid(2), .type = kFont}});
  manager->wait(fonts);
  EXPECT_EQ(fonts.refs()[0].handle().type, kFont);
  // As Raw the asset is needed by another asset, and no ref holds it.
  const AssetRef<Note> user = manager->load<Note>({.uuid = uuid(4)});
  const AssetRef<Font> font = manager->load<Font>({.uuid = uuid(3)});
  EXPECT_TRUE(font.is_ready());
  EXPECT_TRUE(user.is_ready());
}

TEST_F(Managers, who_only_waits_has_a_budget_too) {
  for (std::uint32_t i = 1; i <= 50; ++i) add(i, std::string(1000, 'x'));
  start({.io_thread = false, .cpu_bytes = 10'000})
      .add<Note>(kRaw, {.decode = read_note, .size_bytes = [](const Note& note) { return note.text.size(); }});
  for (std::uint32_t i = 1; i <= 50; ++i) EXPECT_TRUE(manager->load<Note>({.uuid = uuid(i)}).is_ready());
  EXPECT_LE(manager->stats().cpu_bytes, 11'000u);
  EXPECT_GT(manager->stats().cached, 0u);
}

TEST_F(Managers, a_future_is_there_when_the_manager_goes) {
  add(1, "one");
  start_notes();
  std::future<AssetRef<Note>> one = load_future<Note>(*manager, {.uuid = uuid(1)});
  manager.reset();
  ASSERT_EQ(one.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  EXPECT_EQ(one.get().failure()->fault, Fault::kCanceled);
}

// A coroutine whose owner destroys its frame.
struct Waiting {
  struct promise_type {
    Waiting get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> frame;
};
Waiting wait_for(Manager& manager, std::uint32_t number, std::string& out) {
  const AssetRef<Note> ref = co_await load_awaited<Note>(manager, {.uuid = uuid(number)});
  out += ref.is_ready() ? ref.get()->text : "?";
}

TEST_F(Managers, a_coroutine_goes_on_unless_its_frame_was_destroyed) {
  add(1, "one");
  start_notes();
  const AssetRef<Note> held = ask(1);
  std::string out;
  const Waiting goes_on = wait_for(*manager, 1, out), destroyed = wait_for(*manager, 1, out);
  destroyed.frame.destroy();
  pump_until_done();
  pump_all();
  EXPECT_EQ(out, "one");
  // Awaiting a loaded asset does not suspend.
  const Waiting at_once = wait_for(*manager, 1, out);
  EXPECT_TRUE(at_once.frame.done()) << "it is ready";
  goes_on.frame.destroy();
  at_once.frame.destroy();
  manager.reset();
}

TEST_F(Managers, a_coroutine_that_outlives_the_manager_may_be_destroyed) {
  add(1, "one");
  start_notes();
  std::string out;
  const Waiting waiting = wait_for(*manager, 1, out);
  manager.reset();
  waiting.frame.destroy();
  EXPECT_EQ(out, "");
}

TEST_F(Managers, a_token_takes_a_callback_back) {
  add(1, "one");
  add(2, "two");
  start_notes();
  AssetRef<Note> one = ask(1), two = ask(2);
  std::vector<std::string> told;
  CallbackToken self;
  const auto held = std::make_shared<int>(0);
  CallbackToken first = manager->when_done(one, [&told, held](const AnyRef&) { told.emplace_back("first"); });
  CallbackToken second = manager->when_done(one, [&](const AnyRef&) {
    told.emplace_back("second");
    self.cancel();
  });
  self = second;
  EXPECT_EQ(held.use_count(), 2);
  first.cancel();
  EXPECT_EQ(held.use_count(), 1) << "its captures are destroyed with it";
  pump_until_done();
  pump_all();
  EXPECT_THAT(told, ElementsAre("second"));
  // For an asset that is already loaded.
  CallbackToken third = manager->when_done(two, [&](const AnyRef&) { told.emplace_back("third"); });
  third.cancel();
  CallbackToken last = manager->when_done(two, [&](const AnyRef&) { told.emplace_back("last"); });
  pump_all();
  EXPECT_THAT(told, ElementsAre("second", "last"));
  manager.reset();
  last.cancel();
  CallbackToken().cancel();
}

TEST_F(Managers, a_pump_calls_back_within_its_budget) {
  for (std::uint32_t i = 1; i <= 3; ++i) add(i, "note");
  std::vector<std::string> told;
  start({.io_thread = false, .on_reloaded = [&](const AnyRef&, const AnyRef&) { told.emplace_back("reloaded"); }})
      .add<Note>(kRaw, note_loader(log));
  const AssetRef<Note> one = ask(1), two = ask(2), three = ask(3);
  pump_until_done();
  for (int i = 0; i < 3; ++i) manager->when_done(one, [&](const AnyRef&) { told.emplace_back("done"); });
  files.put(blob_path(3), Bytes(ByteVector(40)));
  manager->changed({.assets = {{.uuid = uuid(1)}, {.uuid = uuid(2)}, {.uuid = uuid(3)}}});
  constexpr PumpBudget kNothing{.time = std::chrono::microseconds(0)};
  for (std::size_t untold = 1; untold > 0 || manager->stats().loading > 0;) {
    const std::size_t before = told.size() + failures.size();
    untold = manager->pump(kNothing).untold;
    EXPECT_LE(told.size() + failures.size(), before + 1) << "at most one for each pump, with any budget";
  }
  EXPECT_THAT(told, ElementsAre("done", "done", "done", "reloaded", "reloaded"));
  EXPECT_EQ(failures.size(), 1u);
}

TEST_F(Managers, the_device_has_nothing_of_a_manager_that_is_gone) {
  add(1, "user", {2});
  add(2, "base!");
  add(3, "cached...");
  start();
  Loader<Note> loader = note_loader(log);
  loader.fallback = [](AssetType) { return Note{"fallback"}; };
  const auto device = std::make_shared<int>(0);
  loader.release = [this, device](const GpuObject& gpu) { log.add("release " + std::to_string(gpu.object)); };
  manager->add<Note>(kRaw, std::move(loader));
  AssetRef<Note> user = ask(1), base = ask(2), missing = ask(9);
  ask(3);
  pump_until_done();
  manager->load<Note>({.uuid = uuid(3)});
  pump_all();
  EXPECT_EQ(missing.gpu().object, 8u);
  manager.reset();
  const std::vector<std::string> lines = log.lines();
  EXPECT_THAT(std::vector(lines.end() - 4, lines.end()),
              ElementsAre("release 9", "release 4", "release 5", "release 8"));
  EXPECT_EQ(device.use_count(), 1) << "its functions are destroyed too";
  EXPECT_EQ(user.gpu().object, 0u);
  EXPECT_EQ(missing.gpu().object, 0u);
  EXPECT_EQ(user.get()->text, "user");
  EXPECT_EQ(missing.get_or_fallback()->text, "fallback");
  std::thread([&] {
    user = {};
    base = {};
    missing = {};
  }).join();
  EXPECT_EQ(log.lines(), lines) << "another thread only releases values";
}

TEST_F(Managers, a_source_goes_with_the_manager) {
  add(1, "one");
  add(2, "two");
  cooked.put(files);
  std::shared_ptr<Source> source = files.source(1);
  const std::weak_ptr<Source> watched = source;
  {
    Catalog catalog;
    ASSERT_TRUE(catalog.mount(std::move(source), Layout::kCooked, "cooked"));
    manager.emplace(std::move(catalog), ManagerOptions{.io_thread = false});
  }
  manager->add<Note>(kRaw, note_loader(log));
  const AssetRef<Note> one = manager->load<Note>({.uuid = uuid(1)}), canceled = ask(2);
  manager.reset();
  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(one.get()->text, "one");
  EXPECT_EQ(canceled.failure()->fault, Fault::kCanceled);
}

TEST_F(Managers, the_lowest_priority_is_one) {
  add(1, "user", {}, {2});
  add(2, "soft");
  start_notes();
  const AssetRef<Note> one = ask(1, std::numeric_limits<int>::min());
  pump_until_done();
  EXPECT_THAT(log.lines(), ElementsAre("decode user", "finalize user", "decode soft", "finalize soft"));
}

}  // namespace
}  // namespace assetc::runtime
