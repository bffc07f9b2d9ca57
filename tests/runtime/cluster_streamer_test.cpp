#include "assetc/runtime/cluster_streamer.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "assetc/formats/aas1_clusters.hpp"
#include "assetc/runtime/all_loaders.hpp"
#include "assetc/runtime/clusters.hpp"
#include "assetc/runtime/jobs.hpp"
#include "assetc/runtime/source.hpp"
#include "os/process.hpp"
#include "runtime/allocations.hpp"
#include "runtime/cluster_strip.hpp"
#include "runtime/cooked.hpp"

namespace assetc::runtime {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char *kPath = "rocks/strip.hcluster", *kOther = "rocks/other.hcluster";

class ClusterStreams : public testing::Test {
 protected:
  struct Start {
    StripOptions strip{.clusters = 256, .groups_in_page = 1, .shift = 0};
    ClusterStreamerOptions streamer{};
    unsigned threads = 0;
    RetryPolicy retry{};
    PartOptions parts{.first_read_bytes = 2048};
    bool is_cooked = false;
    std::uint64_t max_asset_bytes = 1u << 30;
  };
  void start() { start(Start{}); }
  void start(Start with) {
    streamer.reset();
    manager.reset();
    file = strip_file(with.strip);
    Catalog catalog;
    if (with.is_cooked) {
      hcluster::Model model = strip_model(with.strip);
      model.materials = {0};
      const std::array materials{uuid(2)};
      Cooked cooked;
      cooked.add(uuid(1), {AssetType::kClusters,
                           kPath,
                           aas1::write_clusters(hcluster::write(model).value(), materials).value(),
                           {uuid(2)},
                           {}});
      cooked.add(uuid(2), {AssetType::kMaterial, "rocks/stone", material_blob({}), {}, {}});
      cooked.put(files, "");
      ASSERT_TRUE(catalog.mount(files.source(with.threads, with.retry), Layout::kCooked, ""));
    } else {
      files.put(kPath, file);
      files.put(kOther, file);
      ASSERT_TRUE(catalog.mount(files.source(with.threads, with.retry), Layout::kTree, "", {.files = {kPath, kOther}}));
    }
    ManagerOptions options{.io_thread = with.threads > 0, .max_asset_bytes = with.max_asset_bytes};
    if (with.threads > 0) options.jobs = pool.emplace(2).jobs();
    options.on_failure = [this](const Failure& failure) { manager_failures.push_back(failure.to_string()); };
    manager.emplace(std::move(catalog), std::move(options));
    add_loaders(*manager, {.clusters = cluster_loader(with.parts)});
    with.streamer.on_failure = [this](const Failure& failure) { failures.push_back(failure.to_string()); };
    streamer.emplace(*manager, std::move(with.streamer));
    mesh = streamer->add(manager->load_async<ClusterData>(kPath));
  }
  ~ClusterStreams() override {
    streamer.reset();
    manager.reset();
  }
  // A frame. Checks that what can be drawn covers the strip once.
  void frame(const std::vector<ClusterView>& views) {
    manager->pump({.time = std::chrono::seconds(1)});
    std::vector<ClusterUse> uses;
    uses.reserve(views.size());
    for (const ClusterView& view : views) uses.push_back({mesh, view});
    streamer->update(uses);
    check_changes();
    const ClusterPages* const pages = streamer->pages(mesh);
    if (pages == nullptr) return;
    for (const ClusterView& view : views) {
      select_clusters(*pages, view, selection);
      ASSERT_THAT(columns_of(*pages, selection), Each(1));
    }
  }
  void frames(int count, const std::vector<ClusterView>& views) {
    for (int i = 0; i < count && !HasFatalFailure(); ++i) frame(views);
  }
  // The pages that an engine has after the changes are those of the streamer.
  void check_changes() {
    const ClusterChanges& changes = streamer->changes();
    if (!changes.begun.empty()) engine_pages.clear();
    for (const ClusterPage& page : changes.dropped) ASSERT_EQ(engine_pages.erase(page.page), 1u);
    for (const ClusterPage& page : changes.loaded) ASSERT_TRUE(engine_pages.insert(page.page).second);
    const ClusterPages* const pages = streamer->pages(mesh);
    if (pages == nullptr) return;
    for (std::uint32_t p = 0; p < pages->page_count(); ++p) ASSERT_EQ(pages->has(p), engine_pages.contains(p)) << p;
    ASSERT_TRUE(engine_pages.contains(0));
    ASSERT_EQ(streamer->stats().pages, engine_pages.size());
  }
  std::uint64_t page_bytes() const {
    std::uint64_t size = 0;
    for (const std::uint32_t p : engine_pages) size += streamer->data(mesh)->view.pages()[p].size_bytes;
    return size;
  }
  std::size_t read_count() const {
    std::size_t count = 0;
    for (const ReadRequest& read : files.reads()) count += read.path == kPath && read.size_bytes != 0;
    return count;
  }
  std::uint64_t all_bytes() const {
    const hcluster::View view = hcluster::View::open(file).value();
    std::uint64_t size = 0;
    for (const hcluster::Page& page : view.pages()) size += page.size_bytes;
    return size;
  }

  Files files;
  Bytes file;
  std::optional<ThreadPool> pool;
  std::optional<Manager> manager;
  std::optional<ClusterStreamer> streamer;
  ClusterMesh mesh{};
  ClusterSelection selection;
  std::set<std::uint32_t> engine_pages;
  std::vector<std::string> failures, manager_failures;
};

const ClusterView kEverything{.eye = {512, 1, 1}, .limit = 1e-9f};
ClusterView near_x(float x, float limit = 0.02f) { return {.eye = {x, 1, 3}, .near_distance = 0.1f, .limit = limit}; }

TEST_F(ClusterStreams, a_mesh_is_coarse_at_once_and_fine_when_its_pages_are_there) {
  start();
  EXPECT_EQ(streamer->pages(mesh), nullptr);
  EXPECT_EQ(streamer->data(mesh), nullptr);
  while (streamer->pages(mesh) == nullptr) frame({kEverything});
  EXPECT_THAT(streamer->changes().begun, ElementsAre(mesh));
  EXPECT_EQ(selection.clusters.size(), 1u);
  EXPECT_EQ(streamer->data(mesh)->view.desc().source_triangle_count, 256u * 16);
  frames(200, {kEverything});
  EXPECT_EQ(selection.clusters.size(), 256u);
  EXPECT_EQ(streamer->stats().pages, streamer->pages(mesh)->page_count());
  EXPECT_EQ(streamer->stats().used_bytes, all_bytes());
  EXPECT_EQ(streamer->stats().missing, 0u);
  EXPECT_EQ(streamer->stats().loading, 0u);
  EXPECT_THAT(failures, IsEmpty());
}

TEST_F(ClusterStreams, only_the_head_and_the_pages_of_a_view_are_read) {
  start();
  frames(100, {near_x(0)});
  std::uint64_t read = 0;
  for (const ReadRequest& request : files.reads()) read += request.path == kPath ? request.size_bytes : 0;
  EXPECT_LT(read, file.size() / 2);
  EXPECT_GT(streamer->stats().pages, 4u);
  EXPECT_LT(streamer->stats().pages, streamer->pages(mesh)->page_count() / 2);
  EXPECT_EQ(streamer->stats().requested_pages + 1, streamer->stats().pages);
}

TEST_F(ClusterStreams, the_largest_errors_are_loaded_first) {
  Start with;
  with.streamer.most_loading = 1;
  start(std::move(with));
  while (streamer->pages(mesh) == nullptr) frame({kEverything});
  const ClusterView from = near_x(300, 0.001f);
  int loaded = 0;
  for (int i = 0; i < 60; ++i) {
    frame({from});
    find_wanted_pages(*streamer->pages(mesh), from, selection);
    std::map<std::uint32_t, float> wanted;
    for (const WantedPage& page : selection.wanted) wanted[page.page] = page.times_limit;
    for (const ClusterPage& page : streamer->changes().loaded) {
      ++loaded;
      for (const auto& [other, times_limit] : wanted)
        EXPECT_TRUE(engine_pages.contains(other) || times_limit <= wanted[page.page] * 1.001f);
    }
  }
  EXPECT_GT(loaded, 10);
}

// Far too small a budget: after a while a still camera reads nothing, and the coarse pages stay.
TEST_F(ClusterStreams, a_small_budget_is_kept_without_thrashing) {
  for (const std::uint64_t part : {0u, 3u, 20u, 50u}) {
    SCOPED_TRACE(part);
    Start with;
    with.streamer.budget_bytes = strip_file(with.strip).size() * part / 100;
    const std::uint64_t budget = with.streamer.budget_bytes;
    start(std::move(with));
    for (int i = 0; i < 150; ++i) {
      frame({kEverything, near_x(700)});
      ASSERT_TRUE(engine_pages.size() <= 1 || page_bytes() <= budget);
    }
    const std::size_t reads = read_count();
    const std::set<std::uint32_t> settled = engine_pages;
    frames(50, {kEverything, near_x(700)});
    EXPECT_EQ(read_count(), reads);
    EXPECT_EQ(engine_pages, settled);
    EXPECT_GT(streamer->stats().missing, 0u);
  }
}

// Small moves exchange few pages; without the factor for held pages, pages of equal errors would be exchanged forever.
TEST_F(ClusterStreams, a_camera_that_trembles_reads_little) {
  Start with;
  with.streamer.budget_bytes = strip_file(with.strip).size() / 4;
  start(std::move(with));
  const auto tremble = [&](int i) { return near_x(500 + (i % 2 == 0 ? 4.0f : -4.0f), 1e-5f); };
  for (int i = 0; i < 150; ++i) frame({tremble(i)});
  const std::size_t reads = read_count();
  for (int i = 0; i < 100; ++i) frame({tremble(i)});
  EXPECT_LE(read_count(), reads + 2);
}

TEST_F(ClusterStreams, a_flight_evicts_what_is_behind) {
  Start with;
  with.streamer.budget_bytes = strip_file(with.strip).size() / 5;
  const std::uint64_t budget = with.streamer.budget_bytes;
  start(std::move(with));
  std::size_t dropped = 0;
  for (int i = 0; i < 400; ++i) {
    frame({near_x(static_cast<float>(i) * 2.5f, 0.004f)});
    dropped += streamer->changes().dropped.size();
    ASSERT_LE(streamer->stats().used_bytes, budget);
  }
  EXPECT_GT(dropped, 10u);
  // The end is as fine as if the flight had begun there.
  frames(50, {near_x(1000, 0.004f)});
  const std::size_t at_the_end = selection.clusters.size();
  EXPECT_GT(at_the_end, 8u);
}

TEST_F(ClusterStreams, pages_stay_loaded_until_their_bytes_are_needed) {
  start();
  frames(100, {near_x(0)});
  const std::size_t reads = read_count();
  const std::size_t pages = engine_pages.size();
  frames(10, {});
  EXPECT_EQ(engine_pages.size(), pages);
  frames(10, {near_x(0)});
  EXPECT_EQ(read_count(), reads);
  streamer->set_budget(0);
  frames(2, {near_x(0)});
  EXPECT_THAT(engine_pages, ElementsAre(0u));
  EXPECT_EQ(selection.clusters.size(), 1u);
}

// Every page that is loaded has those that it depends on: what is drawn is never worse than the budget requires.
TEST_F(ClusterStreams, no_page_is_dropped_before_those_that_depend_on_it) {
  Start with;
  with.streamer.budget_bytes = strip_file(with.strip).size() / 6;
  start(std::move(with));
  std::mt19937 random(5);
  std::uniform_real_distribution<float> unit(0, 1);
  for (int i = 0; i < 200; ++i) {
    std::vector<ClusterView> views(random() % 3);
    for (ClusterView& view : views) view = near_x(unit(random) * 1024, std::pow(10.0f, -1 - unit(random) * 4));
    if (i % 17 == 0) streamer->set_budget(random() % strip_file({.clusters = 256}).size());
    frames(static_cast<int>(random() % 4), views);
    const ClusterPages* const pages = streamer->pages(mesh);
    if (pages == nullptr || streamer->stats().loading > 0) continue;
    for (const std::uint32_t p : engine_pages) ASSERT_TRUE(pages->is_usable(p)) << p;
  }
}

TEST_F(ClusterStreams, a_page_of_other_bytes_stays_coarse_and_is_reported_once) {
  start();
  const hcluster::View view = hcluster::View::open(file).value();
  const std::uint32_t bad = 5;
  ByteVector bytes(file.span().begin(), file.span().end());
  bytes[static_cast<std::size_t>(view.page_offset_bytes(bad)) + 9] ^= std::byte{4};
  files.put(kPath, Bytes(bytes));
  frames(200, {kEverything});
  EXPECT_THAT(failures, ElementsAre(HasSubstr("page 5 has other bytes than the table of pages says")));
  EXPECT_THAT(failures[0], HasSubstr("rocks/strip.hcluster"));
  EXPECT_EQ(streamer->stats().failed, 1u);
  EXPECT_FALSE(engine_pages.contains(bad));
  EXPECT_LT(selection.clusters.size(), 256u);
  EXPECT_GT(selection.clusters.size(), 64u);
  // Pages that depend on it are not loaded in vain.
  for (const std::uint32_t p : engine_pages) EXPECT_TRUE(streamer->pages(mesh)->is_usable(p));
  const std::size_t reads = read_count();
  frames(20, {kEverything});
  EXPECT_EQ(read_count(), reads);
}

TEST_F(ClusterStreams, a_read_that_fails_is_retried_as_the_source_says) {
  for (const bool fails_forever : {false, true}) {
    failures.clear();
    manager_failures.clear();
    Start with;
    with.retry = {.retries = 2, .first_delay = std::chrono::milliseconds(0)};
    files.fault = nullptr;
    start(std::move(with));
    const hcluster::View view = hcluster::View::open(file).value();
    const std::uint64_t place = view.page_offset_bytes(7);
    int faults = 0;
    files.fault = [&](const ReadRequest& request) {
      const bool has_page = request.path == kPath && request.size_bytes != kToEnd && request.offset_bytes <= place &&
                            request.offset_bytes + request.size_bytes > place && request.offset_bytes > 0;
      return has_page && (fails_forever || faults++ < 2);
    };
    frames(300, {kEverything});
    if (fails_forever) {
      EXPECT_THAT(failures, ElementsAre(HasSubstr("a fault")));
      EXPECT_THAT(manager_failures, SizeIs(1));
      EXPECT_LT(selection.clusters.size(), 256u);
    } else {
      EXPECT_THAT(failures, IsEmpty());
      EXPECT_EQ(selection.clusters.size(), 256u);
    }
    files.fault = nullptr;
  }
}

TEST_F(ClusterStreams, a_reload_begins_again_with_the_new_file) {
  start();
  frames(10, {kEverything});
  EXPECT_GT(engine_pages.size(), 1u);
  const Bytes other = strip_file({.clusters = 128, .groups_in_page = 2, .shift = 50});
  files.put(kPath, other);
  manager->changed({.written = {kPath}});
  frames(200, {kEverything});
  EXPECT_EQ(streamer->data(mesh)->view.desc().cluster_count, hcluster::View::open(other).value().desc().cluster_count);
  EXPECT_EQ(selection.clusters.size(), 128u);
  EXPECT_EQ(streamer->stats().failed, 0u);
  // A broken file: the old mesh stays.
  files.put(kPath, Bytes(ByteVector(100)));
  manager->changed({.written = {kPath}});
  frames(20, {kEverything});
  EXPECT_EQ(selection.clusters.size(), 128u);
}

TEST_F(ClusterStreams, a_changed_file_is_never_mixed_with_its_pages) {
  start();
  frames(8, {kEverything});
  // Changed without a word: pages that come now are of the new file.
  files.put(kPath, strip_file({.clusters = 256, .groups_in_page = 1, .shift = 9}));
  frames(100, {kEverything});
  EXPECT_GT(failures.size(), 0u);
  EXPECT_EQ(failures.size(), streamer->stats().failed);
  failures.clear();
  manager->changed({.written = {kPath}});
  frames(200, {kEverything});
  EXPECT_EQ(selection.clusters.size(), 256u);
  EXPECT_THAT(failures, IsEmpty());
}

TEST_F(ClusterStreams, instances_share_pages) {
  start();
  frames(150, {near_x(0), near_x(1000)});
  const std::set<std::uint32_t> both = engine_pages;
  EXPECT_EQ(streamer->stats().requested_pages + 1, both.size());
  frames(100, {near_x(0), near_x(0), near_x(1000)});
  EXPECT_EQ(engine_pages, both);
}

TEST_F(ClusterStreams, meshes_share_the_budget) {
  Start with;
  with.streamer.budget_bytes = strip_file(with.strip).size() / 2;
  const std::uint64_t budget = with.streamer.budget_bytes;
  start(std::move(with));
  const ClusterMesh other = streamer->add(manager->load_async<ClusterData>(kOther));
  EXPECT_NE(other, mesh);
  const auto run = [&](const ClusterView& here, const ClusterView& there) {
    const std::vector<ClusterUse> uses{{mesh, here}, {other, there}};
    for (int i = 0; i < 200; ++i) {
      manager->pump({.time = std::chrono::seconds(1)});
      streamer->update(uses);
      ASSERT_LE(streamer->stats().used_bytes, budget);
    }
  };
  const auto detail_of = [&](ClusterMesh which) {
    select_clusters(*streamer->pages(which), kEverything, selection);
    EXPECT_THAT(columns_of(*streamer->pages(which), selection), Each(1));
    return selection.clusters.size();
  };
  // The same clusters at ten times the distance have a tenth of the error.
  const ClusterView far{.eye = {512, 1, 10000}, .limit = 1e-5f}, near{.eye = {512, 1, 1000}, .limit = 1e-5f};
  run(near, far);
  EXPECT_GT(detail_of(mesh), 2 * detail_of(other));
  run(far, near);
  EXPECT_GT(detail_of(other), 2 * detail_of(mesh));
}

TEST_F(ClusterStreams, a_mesh_can_be_removed_and_added_again) {
  start();
  frames(5, {kEverything});
  streamer->remove(mesh);
  EXPECT_EQ(streamer->stats().used_bytes, 0u);
  EXPECT_EQ(streamer->stats().pages, 0u);
  EXPECT_EQ(streamer->stats().loading, 0u);
  EXPECT_THAT(streamer->changes().loaded, IsEmpty());
  manager->pump();
  streamer->update({});
  mesh = streamer->add(manager->load_async<ClusterData>(kPath));
  engine_pages.clear();
  frames(200, {kEverything});
  EXPECT_EQ(selection.clusters.size(), 256u);
}

TEST_F(ClusterStreams, pools_count_pages_as_they_store_them) {
  Start with;
  with.streamer.budget_bytes = 10;
  with.streamer.page_bytes = [](const hcluster::View&, std::uint32_t) -> std::uint64_t { return 1; };
  start(std::move(with));
  frames(100, {kEverything});
  EXPECT_EQ(engine_pages.size(), 10u);
}

TEST_F(ClusterStreams, a_settled_update_does_not_allocate) {
  start();
  frames(150, {near_x(0)});
  const std::vector<ClusterUse> uses{{mesh, near_x(0)}};
  streamer->update(uses);
  const std::size_t before = allocations;
  for (int i = 0; i < 10; ++i) streamer->update(uses);
  EXPECT_EQ(allocations, before);
}

TEST_F(ClusterStreams, threads_read_and_decode) {
  Start with;
  with.threads = 2;
  with.streamer.budget_bytes = strip_file(with.strip).size() / 3;
  start(std::move(with));
  for (int i = 0; i < 300; ++i) frame({near_x(static_cast<float>(i) * 3, 0.004f)});
  while (streamer->stats().loading > 0 || streamer->pages(mesh) == nullptr) frame({near_x(900, 0.004f)});
  EXPECT_GT(selection.clusters.size(), 8u);
  EXPECT_THAT(failures, IsEmpty());
}

TEST_F(ClusterStreams, a_streamer_goes_while_pages_load) {
  Start with;
  with.threads = 2;
  start(std::move(with));
  while (streamer->stats().loading == 0) frame({kEverything});
  streamer.reset();
  manager->pump();
}

TEST_F(ClusterStreams, damaged_heads_fail_and_nothing_else_happens) {
  std::mt19937 random(4);
  const Bytes good = strip_file({.clusters = 32});
  constexpr int kHeads = os::kLimitsMemory ? 200 : 60;  // fewer under a sanitizer
  for (int i = 0; i < kHeads; ++i) {
    ByteVector bytes(good.span().begin(), good.span().end());
    if (i % 2 == 0) {
      bytes.resize(random() % good.size());
    } else {
      bytes[random() % 4000] ^= static_cast<std::byte>(1 << random() % 8);
    }
    start();
    files.put(kPath, Bytes(std::move(bytes)));
    for (int f = 0; f < 20; ++f) {
      manager->pump({.time = std::chrono::seconds(1)});
      streamer->update(std::vector<ClusterUse>{{mesh, kEverything}});
    }
  }
}

TEST_F(ClusterStreams, an_hcluster_has_a_type_of_its_own) {
  start();
  const auto found = manager->catalog().find_by_path(kPath);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->type, AssetType::kClusters);
  const AssetRef<MeshData> as_mesh = manager->load<MeshData>(*found);
  ASSERT_NE(as_mesh.failure(), nullptr);
  EXPECT_EQ(as_mesh.failure()->fault, Fault::kWrongType);
}

// Only what is read is limited: a file may be of any size.
TEST_F(ClusterStreams, a_file_may_be_larger_than_the_largest_asset) {
  Start with;
  const Bytes large = strip_file(with.strip);
  const std::uint64_t head_bytes = hcluster::View::open(large).value().page_offset_bytes(0);
  with.max_asset_bytes = large.size() * 2 / 3;
  ASSERT_LT(head_bytes * 4 / 3, with.max_asset_bytes);
  start(with);
  frames(200, {kEverything});
  EXPECT_EQ(selection.clusters.size(), 256u);
  with.max_asset_bytes = head_bytes / 2;
  start(std::move(with));
  const AssetRef<ClusterData> ref = manager->load<ClusterData>(std::string_view(kPath));
  ASSERT_NE(ref.failure(), nullptr);
  EXPECT_EQ(ref.failure()->fault, Fault::kLimit);
}

TEST_F(ClusterStreams, the_fallback_is_a_closed_cube) {
  start();
  const AssetRef<ClusterData> missing = manager->load<ClusterData>(std::string_view("rocks/gone.hcluster"));
  ASSERT_NE(missing.failure(), nullptr);
  EXPECT_EQ(missing.get(), nullptr);
  const ClusterData* const cube = missing.get_or_fallback();
  ASSERT_NE(cube, nullptr);
  ClusterPages pages(cube->view);
  ASSERT_EQ(cube->pages.size(), 1u);
  ASSERT_TRUE(pages.add(0, cube->pages[0].bytes));
  select_clusters(pages, {.eye = {9, 9, 9}}, selection);
  ASSERT_EQ(selection.clusters.size(), 1u);
  hcluster::PageDecoder decoder(cube->view);
  hcluster::DecodedCluster cluster;
  ASSERT_TRUE(decoder.open(0, pages.bytes(0)));
  ASSERT_TRUE(decoder.next(cluster).value());
  EXPECT_EQ(cluster.triangle_count, 12u);
  // Six times the volume below the triangles, which face outwards.
  float volume = 0;
  for (std::uint32_t t = 0; t < cluster.triangle_count; ++t) {
    std::array<std::array<float, 3>, 3> p{};
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::uint32_t axis = 0; axis < 3; ++axis)
        p[k][axis] = cube->view.channels()[0].value(axis, cluster.vertices.at(axis, cluster.triangles[t][k]));
    }
    volume += p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) + p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
              p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
  }
  EXPECT_FLOAT_EQ(volume, 6);
}

TEST_F(ClusterStreams, a_head_is_found_by_reads_of_any_size) {
  for (const bool is_cooked : {false, true}) {
    for (const std::uint64_t first : {0u, 1u, 31u, 32u, 100u, 1000u, 1u << 20}) {
      Start with;
      with.parts.first_read_bytes = first;
      with.is_cooked = is_cooked;
      start(std::move(with));
      selection.clusters.clear();
      for (int f = 0; f < 150 && selection.clusters.size() < 256; ++f) frame({kEverything});
      EXPECT_EQ(selection.clusters.size(), 256u) << first << " " << is_cooked;
    }
  }
}

TEST_F(ClusterStreams, clusters_of_a_cook_bring_their_materials) {
  Start with;
  with.is_cooked = true;
  start(std::move(with));
  frames(20, {kEverything});
  const ClusterData* const data = streamer->data(mesh);
  ASSERT_NE(data, nullptr);
  ASSERT_THAT(data->materials, SizeIs(1));
  EXPECT_EQ(data->materials[0].uuid, uuid(2));
  EXPECT_TRUE(manager->load_async<MaterialData>("rocks/stone").is_ready()) << "loaded before the clusters";
}

}  // namespace
}  // namespace assetc::runtime
