#include "assetc/runtime/manager.hpp"

#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <random>
#include <thread>
#include <type_traits>

#include "runtime/notes.hpp"

namespace assetc::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(Managers, an_asset_is_read_decoded_and_finalized_once_for_all_who_ask) {
  add(1, "one");
  start_notes();
  const AssetRef<Note> first = ask(1), second = ask(1);
  EXPECT_EQ(first.state(), LoadState::kLoading);
  EXPECT_EQ(first.get(), nullptr);
  pump_all();
  ASSERT_TRUE(first.is_ready());
  EXPECT_EQ(first.get()->text, "one");
  EXPECT_EQ(first.get(), second.get());
  EXPECT_EQ(first.gpu().object, 3u);
  EXPECT_THAT(log.lines(), ElementsAre("decode one", "finalize one"));
  EXPECT_EQ(files.count_of(blob_path(1)), 1u);
  EXPECT_EQ(manager->load<Note>({.uuid = uuid(1)}).get(), first.get());
}

TEST_F(Managers, load_waits_with_threads_and_without) {
  add(1, "one", {2});
  add(2, "two");
  const JobSystem jobs_of_pool = start_pool(2);
  for (const bool io_thread : {false, true}) {
    for (const bool jobs : {false, true}) {
      for (const unsigned threads : {0u, 2u}) {
        start_notes({.jobs = jobs ? jobs_of_pool : JobSystem{}, .io_thread = io_thread}, threads);
        const AssetRef<Note> one = manager->load<Note>({.uuid = uuid(1)});
        ASSERT_TRUE(one.is_ready()) << io_thread << jobs << threads;
        EXPECT_EQ(one.get()->text, "one");
        manager.reset();
        EXPECT_EQ(one.get()->text, "one");
      }
    }
  }
}

TEST_F(Managers, what_is_needed_is_ready_first_and_a_diamond_loads_once) {
  add(1, "top", {2, 3}, {5});
  add(2, "left", {4});
  add(3, "right", {4});
  add(4, "base");
  add(5, "later");
  start_notes();
  const AssetRef<Note> top = ask(1);
  pump_until_done();
  ASSERT_TRUE(top.is_ready());
  const std::vector<std::string> lines = log.lines();
  const auto at = [&](const std::string& line) {
    EXPECT_EQ(std::ranges::count(lines, line), 1) << line;
    return std::ranges::find(lines, line) - lines.begin();
  };
  EXPECT_LT(at("finalize base"), at("finalize left"));
  EXPECT_LT(at("finalize base"), at("finalize right"));
  EXPECT_LT(at("finalize left"), at("finalize top"));
  EXPECT_LT(at("finalize right"), at("finalize top"));
  EXPECT_LT(at("finalize top"), at("decode later"));
}

TEST_F(Managers, what_an_asset_needs_lives_as_long) {
  add(1, "top", {2});
  add(2, "base");
  start_notes({.io_thread = false, .cpu_bytes = 0, .gpu_bytes = 0});
  {
    const AssetRef<Note> top = ask(1);
    pump_until_done();
    pump_all();
    EXPECT_EQ(manager->stats().cached, 0u);
    EXPECT_THAT(log.lines(), testing::Not(testing::Contains(HasSubstr("release"))));
  }
  pump_all();
  EXPECT_THAT(log.lines(), testing::IsSupersetOf({"release 3", "release 4"}));
  EXPECT_EQ(manager->stats().cpu_bytes, 0u);
  EXPECT_EQ(manager->stats().gpu_bytes, 0u);
}

TEST_F(Managers, a_budget_drops_the_longest_unused) {
  for (std::uint32_t i = 1; i <= 4; ++i) add(i, std::string(i, 'x'));
  start_notes({.io_thread = false, .gpu_bytes = 20});
  for (std::uint32_t i = 1; i <= 3; ++i) {
    ask(i);
    AssetRef<Note> ref = ask(i);
    pump_until_done();
  }
  const AssetRef<Note> again = ask(2);  // used again
  EXPECT_TRUE(again.is_ready());
  ask(4);
  AssetRef<Note> four = ask(4);
  pump_until_done();
  pump_all();
  std::vector<std::string> released;
  for (const std::string& line : log.lines()) {
    if (line.starts_with("release")) released.push_back(line);
  }
  EXPECT_THAT(released, ElementsAre("release 1", "release 3"));
  EXPECT_EQ(manager->stats().gpu_bytes, 20u);
}

TEST_F(Managers, unload_drops_what_nobody_holds) {
  add(1, "one");
  start_notes();
  manager->load<Note>({.uuid = uuid(1)});
  EXPECT_EQ(manager->stats().cached, 1u);
  manager->unload({.uuid = uuid(1)});
  pump_all();
  EXPECT_EQ(manager->stats().cached, 0u);
  AssetRef<Note> held = manager->load<Note>({.uuid = uuid(1)});
  manager->unload({.uuid = uuid(1)});
  pump_all();
  EXPECT_EQ(held.get()->text, "one");
  held = {};
  pump_all();
  EXPECT_THAT(log.lines(),
              ElementsAre("decode one", "finalize one", "release 3", "decode one", "finalize one", "release 3"));
}

TEST_F(Managers, what_is_asked_for_again_after_unload_is_cached_again) {
  add(1, "one");
  start_notes();
  AssetRef<Note> held = manager->load<Note>({.uuid = uuid(1)});
  manager->unload({.uuid = uuid(1)});
  AssetRef<Note> again = manager->load<Note>({.uuid = uuid(1)});
  held = {};
  again = {};
  pump_all();
  EXPECT_EQ(manager->stats().cached, 1u);
}

TEST_F(Managers, letting_go_cancels) {
  add(1, "one", {2});
  add(2, "two");
  start_notes();
  {
    const AssetRef<Note> one = ask(1);
    EXPECT_EQ(manager->stats().loading, 2u);
  }
  EXPECT_EQ(manager->stats().loading, 0u);
  pump_all();
  EXPECT_TRUE(log.lines().empty());
  // Destroyed in the middle of a read.
  manager.reset();
  start_notes({.io_thread = true}, 2);
  for (int i = 0; i < 200; ++i) ask(1);
  EXPECT_TRUE(manager->load<Note>({.uuid = uuid(1)}).is_ready());
}

TEST_F(Managers, the_highest_priority_goes_first_and_may_change) {
  for (std::uint32_t i = 1; i <= 4; ++i) add(i, std::string(1, static_cast<char>('a' + i - 1)));
  add(9, "needed by d");
  cooked.add(uuid(4), {kRaw, "Demo/Notes/4", raw_blob("d"), {uuid(9)}, {}});
  start_notes();
  const AssetRef<Note> a = ask(1), b = ask(2, 5), c = ask(3), d = ask(4, -1);
  manager->set_priority(d, 9);
  manager->set_priority(b, -2);
  pump_until_done();
  EXPECT_THAT(log.lines(), ElementsAre("decode needed by d", "finalize needed by d", "decode d", "finalize d",
                                       "decode a", "finalize a", "decode c", "finalize c", "decode b", "finalize b"));
}

TEST_F(Managers, callbacks_come_with_pump_unless_nobody_waits) {
  add(1, "one");
  add(2, "two");
  start_notes();
  std::vector<std::string> told;
  AssetRef<Note> one =
      manager->load_async<Note>({.uuid = uuid(1)}, [&](const AssetRef<Note>& ref) { told.push_back(ref.get()->text); });
  EXPECT_TRUE(told.empty());
  pump_until_done();
  EXPECT_THAT(told, ElementsAre("one"));
  manager->when_done(one, [&](const AnyRef& ref) { told.push_back(ref.is_ready() ? "ready" : "?"); });
  pump_all();
  EXPECT_THAT(told, ElementsAre("one", "ready"));
  manager->load_async<Note>({.uuid = uuid(2)}, [&](const AssetRef<Note>&) { told.push_back("never"); });
  pump_all();
  EXPECT_EQ(told.size(), 2u);
}

TEST_F(Managers, a_callback_does_not_come_for_what_an_earlier_one_let_go_of) {
  add(1, "one");
  add(2, "two");
  start_notes();
  int called = 0;
  AssetRef<Note> two;
  const auto count = [&](const AssetRef<Note>&) { ++called; };
  const AssetRef<Note> one = manager->load_async<Note>({.uuid = uuid(1)}, [&](const AssetRef<Note>&) { two = {}; }, 1);
  two = manager->load_async<Note>({.uuid = uuid(2)}, count);
  pump_until_done();
  EXPECT_FALSE(two);
  // For assets that are already loaded.
  manager->load_async<Note>({.uuid = uuid(1)}, count);
  manager->load_async<Note>({.uuid = uuid(2)}, count);
  const AssetRef<Note> again = manager->load<Note>({.uuid = uuid(2)});
  pump_all();
  EXPECT_EQ(called, 2) << "one and again are held";
}

TEST_F(Managers, an_empty_ref_has_no_value) {
  const AssetRef<Note> empty;
  EXPECT_EQ(empty.get(), nullptr);
  EXPECT_EQ(empty.get_or_fallback(), nullptr);
  EXPECT_EQ(empty.gpu().object, 0u);
}

// A canceled callback releases other refs, for which it takes the manager's lock. This was a deadlock once.
TEST_F(Managers, a_callback_that_is_canceled_lets_go_of_the_refs_that_it_holds) {
  add(1, "one");
  add(2, "two");
  start_notes();
  const auto ask_with_callback = [this] {
    return manager->load_async<Note>({.uuid = uuid(2)}, [held = ask(1)](const AssetRef<Note>&) { FAIL(); });
  };
  ask_with_callback();
  EXPECT_EQ(manager->stats().loading, 1u) << "the other one, until the callback is destroyed";
  pump_all();
  EXPECT_EQ(manager->stats().loading, 0u);
  const AssetRef<Note> two = ask_with_callback();
  manager.reset();
  EXPECT_EQ(two.state(), LoadState::kFailed);
}

// This was a deadlock once: the end of the read did not wake the thread that decodes.
TEST_F(Managers, an_empty_file_is_waited_for_where_there_are_no_jobs) {
  add(1, "one");
  for (int i = 0; i < 100; ++i) {
    start_notes({});
    files.put(blob_path(1), Bytes());
    EXPECT_EQ(manager->load<Note>({.uuid = uuid(1)}).state(), LoadState::kFailed);
  }
}

TEST_F(Managers, jobs_that_only_help_runs_are_run_before_a_manager_goes) {
  HelpedJobs jobs;
  add(1, "one");
  start_notes({.jobs = jobs.system(), .io_thread = false});
  const AssetRef<Note> one = ask(1);
  pump_all();
  EXPECT_EQ(jobs.waiting.size(), 1u);
  manager.reset();
  EXPECT_TRUE(jobs.waiting.empty());
  EXPECT_EQ(one.state(), LoadState::kFailed);
}

TEST_F(Managers, a_job_system_may_ask_the_manager) {
  add(1, "one");
  std::size_t asked = 0;
  const auto ask_manager = [&] { asked += manager->stats().loading; };
  const std::function<void()> call = ask_manager;
  const JobSystem jobs{.context = const_cast<std::function<void()>*>(&call),
                       .submit = [](void*, void (*job)(void*), void* data) { job(data); },
                       .concurrency =
                           [](void* context) {
                             (*static_cast<std::function<void()>*>(context))();
                             return 1u;
                           },
                       .help = {}};
  start_notes({.jobs = jobs, .io_thread = false});
  const AssetRef<Note> one = ask(1);
  pump_until_done();
  EXPECT_TRUE(one.is_ready());
  EXPECT_GT(asked, 0u);
}

TEST_F(Managers, failures_have_a_type_a_path_and_a_uuid) {
  add(1, "one");
  cooked.add(uuid(2), {kMaterial, "Demo/Wall", material_blob({}), {}, {}});
  cooked.add(uuid(3), {kRaw, "Demo/Bad", ByteVector(8), {}, {}});
  cooked.add(uuid(4), {AssetType::kAudio, "Demo/Step", ByteVector(8), {}, {}});
  add(5, "user", {3});
  start_notes();
  manager->add<int>(kMaterial, {.decode = [](LoadInput&) -> Result<int> { return 1; }});
  files.files.erase(blob_path(1));
  const auto fault = [&](std::uint32_t number) {
    const AssetRef<Note> ref = manager->load<Note>({.uuid = uuid(number)});
    return ref.failure() == nullptr ? "no failure" : ref.failure()->to_string();
  };
  const auto name = [](std::uint32_t number) { return " (" + uuid(number).to_string() + "): "; };
  EXPECT_EQ(fault(1), "Demo/Notes/1" + name(1) + "missing: " + blob_path(1) + ": no such file");
  EXPECT_EQ(fault(2), "Demo/Wall" + name(2) +
                          "wrong_type: is Material, but was requested as Raw; request it with its own type, or "
                          "cook it as the requested type");
  EXPECT_THAT(fault(3), HasSubstr("Demo/Bad" + name(3) + "corrupt: "));
  EXPECT_EQ(fault(77),
            "(" + uuid(77).to_string() +
                "): missing: no mount has this asset; cook it, or mount the folder or bundle that contains it");
  const Group untyped = manager->preload(std::vector<AssetHandle>{{.uuid = uuid(4)}});
  manager->wait(untyped);
  const AnyRef step = untyped.refs()[0];
  EXPECT_EQ(step.failure()->to_string(),
            "Demo/Step" + name(4) + "no_loader: Audio has no loader; add one to the manager");
  EXPECT_THAT(fault(5), HasSubstr("Demo/Notes/5" + name(5) + "dependency: "));
  EXPECT_EQ(manager->load<float>({.uuid = uuid(1)}).failure()->fault, Fault::kNoLoader);
  pump_all();
  EXPECT_EQ(failures.size(), 8u);
}

TEST_F(Managers, an_engines_own_type_is_raw_to_who_lists_it) {
  constexpr AssetType kFont{130};
  struct Font {
    std::size_t size_bytes;
  };
  add(1, "a font");
  add(2, "another");
  add(3, "raw");
  start_notes();
  const auto load_font = [](LoadInput& in) -> Result<Font> {
    EXPECT_EQ(in.desc.handle.type, AssetType{130});
    return Font{in.bytes.size()};
  };
  manager->add<Font>(kFont, {.decode = load_font});
  const AssetRef<Font> font = manager->load<Font>(*manager->catalog().find_by_path("Demo/Notes/1"));
  ASSERT_TRUE(font.is_ready()) << font.failure()->to_string();
  EXPECT_EQ(font.get()->size_bytes, raw_blob("a font").size());
  EXPECT_EQ(font.handle().type, kFont);
  const Group group = manager->preload(std::vector<AssetHandle>{{.uuid = uuid(2), .type = kFont}, {.uuid = uuid(3)}});
  pump_until_done();
  EXPECT_TRUE(manager->load_async<Font>({.uuid = uuid(2)}).is_ready());
  EXPECT_TRUE(ask(3).is_ready());
  EXPECT_THAT(manager->load<Font>({.uuid = uuid(3)}).failure()->to_string(),
              HasSubstr("wrong_type: is Raw, but was requested as type 130"));
  manager->changed({.assets = {{.uuid = uuid(1)}}});
  pump_until_done();
  EXPECT_EQ(font.reload_failure(), nullptr);
}

TEST_F(Managers, a_fallback_stands_in_for_what_is_missing_and_for_what_others_need) {
  add(1, "user", {2});
  cooked.add(uuid(2), {kRaw, "Demo/Bad", ByteVector(8), {}, {}});
  start();
  Loader<Note> loader = note_loader(log);
  loader.fallback = [](AssetType) { return Note{"fallback"}; };
  manager->add<Note>(kRaw, loader);
  const AssetRef<Note> missing = ask(50), user = ask(1);
  EXPECT_EQ(missing.get_or_fallback()->text, "fallback");
  EXPECT_EQ(user.get_or_fallback()->text, "fallback");
  pump_until_done();
  pump_all();
  EXPECT_EQ(missing.gpu().object, std::string("fallback").size());
  EXPECT_TRUE(user.is_ready());
  EXPECT_EQ(user.get_or_fallback()->text, "user");
}

TEST_F(Managers, a_fallback_that_cannot_be_finalized_is_told_of_and_nothing_of_it_released) {
  start();
  Loader<Note> loader = note_loader(log);
  loader.fallback = [](AssetType) { return Note{"fallback"}; };
  loader.finalize = [](Note&, const AssetDesc&) -> Result<GpuObject> { return fail(ErrorCode::kLimit, "no memory"); };
  manager->add<Note>(kRaw, loader);
  const AssetRef<Note> missing = ask(50);
  for (int i = 0; i < 3; ++i) pump_all();
  EXPECT_THAT(failures, testing::Contains(HasSubstr("no memory")).Times(1));
  EXPECT_EQ(missing.get_or_fallback()->text, "fallback");
  EXPECT_EQ(missing.gpu().object, 0u);
  manager.reset();
  EXPECT_THAT(log.lines(), testing::Not(testing::Contains(HasSubstr("release"))));
}

TEST_F(Managers, a_circle_is_an_error) {
  add(1, "one", {2});
  add(2, "two", {});
  // The writer refuses a cycle, so the bytes are changed: the second asset then needs the first.
  cooked.add(uuid(2), {kRaw, "Demo/Notes/2", raw_blob("two"), {uuid(3)}, {}});
  add(3, "three");
  ByteVector registry = cooked.registry();
  const auto view = registry::View::open(registry).value();
  const std::uint32_t from = *view.find(uuid(3)), to = *view.find(uuid(1));
  for (std::size_t at = 0; at + 4 <= registry.size(); at += 4) {
    // Finds the only dependency on asset 3, after records and paths.
    const auto* dependency = view.asset(*view.find(uuid(2))).hard_dependencies.data();
    if (reinterpret_cast<const std::byte*>(dependency) == registry.data() + at) {
      ASSERT_EQ(load<std::uint32_t>(registry, at), from);
      std::memcpy(registry.data() + at, &to, sizeof to);
      break;
    }
  }
  cooked.put(files);
  files.files["cooked/Registry/AssetRegistry.bin"] = Bytes(registry);
  Catalog catalog;
  ASSERT_TRUE(catalog.mount(files.source(), Layout::kCooked, "cooked"));
  manager.emplace(std::move(catalog), ManagerOptions{.io_thread = false});
  manager->add<Note>(kRaw, note_loader(log));
  const AssetRef<Note> one = ask(1), two = ask(2);
  pump_until_done();
  EXPECT_EQ(two.failure()->fault, Fault::kCycle);
  EXPECT_EQ(one.failure()->fault, Fault::kDependency);
}

TEST_F(Managers, a_loader_may_find_what_its_asset_needs_and_circles_among_that) {
  for (std::uint32_t i = 1; i <= 4; ++i) add(i, std::to_string(i));
  start();
  // 1 needs 2 and later 3; 2 needs 4; 4 needs 2.
  Loader<Note> loader = note_loader(log);
  loader.decode = [this](LoadInput& in) -> Result<Note> {
    ASSETC_TRY(Note note, read_note(in));
    if (note.text == "1") in.hard = {{.uuid = uuid(2)}}, in.soft = {{.uuid = uuid(3)}};
    if (note.text == "2") in.hard = {{.uuid = uuid(4)}};
    if (note.text == "4") in.hard = {{.uuid = uuid(2)}};
    log.add("decode " + note.text);
    return note;
  };
  manager->add<Note>(kRaw, loader);
  const AssetRef<Note> one = ask(1), three = ask(3);
  pump_until_done();
  EXPECT_TRUE(three.is_ready());
  EXPECT_EQ(one.failure()->fault, Fault::kDependency);
  EXPECT_EQ(ask(4).state(), LoadState::kLoading);
}

TEST_F(Managers, what_is_too_large_is_refused_before_it_is_read) {
  add(1, std::string(100'000, 'x'));
  start_notes({.io_thread = false, .max_asset_bytes = 50'000});
  const AssetRef<Note> one = manager->load<Note>({.uuid = uuid(1)});
  EXPECT_EQ(one.failure()->fault, Fault::kLimit);
  EXPECT_EQ(files.count_of(blob_path(1)), 0u);
}

TEST_F(Managers, pump_stops_at_its_budget_of_bytes_and_goes_on) {
  for (std::uint32_t i = 1; i <= 4; ++i) add(i, std::string(1000, 'x'));
  start_notes();
  std::vector<AssetRef<Note>> refs;
  for (std::uint32_t i = 1; i <= 4; ++i) refs.push_back(ask(i));
  const PumpReport first = manager->pump({.time = std::chrono::seconds(10), .bytes = 2200});
  EXPECT_EQ(first.finalized, 2u);
  EXPECT_EQ(manager->pump({.time = std::chrono::seconds(10), .bytes = 0}).finalized, 1u);
  EXPECT_EQ(manager->pump({.time = std::chrono::seconds(10)}).finalized, 1u);
}

TEST_F(Managers, a_manager_that_goes_cancels_what_loads_and_refs_outlive_it) {
  for (std::uint32_t i = 1; i <= 50; ++i) add(i, "note", i > 1 ? std::vector{1u} : std::vector<std::uint32_t>{});
  const JobSystem jobs_of_pool = start_pool(2);
  start_notes({.jobs = jobs_of_pool}, 2);
  std::vector<AssetRef<Note>> refs;
  for (std::uint32_t i = 1; i <= 50; ++i) refs.push_back(ask(i));
  const AssetRef<Note> one = manager->load<Note>({.uuid = uuid(1)});
  manager.reset();
  EXPECT_EQ(one.get()->text, "note");
  for (const AssetRef<Note>& ref : refs) {
    EXPECT_TRUE(ref.is_ready() || (ref.failure() != nullptr && ref.failure()->fault == Fault::kCanceled));
  }
}

// ASSETC_STRESS_SECONDS sets a longer time, for runs under ThreadSanitizer.
TEST_F(Managers, eight_threads_load_unload_cancel_reload_and_change_priorities) {
  constexpr std::uint32_t kAssets = 200;
  for (std::uint32_t i = 1; i <= kAssets; ++i) {
    std::vector<std::uint32_t> hard, soft;
    if (i > 1) hard.push_back(i / 2);
    if (i > 4) hard.push_back(i - 3), soft.push_back(i - 1);
    add(i, "note " + std::to_string(i), hard, soft);
  }
  cooked.add(uuid(500), {kRaw, "Demo/Bad", ByteVector(8), {}, {}});
  const JobSystem jobs_of_pool = start_pool(3);
  // The frame that each thread uses, as a frame is in use until its fence has passed: that of the last pump(), or none.
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::array<std::atomic<std::uint64_t>, 8> looking;
  for (auto& frame : looking) frame = kNone;
  std::atomic<std::uint64_t> frame = 0;
  std::atomic<std::size_t> wrong = 0, seen = 0, replaced = 0;
  start_notes({.jobs = jobs_of_pool,
               .in_flight_bytes = 20'000,
               .cpu_bytes = 10'000,
               .gpu_bytes = 500,
               .on_reloaded = [&](const AnyRef& asset, const AnyRef&) { replaced += asset.is_ready(); },
               .is_over =
                   [&](std::uint64_t old) {
                     return std::ranges::all_of(looking, [&](const auto& at) { return at.load() > old; });
                   }},
              2);
  const char* asked = std::getenv("ASSETC_STRESS_SECONDS");
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(asked == nullptr ? 300 : 1000 * std::atoi(asked));
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (unsigned seed = 0; seed < 8; ++seed) {
    threads.emplace_back([&, seed] {
      std::minstd_rand random(seed + 1);
      std::vector<AssetRef<Note>> held;
      while (!stop) {
        const auto number = static_cast<std::uint32_t>(random() % (kAssets + 2) + 1);
        switch (random() % 8) {
          case 0:
          case 1:
            held.push_back(manager->load_async<Note>({.uuid = uuid(number > kAssets ? 500 : number)},
                                                     static_cast<int>(random() % 5)));
            break;
          case 2:
            manager->unload({.uuid = uuid(number)});
            break;
          case 3:
            if (!held.empty()) manager->set_priority(held[random() % held.size()], static_cast<int>(random() % 9));
            break;
          case 4:
            manager->changed({.written = {"Assets/" + uuid(number).to_string() + ".bin"}});
            break;
          case 5:
            if (random() % 50 == 0) manager->changed({.written = {"Registry/AssetRegistry.bin"}});
            break;
          default:
            if (held.size() > 20) held.erase(held.begin() + static_cast<std::ptrdiff_t>(random() % held.size()));
            if (held.empty()) break;
            const AssetRef<Note> copy = held[random() % held.size()];
            looking[seed] = frame.load();
            if (const Note* note = copy.get()) {
              ++seen;
              if (!note->text.starts_with("note ")) ++wrong;
            }
            if (const Failure* failure = copy.reload_failure()) wrong += failure->to_string().empty();
            looking[seed] = kNone;
        }
      }
    });
  }
  // Meanwhile files are saved, some of them invalid.
  std::minstd_rand random(99);
  while (std::chrono::steady_clock::now() < end || replaced == 0) {
    const auto number = static_cast<std::uint32_t>(random() % kAssets + 1);
    const bool is_broken = random() % 8 == 0;
    files.put(blob_path(number), Bytes(is_broken ? ByteVector(9) : raw_blob("note " + std::to_string(random()))));
    frame = manager->pump().frame;
    std::this_thread::yield();
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0u);
  for (std::uint32_t i = 1; i <= kAssets; ++i) files.put(blob_path(i), Bytes(raw_blob("note " + std::to_string(i))));
  manager->changed({.everything = true});
  pump_until_done();
  // Canceled loads are in flight until their source and their job have answered.
  while (manager->stats().in_flight_bytes > 0) manager->pump();
  for (int i = 0; i < 2; ++i) manager->pump({.time = std::chrono::seconds(5)});
  EXPECT_LE(manager->stats().cpu_bytes, 10'000u);
  EXPECT_TRUE(manager->load<Note>({.uuid = uuid(kAssets)}).is_ready());
}

TEST(Microseconds, take_durations_of_whole_microseconds_and_saturate) {
  EXPECT_EQ(PumpBudget{}.time.count, 2000);
  EXPECT_EQ(Microseconds(std::chrono::microseconds(3)).count, 3);
  EXPECT_EQ(Microseconds(std::chrono::milliseconds(-4)).count, -4000);
  EXPECT_EQ(Microseconds(std::chrono::hours(1)).count, 3'600'000'000);
  // The longest number of seconds whose microseconds fit 64 bits is 9223372036854.
  EXPECT_EQ(Microseconds(std::chrono::seconds(9'223'372'036'854)).count, 9'223'372'036'854'000'000);
  EXPECT_GE(Microseconds(std::chrono::seconds(9'223'372'036'855)).count, 9'223'372'036'854'000'000);
  EXPECT_GE(Microseconds(std::chrono::hours(INT64_MAX)).count, INT64_MAX - 3'600'000'000);
  EXPECT_LE(Microseconds(std::chrono::hours(INT64_MIN)).count, INT64_MIN + 3'600'000'001);
  static_assert(!std::is_convertible_v<std::chrono::nanoseconds, Microseconds>);
  static_assert(!std::is_convertible_v<std::chrono::duration<double>, Microseconds>);
  static_assert(!std::is_convertible_v<int, Microseconds>);
}

TEST(ThreadPool, runs_every_job_on_any_thread_and_the_rest_before_it_goes) {
  std::atomic<int> count = 0;
  {
    ThreadPool pool(3);
    const JobSystem jobs = pool.jobs();
    EXPECT_EQ(jobs.concurrency(jobs.context), 3u);
    for (int i = 0; i < 1000; ++i)
      jobs.submit(jobs.context, [](void* data) { ++*static_cast<std::atomic<int>*>(data); }, &count);
    while (jobs.help(jobs.context)) continue;
  }
  EXPECT_EQ(count, 1000);
}

}  // namespace
}  // namespace assetc::runtime
