// Simulates how far shards scale: runs the engine's division of work on recorded costs, without the work.
//
//   assetc --no-cache -j1 --report report.json    in a project
//   bench_scale report.json INPUT [sources, 100000]
//
// Two projects are made of the recorded costs. "copies" repeats the sources of INPUT up to the given count. In "skewed"
// each copy takes longer by its own factor (Pareto distribution with a tail of 1.1, at most a thousand), and two
// sources are added: a texture of 16K that takes a minute and a mesh of 30 million triangles that takes a minute and a
// half. A shard is one core. For each count of shards the table shows, once divided by the recorded costs (--costs) and
// once by the recipes' guesses: the speed-up, the speed-up as a fraction of the count, and the share of sources that
// move to another shard when one shard is added.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "engine/plan/recorded_costs.hpp"
#include "engine/plan/share.hpp"

namespace {

namespace fs = std::filesystem;
using namespace assetc;

struct Source {
  std::string name;
  std::uint64_t recorded_ns, guessed_ns;
};
using Project = std::vector<Source>;

std::uint64_t bytes_of(const fs::path& path) {
  if (!fs::is_directory(path)) return fs::file_size(path);
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(path))
    bytes += entry.is_regular_file() ? entry.file_size() : 0;
  return bytes;
}

Project recorded_project(const fs::path& report, const fs::path& input) {
  std::ifstream file(report, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto costs = engine::parse_costs(as_bytes(text));
  if (!costs) {
    std::fprintf(stderr, "%s: %s\n", report.c_str(), costs.error().to_string().c_str());
    std::exit(2);
  }
  Project project;
  for (const auto& [path, ns] : *costs) {
    const auto recipe = std::ranges::find_if(recipes::all_recipes(), [&](const recipes::Recipe* one) {
      const auto claims = [&](const recipes::Claim& claim) { return path.ends_with(claim.suffix); };
      return std::ranges::any_of(one->claims, claims);
    });
    if (recipe == recipes::all_recipes().end() || !fs::exists(input / path)) continue;
    project.push_back({path, ns, engine::estimated_ns(**recipe, path, bytes_of(input / path), {})});
  }
  return project;
}

Project copies(const Project& of, std::size_t count, bool skewed) {
  Project project;
  std::uint64_t random = 1;
  for (std::size_t i = 0; i < count; ++i) {
    Source source = of[i % of.size()];
    source.name = std::to_string(i / of.size()) + "/" + source.name;
    if (skewed) {
      random = random * 6364136223846793005ull + 1442695040888963407ull;
      const double uniform = (static_cast<double>(random >> 40) + 1) / (1 << 24);
      const double factor = std::min(1000.0, std::pow(uniform, -1 / 1.1));
      source.recorded_ns = static_cast<std::uint64_t>(static_cast<double>(source.recorded_ns) * factor);
      source.guessed_ns = static_cast<std::uint64_t>(static_cast<double>(source.guessed_ns) * factor);
    }
    project.push_back(std::move(source));
  }
  if (skewed) {
    project.push_back({"huge/texture_16k.png", 60'000'000'000, 45'000'000'000});
    project.push_back({"huge/mesh_30m.glb", 90'000'000'000, 150'000'000'000});
  }
  return project;
}

struct Division {
  std::vector<std::uint32_t> shard_of;
  double speed_up = 0;
  double seconds = 0;
};

Division divide(const Project& project, std::uint32_t shards, std::uint64_t Source::* cost) {
  std::vector<engine::WorkUnit> units;
  units.reserve(project.size());
  for (const Source& source : project) units.push_back({source.name, source.*cost});
  const auto start = std::chrono::steady_clock::now();
  Division division{engine::partition(units, shards)};
  division.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::vector<std::uint64_t> loads(shards);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < project.size(); ++i) {
    loads[division.shard_of[i]] += project[i].recorded_ns;
    total += project[i].recorded_ns;
  }
  division.speed_up = static_cast<double>(total) / static_cast<double>(std::ranges::max(loads));
  return division;
}

double moved(const Division& a, const Division& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.shard_of.size(); ++i) count += a.shard_of[i] != b.shard_of[i] ? 1 : 0;
  return static_cast<double>(count) / static_cast<double>(a.shard_of.size());
}

// "least of N" is the lowest speed-up per shard, over the counts of shards that the longest source does not limit.
void print(const char* name, const Project& project) {
  std::uint64_t total = 0, longest = 0;
  for (const Source& source : project) {
    total += source.recorded_ns;
    longest = std::max(longest, source.recorded_ns);
  }
  const double bound = static_cast<double>(total) / static_cast<double>(longest);
  std::printf("\n%s: %zu sources, %.0f s on one core, the longest %.3f s: no more than %.0f times as fast\n", name,
              project.size(), static_cast<double>(total) * 1e-9, static_cast<double>(longest) * 1e-9, bound);
  std::printf("%7s | %9s %6s %6s | %9s %6s | %8s\n", "shards", "recorded", "of N", "moved", "guessed", "of N",
              "dividing");
  double least = 1;
  for (const std::uint32_t shards : {1u, 2u, 3u, 4u, 8u, 16u, 32u, 64u, 128u, 256u, 512u, 768u, 1024u}) {
    const Division recorded = divide(project, shards, &Source::recorded_ns);
    const Division guessed = divide(project, shards, &Source::guessed_ns);
    const Division next = divide(project, shards + 1, &Source::recorded_ns);
    std::printf("%7u | %9.1f %6.2f %5.1f%% | %9.1f %6.2f | %5.0f ms\n", shards, recorded.speed_up,
                recorded.speed_up / shards, moved(recorded, next) * 100, guessed.speed_up, guessed.speed_up / shards,
                recorded.seconds * 1e3);
    if (shards <= bound) least = std::min(least, recorded.speed_up / shards);
  }
  std::printf("least of N up to the bound: %.2f\n", least);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "bench_scale REPORT INPUT [SOURCES]\n");
    return 2;
  }
  const Project project = recorded_project(argv[1], argv[2]);
  if (project.empty()) {
    std::fprintf(stderr, "%s has no costs of sources in %s\n", argv[1], argv[2]);
    return 2;
  }
  const std::size_t count = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 100'000;
  print("copies", copies(project, count, false));
  print("skewed", copies(project, count, true));
}
