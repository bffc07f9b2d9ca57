// Flies over an .hcluster while its pages are streamed, at 60 frames a second, and prints what was read, whether the
// mesh had holes, and the time that update() and select_clusters() took in a frame.
//
//   cluster_fly_bench FILE.hcluster [BUDGET_MIB...]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "assetc/runtime/cluster_streamer.hpp"
#include "assetc/runtime/clusters.hpp"
#include "assetc/runtime/jobs.hpp"
#include "assetc/runtime/source.hpp"

namespace {

using namespace assetc;
using Clock = std::chrono::steady_clock;
using Point = std::array<float, 3>;

constexpr int kFrames = 1000, kLegs = 20;
constexpr float kYFov = 1.0f, kHeight = 1080, kAspect = 16.0f / 9;

// Of this thread: without the time in which others had its core.
double processor_ms() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// Passes close above clusters of the source, with straight legs between them.
class Flight {
 public:
  explicit Flight(const hcluster::View& mesh) : radius_(mesh.bounds().sphere_radius) {
    std::vector<const hcluster::Group*> fine;
    for (const hcluster::Group& group : mesh.groups()) {
      if (group.level == 0) fine.push_back(&group);
    }
    const Point center = {mesh.bounds().sphere_center[0], mesh.bounds().sphere_center[1],
                          mesh.bounds().sphere_center[2]};
    for (int leg = 0; leg <= kLegs; ++leg) {
      const auto at = static_cast<std::size_t>(leg) * 7919 % fine.size();
      Point p{};
      float length = 0;
      for (std::size_t k = 0; k < 3; ++k) length += std::pow(fine[at]->center[k] - center[k], 2.0f);
      for (std::size_t k = 0; k < 3; ++k)
        p[k] = fine[at]->center[k] + (fine[at]->center[k] - center[k]) / std::sqrt(length) * 0.03f * radius_;
      stops_.push_back(p);
    }
  }
  Point eye(int frame) const {
    const float at = static_cast<float>(frame) / kFrames * kLegs;
    const auto leg = static_cast<std::size_t>(at);
    const float part = at - static_cast<float>(leg), s = part * part * (3 - 2 * part);
    Point p;
    for (std::size_t k = 0; k < 3; ++k) p[k] = stops_[leg][k] + (stops_[leg + 1][k] - stops_[leg][k]) * s;
    return p;
  }
  // The four sides of what is seen in the direction of the flight.
  std::vector<std::array<float, 4>> planes(int frame) const {
    const auto at = static_cast<std::size_t>(static_cast<float>(frame) / kFrames * kLegs);
    const auto unit = [](Point v) {
      const float length = std::max(std::hypot(v[0], v[1], v[2]), 1e-20f);
      return Point{v[0] / length, v[1] / length, v[2] / length};
    };
    const auto cross = [](const Point& a, const Point& b) {
      return Point{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    };
    const Point forward =
        unit({stops_[at + 1][0] - stops_[at][0], stops_[at + 1][1] - stops_[at][1], stops_[at + 1][2] - stops_[at][2]});
    const Point right = unit(cross(forward, std::fabs(forward[1]) > 0.9f ? Point{1, 0, 0} : Point{0, 1, 0}));
    const Point up = cross(right, forward), here = eye(frame);
    const float high = std::tan(kYFov / 2), wide = high * kAspect;
    std::vector<std::array<float, 4>> out;
    for (const auto& [side, tangent] : {std::pair{right, wide}, std::pair{up, high}}) {
      for (const float sign : {1.0f, -1.0f}) {
        const Point n = unit({forward[0] * tangent + side[0] * sign, forward[1] * tangent + side[1] * sign,
                              forward[2] * tangent + side[2] * sign});
        out.push_back({n[0], n[1], n[2], -(n[0] * here[0] + n[1] * here[1] + n[2] * here[2])});
      }
    }
    return out;
  }

 private:
  float radius_;
  std::vector<Point> stops_;
};

// Counts how often clusters of the source are covered, on any way to the root.
class Cover {
 public:
  explicit Cover(const hcluster::View& mesh) : mesh_(mesh), in_selection_(mesh.desc().cluster_count) {
    std::uint32_t first = 0;
    for (std::uint32_t p = 0; p < mesh.pages().size(); ++p) {
      const auto page = hcluster::open_page(mesh, p, mesh.page(p));
      if (!page) std::abort();
      first_.push_back(first);
      records_.push_back(*page);
      first += static_cast<std::uint32_t>(page->size());
    }
  }
  void count(const runtime::ClusterSelection& selection, std::size_t& holes, std::size_t& twice) {
    std::ranges::fill(in_selection_, 0);
    for (const runtime::SelectedCluster& c : selection.clusters) ++in_selection_[first_[c.page] + c.cluster];
    std::vector<std::array<int, 2>> above(mesh_.groups().size(), {1 << 20, 0});  // least and most
    for (std::uint32_t g = 0; g < mesh_.groups().size(); ++g) {
      if (std::isinf(mesh_.groups()[g].error)) above[g] = {0, 0};
    }
    // Coarse groups come first.
    for (std::uint32_t g = 0; g < mesh_.groups().size(); ++g) {
      const hcluster::Group& group = mesh_.groups()[g];
      for (std::uint32_t c = group.first_cluster; c < std::uint32_t{group.first_cluster} + group.cluster_count; ++c) {
        const int here = in_selection_[first_[group.page] + c], least = above[g][0] + here, most = above[g][1] + here;
        const std::uint32_t refined = records_[group.page][c].refined();
        if (refined == hcluster::kNone) {
          holes += least == 0 ? 1 : 0;
          twice += most > 1 ? 1 : 0;
        } else {
          above[refined] = {std::min(above[refined][0], least), std::max(above[refined][1], most)};
        }
      }
    }
  }

 private:
  const hcluster::View& mesh_;
  std::vector<std::uint32_t> first_;
  std::vector<std::span<const hcluster::ClusterRecord>> records_;
  std::vector<int> in_selection_;
};

void fly(const std::filesystem::path& file, const hcluster::View& whole, std::uint64_t budget_bytes) {
  runtime::Catalog catalog;
  const std::string name = file.filename().string();
  std::string folder = file.parent_path().string();
  if (!folder.empty()) folder += '/';
  if (!catalog.mount(runtime::make_file_source(folder), runtime::Layout::kTree, "", {.files = {name}})) std::abort();
  runtime::ThreadPool pool(2);
  runtime::Manager manager(catalog, {.jobs = pool.jobs()});
  runtime::add_loaders(manager);
  runtime::ClusterStreamer streamer(manager, {.budget_bytes = budget_bytes});
  const auto ref = manager.load<runtime::ClusterData>(name);
  if (!ref.is_ready()) std::abort();
  const runtime::ClusterMesh mesh = streamer.add(ref);

  const Flight flight(whole);
  Cover cover(whole);
  runtime::ClusterSelection seen, all;
  std::vector<int> loads(whole.pages().size());
  std::vector<double> times, processor_times;
  std::size_t holes = 0, twice = 0, complete = 0, clusters = 0, evicted = 0;
  auto next = Clock::now();
  for (int frame = 0; frame < kFrames; ++frame, next += std::chrono::microseconds(16667)) {
    std::this_thread::sleep_until(next);
    const auto planes = flight.planes(frame);
    runtime::ClusterView view{.eye = flight.eye(frame),
                              .near_distance = whole.bounds().sphere_radius * 1e-4f,
                              .limit = runtime::error_limit(kYFov, kHeight)};
    const auto start = Clock::now();
    const double start_ms = processor_ms();
    manager.pump();
    // Pages are loaded in all directions, because turning is faster than reading.
    const runtime::ClusterUse use{mesh, view};
    streamer.update({&use, 1});
    view.planes = planes;
    view.culls_facing_away = true;
    select_clusters(*streamer.pages(mesh), view, seen);
    processor_times.push_back(processor_ms() - start_ms);
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());

    select_clusters(*streamer.pages(mesh), use.view, all);
    cover.count(all, holes, twice);
    clusters += seen.clusters.size();
    for (const runtime::ClusterPage& page : streamer.changes().loaded) ++loads[page.page];
    evicted += streamer.changes().dropped.size();
    const runtime::ClusterStreamerStats stats = streamer.stats();
    complete += stats.missing + stats.loading == 0 ? 1 : 0;
  }
  const runtime::ClusterStreamerStats stats = streamer.stats();
  std::printf("budget %llu MiB, %d frames: %zu holes, %zu covered twice; %zu clusters drawn in a frame\n",
              static_cast<unsigned long long>(budget_bytes >> 20), kFrames, holes, twice, clusters / kFrames);
  std::printf(
      "  %llu pages requested, %.1f MB; %zu evicted; %td read twice or more; all pages there in %.1f %% of frames\n",
      static_cast<unsigned long long>(stats.requested_pages), static_cast<double>(stats.requested_bytes) / 1e6, evicted,
      std::ranges::count_if(loads, [](int n) { return n > 1; }), 100.0 * complete / kFrames);
  for (const auto& [what, list] : {std::pair{"wall", &times}, std::pair{"processor", &processor_times}}) {
    std::ranges::sort(*list);
    std::printf("  pump, update and select, %s time: median %.3f ms, 99th percentile %.3f ms, worst %.3f ms\n", what,
                (*list)[list->size() / 2], (*list)[list->size() * 99 / 100], list->back());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "cluster_fly_bench FILE.hcluster [BUDGET_MIB...]\n"), 2;
  std::ifstream in(argv[1], std::ios::binary);
  const std::vector<char> text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto view = hcluster::View::open(std::as_bytes(std::span(text)));
  if (!view) return std::fprintf(stderr, "%s\n", view.error().what.c_str()), 1;
  std::printf("%zu bytes, %llu triangles of the source, %u clusters, %zu pages\n", text.size(),
              static_cast<unsigned long long>(view->desc().source_triangle_count), view->desc().cluster_count,
              view->pages().size());
  std::vector<std::uint64_t> budgets;
  for (int i = 2; i < argc; ++i) budgets.push_back(std::strtoull(argv[i], nullptr, 10) << 20);
  if (budgets.empty()) budgets = {64u << 20, 8u << 20};
  for (const std::uint64_t budget : budgets) fly(argv[1], *view, budget);
  return 0;
}
