// Measures a build after which nothing, or one file, changed, beside find(1) over the same tree.
//
//   bench_noop [sources, 100000] [folder]
//   bench_noop 0 folder                    one build of the existing tree, in this process: for profilers
//
// Makes a tree of small sources of a toy kind, so that the engine is measured and not an encoder, and builds it. Then
// find and no-op builds run in turn, each in its own process: wall time, CPU time and peak memory, the least of the
// runs. find only prints the size and time of each file, so it is a lower bound on this machine.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "engine/run/session.hpp"

namespace {

namespace fs = std::filesystem;
using namespace assetc;

constexpr int kRuns = 7;
constexpr int kFilesAFolder = 500;

Result<recipes::Product> cook(const recipes::Step& step, recipes::Inputs& inputs) {
  ASSETC_TRY(const Bytes input, step.input(inputs));
  recipes::Product product;
  product.outputs.push_back({".ktx2", input, {recipes::AssetKind::kTexture, true}});
  return product;
}
constexpr std::array kClaims{recipes::Claim{".png", false, ".png", {}, {}}};
constexpr std::array<std::string_view, 1> kGroups{"texture"};
const recipes::Recipe kToy{"toy",
                           1,
                           kClaims,
                           kGroups,
                           false,
                           cook,
                           [](const recipes::Step&, recipes::Inputs&) -> std::uint64_t { return 4096; }};
constexpr std::array<const recipes::Recipe*, 1> kToys{&kToy};

void make_tree(const fs::path& root, int count) {
  for (int i = 0; i < count; ++i) {
    const fs::path folder =
        root / ("level_" + std::to_string(i / kFilesAFolder / 20)) / ("set_" + std::to_string(i / kFilesAFolder));
    if (i % kFilesAFolder == 0) fs::create_directories(folder);
    std::ofstream(folder / ("texture_" + std::to_string(i) + ".png")) << "\x89PNG\r\n\x1a\n picture " << i;
  }
}

int build_once(const fs::path& root, bool expect_noop) {
  engine::BuildRequest request;
  request.recipes = kToys;
  engine::Profile profile;
  profile.input = (root / "assets").string();
  profile.output = (root / "runtime").string();
  const auto disk = engine::make_real_disk();
  const auto report = engine::build(request, {.disk = *disk}, profile);
  if (!report || !report->ok) {
    std::fprintf(stderr, "the build failed: %s\n", report ? "see the report" : report.error().to_string().c_str());
    return 1;
  }
  return expect_noop && report->totals.ran != 0 ? 2 : 0;
}

struct Cost {
  double wall_s = 1e9;
  double cpu_s = 1e9;
  long peak_kib = 0;
  void take_least(const Cost& other) {
    wall_s = std::min(wall_s, other.wall_s);
    cpu_s = std::min(cpu_s, other.cpu_s);
    peak_kib = std::max(peak_kib, other.peak_kib);
  }
};

// Runs in its own process, so that its memory is measured alone.
Cost measure(const std::function<int()>& work) {
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) std::exit(1);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss};
}

void print(const char* name, const Cost& cost) {
  std::printf("%-28s %8.3f s wall %8.3f s cpu %8.1f MiB\n", name, cost.wall_s, cost.cpu_s,
              static_cast<double>(cost.peak_kib) / 1024);
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 100'000;
  const fs::path root =
      argc > 2 ? fs::path(argv[2]) : fs::temp_directory_path() / ("assetc-noop-" + std::to_string(::getpid()));
  if (count == 0) return build_once(root, false);
  make_tree(root / "assets", count);
  const std::string find = "exec find '" + (root / "assets").string() + "' -type f -printf '%s %T@\\n' > /dev/null";

  print("first build", measure([&] { return build_once(root, false); }));
  Cost found, noop, checked, edited;
  for (int run = 0; run < kRuns; ++run) {
    found.take_least(measure([&] { return ::execl("/bin/sh", "sh", "-c", find.c_str(), nullptr); }));
    noop.take_least(measure([&] { return build_once(root, true); }));
  }
  for (int run = 0; run < 3; ++run) {
    const fs::path one = root / "assets/level_0/set_0/texture_0.png";
    fs::last_write_time(one, fs::file_time_type::clock::now());
    checked.take_least(measure([&] { return build_once(root, true); }));
    std::ofstream(one) << "edit " << run;
    edited.take_least(measure([&] { return build_once(root, false); }));
  }
  print("find", found);
  print("nothing changed", noop);
  print("one file touched", checked);
  print("one file changed", edited);
  std::printf("nothing changed / find: %.2f wall, %.2f cpu\n", noop.wall_s / found.wall_s, noop.cpu_s / found.cpu_s);
  std::printf("one file changed / nothing changed: %.2f wall, %.2f cpu\n", edited.wall_s / noop.wall_s,
              edited.cpu_s / noop.cpu_s);
  if (argc <= 2) fs::remove_all(root);
}
