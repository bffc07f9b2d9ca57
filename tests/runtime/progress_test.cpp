// Loads always go on: limits, sources that hang or change, and functions of loaders that call the manager.
#include "runtime/progress.hpp"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <thread>

#include "assetc/formats/hman.hpp"
#include "assetc/formats/hpack.hpp"
#include "runtime/notes.hpp"
#include "runtime/parts.hpp"

namespace assetc::runtime {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

// ---- limits ----

class Progresses : public PartsOf {
 protected:
  void SetUp() override {
    const auto without_levels = [](hmesh::Model model) {
      model.lod_count = 0;
      model.lods.clear();
      model.lod_indices.clear();
      return model;
    };
    for (const std::uint32_t side : {8u, 48u, 96u}) {
      add("levels" + std::to_string(side) + ".hmesh", hmesh::write(grid(side)).value());
      add("plain" + std::to_string(side) + ".hmesh", hmesh::write(without_levels(grid(side))).value());
    }
    add("a.ktx2", ktx2_of(false));
    add("b.ktx2", ktx2_of(true));
  }
  void expect_all(const Catalog& catalog, const JobSystem& jobs, bool may_wait) {
    for (const std::uint64_t limit : limits_of_progress(may_wait ? 32 : 4)) {
      for (const bool in_parts : {false, true})
        EXPECT_EQ(expect_progress(catalog, {limit, in_parts, jobs, may_wait}), catalog.list().size()) << limit;
    }
  }
  void add(const std::string& path, ByteVector bytes) { packed.push_back({path, Bytes(std::move(bytes))}); }

  Catalog tree(unsigned threads) {
    std::vector<std::string> names;
    for (const hpack::File& file : packed) {
      files.files[file.path] = file.bytes;
      names.push_back(file.path);
    }
    Catalog catalog;
    EXPECT_TRUE(catalog.mount(files.source(threads), Layout::kTree, "", {.files = names}));
    return catalog;
  }
  Catalog pack(unsigned threads) {
    files.files["game.hpack"] = Bytes(hpack::write(packed).value());
    Catalog catalog;
    EXPECT_TRUE(catalog.mount(files.source(threads), Layout::kPack, "game.hpack"));
    return catalog;
  }
  // Meshes that need materials, which need textures.
  Catalog nested(unsigned threads) {
    Cooked cooked;
    for (std::uint32_t i = 0; i < 4; ++i) {
      cooked.add(uuid(10 + i), {AssetType::kTexture2D, "T" + std::to_string(i), aas1_of(), {}, {}});
      cooked.add(uuid(20 + i), {AssetType::kMesh, "M" + std::to_string(i), aas1_grid(16 << i), {uuid(70)}, {}});
    }
    cooked.add(uuid(70), {AssetType::kMaterial, "Skin", material_blob({uuid(10), uuid(11)}), {uuid(10), uuid(11)}, {}});
    cooked.put(files, "");
    Catalog catalog;
    EXPECT_TRUE(catalog.mount(files.source(threads), Layout::kCooked, ""));
    return catalog;
  }
  std::vector<hpack::File> packed;
};

TEST_F(Progresses, with_every_limit_and_layout_in_a_bounded_number_of_pumps) {
  expect_all(tree(0), {}, false);
  expect_all(pack(0), {}, false);
  expect_all(nested(0), {}, false);
  std::map<std::tuple<std::string, std::uint64_t>, std::size_t> counts;
  const std::size_t runs = 2 * limits_of_progress().size();
  for (const ReadRequest& read : files.reads()) {
    if (read.path != "game.hpack" && read.size_bytes != 0 && read.size_bytes != kToEnd)
      ++counts[{read.path, read.offset_bytes}];
  }
  for (const auto& [range, count] : counts) EXPECT_LE(count, 3 * runs) << std::get<0>(range);
}

TEST_F(Progresses, with_every_limit_and_layout_on_threads) {
  ThreadPool pool(2);
  expect_all(tree(2), pool.jobs(), true);
  expect_all(pack(2), pool.jobs(), true);
  expect_all(nested(2), pool.jobs(), true);
}

// Its first part and the vertices together fill the memory, and no other load wakes the thread that reads.
TEST_F(Progresses, a_mesh_whose_parts_fill_the_memory_is_read_further) {
  packed.clear();
  add("a.hmesh", hmesh::write(grid(96)).value());
  const std::uint64_t vertices = 97 * 97 * sizeof(hmesh::GpuVertex);
  ThreadPool pool(1);
  EXPECT_EQ(expect_progress(tree(1), {vertices + 10'000, true, pool.jobs(), true}), 1u);
}

// ---- budgets that change ----

TEST_F(Progresses, budgets_change_while_assets_are_loaded) {
  files.files["a.ktx2"] = Bytes(ktx2_of(false));
  files.files["b.ktx2"] = Bytes(ktx2_of(false));
  start(kSmallReads);
  const AssetRef<TextureData> a = texture("a.ktx2");
  {
    const AssetRef<TextureData> unused = texture("b.ktx2");
    settle();
  }
  settle();
  EXPECT_EQ(manager->stats().cached, 1u);
  manager->set_budgets({.cpu_bytes = 400'000, .gpu_bytes = 400'000});
  settle();
  EXPECT_EQ(manager->stats().cached, 0u);
  EXPECT_EQ(manager->stats().gpu_limit_bytes, 400'000u);
  expect_levels(a, 0);
  manager->set_budgets({.gpu_bytes = 100'000});
  settle();
  expect_levels(a, 1);
  EXPECT_EQ(manager->why_waiting(a).what, Waits::kGpuBudget);
  manager->set_budgets({});
  settle();
  expect_levels(a, 0);
}

// ---- versions ----

TEST_F(Progresses, a_file_that_changes_once_while_it_is_read_is_read_again) {
  const Catalog catalog = tree(0);
  std::size_t reads = 0;
  files.version = [&] { return ++reads < 6 ? 1u : 2u; };
  EXPECT_EQ(expect_progress(catalog, {64u << 20, true}), catalog.list().size());
  EXPECT_LT(files.reads().size(), 80u);
}

TEST_F(Progresses, a_file_that_changes_with_each_read_is_a_failure_after_few_reads) {
  files.files["a.ktx2"] = Bytes(ktx2_of(false));
  std::uint64_t version = 0;
  files.version = [&] { return ++version; };
  start(kSmallReads);
  const AssetRef<TextureData> a = texture("a.ktx2");
  for (int i = 0; i < 20; ++i) manager->pump({.time = std::chrono::seconds(60)});
  EXPECT_EQ(manager->stats().loading, 0u);
  expect_levels(a, 3);
  ASSERT_NE(a.reload_failure(), nullptr);
  EXPECT_EQ(a.reload_failure()->fault, Fault::kStale);
  EXPECT_THAT(failures, testing::Contains(HasSubstr("a.ktx2 (")));
  EXPECT_THAT(
      failures.back(),
      HasSubstr("stale: the file was replaced twice while it was read in parts; find out what replaces it, then "
                "report the change or mount it again"));
  const std::size_t before = files.reads().size();
  EXPECT_LE(before, 8u);
  for (int i = 0; i < 20; ++i) manager->pump();
  EXPECT_EQ(files.reads().size(), before);
  files.version = {};
  manager->changed({.written = {"a.ktx2"}});
  settle();
  expect_levels(a, 0);
}

TEST_F(Progresses, ranges_of_a_file_that_changes_with_each_read_end_in_failures) {
  files.files["a.ktx2"] = Bytes(ktx2_of(false));
  std::uint64_t version = 0;
  start(kSmallReads);
  const AssetRef<TextureData> a = texture("a.ktx2");
  a.want(8);
  files.version = [&] { return ++version; };
  settle();
  std::size_t stale = 0;
  for (int i = 0; i < 10; ++i) {
    const AssetRef<PartBytes> range = manager->load_range(a, {100, 100});
    settle();
    stale += range.failure() != nullptr && range.failure()->fault == Fault::kStale;
  }
  EXPECT_EQ(stale, 10u);
  EXPECT_LE(reloads, 2u) << "the asset is not loaded again for each of them";
}

// ---- sources ----

// A second source whose reads hang until they are canceled.
class Hangs : public Managers {
 protected:
  // Mounts a pack of 40 files of the source that hangs, and the notes of the other one.
  Manager& start_both(const RetryPolicy& policy) {
    std::vector<hpack::File> packed;
    packed.reserve(40);
    for (int i = 0; i < 40; ++i)
      packed.push_back({std::to_string(100 + i) + ".bin", Bytes(ByteVector(50'000, static_cast<std::byte>(i)))});
    pack = Bytes(hpack::write(packed).value());
    hanging = make_source(
        [this](const ReadRequest& request, const std::atomic<bool>& canceled) -> Result<ReadAnswer> {
          while (hangs && !canceled) std::this_thread::yield();
          return read_range(request, pack);
        },
        2, policy);
    pool.emplace(1);
    start_notes({.jobs = pool->jobs()}, 2);
    manager->add<RawData>(AssetType::kScript, raw_loader());
    EXPECT_TRUE(manager->mount(hanging, Layout::kPack, "game.hpack"));
    hangs = true;
    return *manager;
  }
  void TearDown() override { hangs = false; }
  std::vector<AssetRef<Note>> ask_for_hanging() {
    std::vector<AssetRef<Note>> refs;
    refs.reserve(40);
    for (int i = 0; i < 40; ++i) refs.push_back(manager->load_async<Note>(std::to_string(100 + i) + ".bin"));
    return refs;
  }
  Bytes pack;
  std::atomic<bool> hangs = false;
  std::shared_ptr<Source> hanging;
};

TEST_F(Hangs, assets_of_other_sources_go_on) {
  add(1, "one");
  start_both({});
  std::vector<AssetRef<Note>> refs = ask_for_hanging();
  EXPECT_TRUE(manager->load<Note>({.uuid = uuid(1)}).is_ready());
  EXPECT_EQ(manager->why_waiting(refs.back()).what, Waits::kSource);
  refs.clear();
  manager.reset();
}

TEST_F(Hangs, reads_that_are_not_answered_fail_after_the_timeout) {
  start_both({.timeout = milliseconds(5)});
  const std::vector<AssetRef<Note>> refs = ask_for_hanging();
  while (manager->stats().loading > 0) manager->pump();
  for (const AssetRef<Note>& ref : refs) {
    ASSERT_NE(ref.failure(), nullptr);
    EXPECT_EQ(ref.failure()->fault, Fault::kIo);
    EXPECT_THAT(ref.failure()->to_string(), HasSubstr("the source did not answer within 5 ms; find out why it hangs"));
  }
  hangs = false;
  manager->changed({.everything = true});
  while (manager->stats().loading > 0) manager->pump();
  manager.reset();
}

// ---- functions of loaders ----

class Calls : public Managers {
 protected:
  // The outcome of a load() within a function of a loader.
  std::optional<Fault> inner_fault;
  bool has_called = false;
  void call_load(std::uint32_t number) {
    if (std::exchange(has_called, true)) return;
    const AssetRef<Note> inner = manager->load<Note>({.uuid = uuid(number)});
    if (inner.failure() != nullptr) inner_fault = inner.failure()->fault;
  }
};

TEST_F(Calls, finalize_may_load_another_asset_but_not_one_that_needs_its_own) {
  add(1, "user", {2});
  add(2, "needed");
  add(3, "other");
  for (const bool io_thread : {false, true}) {
    has_called = false;
    inner_fault.reset();
    start({.jobs = io_thread ? start_pool(1) : JobSystem{}, .io_thread = io_thread}, io_thread ? 1 : 0);
    Loader<Note> loader = note_loader(log);
    loader.finalize = [&](Note& note, const AssetDesc&) -> Result<GpuObject> {
      if (note.text == "needed") {
        call_load(1);
        EXPECT_TRUE(manager->load<Note>({.uuid = uuid(3)}).is_ready());
      }
      return GpuObject{};
    };
    manager->add<Note>(kRaw, std::move(loader));
    const AssetRef<Note> user = manager->load<Note>({.uuid = uuid(1)});
    EXPECT_EQ(inner_fault, Fault::kCycle);
    EXPECT_TRUE(user.is_ready());
    EXPECT_EQ(manager->stats().loading, 0u);
    manager->pump();
    EXPECT_THAT(failures.back(), HasSubstr("cycle: load() was called in the finalize of an asset that it needs; use "
                                           "load_async(), or make the other one a dependency"));
    manager.reset();
  }
}

TEST_F(Calls, decode_and_release_must_not_wait) {
  add(1, "one");
  add(2, "two");
  for (const bool in_decode : {false, true}) {
    has_called = false;
    inner_fault.reset();
    start();
    Loader<Note> loader = note_loader(log);
    PumpReport pumped;
    const auto call = [&] {
#ifdef NDEBUG
      call_load(2);
      pumped = manager->pump();
#else
      if (!std::exchange(has_called, true)) {
        EXPECT_DEATH(manager->load<Note>({.uuid = uuid(2)}), "must not wait");
        EXPECT_DEATH(manager->pump(), "function of a loader");
      }
      inner_fault = Fault::kCycle;
#endif
    };
    if (in_decode) {
      loader.decode = [&](LoadInput& in) {
        call();
        return read_note(in);
      };
    } else {
      loader.release = [&](const GpuObject&) { call(); };
    }
    manager->add<Note>(kRaw, std::move(loader));
    AssetRef<Note> one = ask(1);
    pump_until_done();
    manager->unload({.uuid = uuid(1)});
    one = {};
    pump_all();
    EXPECT_EQ(inner_fault, Fault::kCycle);
    EXPECT_EQ(pumped.frame, 0u);
    manager.reset();
  }
}

// ---- the order of destruction ----

TEST_F(Calls, the_manager_is_not_destroyed_in_one_of_them) {
#ifdef NDEBUG
  GTEST_SKIP() << "only debug builds check it";
#endif
  add(1, "one");
  start();
  const auto destroy = [&] {
    if (std::exchange(has_called, true)) return;
    EXPECT_DEATH(manager.reset(), "is destroyed in one of its calls");
  };
  Loader<Note> loader = note_loader(log);
  bool in_decode = true;
  loader.decode = [&](LoadInput& in) {
    if (in_decode) destroy();
    return read_note(in);
  };
  manager->add<Note>(kRaw, std::move(loader));
  const AssetRef<Note> one = manager->load<Note>({.uuid = uuid(1)});
  EXPECT_TRUE(std::exchange(has_called, false));
  in_decode = false;
  manager->when_done(one, [&](const AnyRef&) { destroy(); });
  manager->pump();
  EXPECT_TRUE(has_called);
}

TEST_F(Calls, the_manager_releases_all_device_objects_before_the_device_is_destroyed) {
  add(1, "one");
  add(2, "two");
  std::set<std::uint64_t> device;
  start();
  Loader<Note> loader = note_loader(log);
  loader.finalize = [&](Note& note, const AssetDesc&) -> Result<GpuObject> {
    device.insert(note.text.front());
    return GpuObject{.object = static_cast<std::uint64_t>(note.text.front()), .is_pending = note.text == "two"};
  };
  loader.poll = [](const GpuObject& pending) -> Result<GpuObject> { return pending; };
  loader.release = [&](const GpuObject& gpu) { device.erase(gpu.object); };
  manager->add<Note>(kRaw, std::move(loader));
  AssetRef<Note> one = manager->load<Note>({.uuid = uuid(1)});
  const AssetRef<Note> two = ask(2);
  pump_all();
  EXPECT_EQ(device.size(), 2u);
  manager.reset();
  EXPECT_TRUE(device.empty());
  EXPECT_EQ(one.get()->text, "one");
  EXPECT_EQ(one.gpu().object, 0u);
  one = {};
}

// ---- what an asset waits for ----

TEST_F(Managers, an_asset_says_what_it_waits_for) {
  add(1, "user", {2});
  add(2, std::string(5000, 'x'));
  add(3, std::string(5000, 'y'));
  add(4, "four");
  files.fault = [](const ReadRequest& read) { return read.path.contains(uuid(4).to_string()); };
  cooked.put(files);
  Catalog catalog;
  const RetryPolicy policy{.retries = 1, .first_delay = std::chrono::hours(1), .longest_delay = std::chrono::hours(1)};
  ASSERT_TRUE(catalog.mount(files.source(0, policy), Layout::kCooked, "cooked"));
  HelpedJobs jobs;
  manager.emplace(catalog, ManagerOptions{.jobs = jobs.system(), .io_thread = false, .in_flight_bytes = 4000});
  manager->add<Note>(kRaw, note_loader(log));
  const AssetRef<Note> user = ask(1, 1), three = ask(3), four = ask(4);
  EXPECT_EQ(manager->why_waiting(three).what, Waits::kRoomInFlight);
  pump_all();
  EXPECT_EQ(manager->why_waiting(four).what, Waits::kRetry);
  EXPECT_EQ(manager->why_waiting(user).what, Waits::kProcessor);
  EXPECT_EQ(manager->why_waiting(three).what, Waits::kRoomInFlight);
  const auto run_job = [&] { jobs.system().help(&jobs); };
  for (int i = 0; i < 20 && !user.is_ready(); ++i) {
    const auto why = manager->why_waiting(user);
    EXPECT_EQ(why.dependency.uuid, why.what == Waits::kDependency ? uuid(2) : Uuid());
    pump_all();
    run_job();
  }
  EXPECT_EQ(manager->why_waiting(user).what, Waits::kNothing);
  EXPECT_EQ(to_string(Waits::kCpuBudget), "cpu_budget");
}

TEST_F(PartsOf, an_asset_that_is_coarser_than_wanted_says_which_budget_has_no_room) {
  files.files["a.ktx2"] = Bytes(ktx2_of(false));
  for (const Waits budget : {Waits::kCpuBudget, Waits::kGpuBudget}) {
    ManagerOptions options{.io_thread = false};
    (budget == Waits::kCpuBudget ? options.cpu_bytes : options.gpu_bytes) = 30'000;
    start(kSmallReads, std::move(options));
    const AssetRef<TextureData> a = texture("a.ktx2");
    settle();
    EXPECT_GT(a.get()->first_level, 0u);
    EXPECT_EQ(manager->why_waiting(a).what, budget);
    a.want(8);
    settle();
    EXPECT_EQ(manager->why_waiting(a).what, Waits::kNothing);
  }
}

}  // namespace
}  // namespace assetc::runtime
