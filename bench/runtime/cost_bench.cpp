// Measures what the manager costs for each asset, beside reading the same bytes with `cat`.
//
//   cost_bench [small assets, 12000] [folder]
//
// Small assets have 256 to 1280 bytes, large ones 1 MiB. Each set is read as a folder of files and as a pack, with a
// warm page cache. The peers read the same files: the program `cat`, started once with all paths, its output to
// /dev/null; and read() in this process into a buffer that is used again, which is the least that any program needs.
// The manager: preload, then wait() until all assets are ready. The waiting thread works too, beside one decoding
// thread for each further core. The least of nine runs counts, without mounting and destruction. Allocations are calls
// of operator new between preload and the end. Then the group is destroyed, and pump() called until it has released all
// assets.
#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "assetc/formats/hman.hpp"
#include "assetc/formats/hpack.hpp"
#include "assetc/runtime/assets.hpp"
#include "bench/measure.hpp"

namespace {

using namespace assetc;
using namespace assetc::runtime;
using bench::seconds_of;

constexpr int kRuns = 9;

void require(bool holds, const char* what) {
  if (holds) return;
  fmt::print(stderr, "cost_bench: {}\n", what);
  std::exit(1);
}

std::string path_of(std::size_t i) { return fmt::format("level_{}/props/file_{}.bin", i / 1000, i); }

void write_file(const std::filesystem::path& path, ByteSpan bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  require(out.good(), "cannot write in the folder");
}

std::uint64_t cat(const std::string& path, std::vector<char>& piece) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  require(file >= 0, "cannot open a file");
  std::uint64_t total = 0;
  for (ssize_t got = 0; (got = read(file, piece.data(), piece.size())) > 0;) total += static_cast<std::uint64_t>(got);
  close(file);
  return total;
}

// The program, with its output to /dev/null.
void run_cat(std::vector<std::string> paths) {
  paths.insert(paths.begin(), "cat");
  std::vector<char*> arguments;
  arguments.reserve(paths.size() + 1);
  for (std::string& path : paths) arguments.push_back(path.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  require(posix_spawnp(&child, "cat", &actions, nullptr, arguments.data(), environ) == 0, "cannot start cat");
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  require(waitpid(child, &status, 0) == child && status == 0, "cat fails");
}

struct Cost {
  double preload_seconds = 1e9, seconds = 1e9;
  double drop_seconds = 1e9, pump_seconds = 1e9;  // destroying the group, and the longest pump after it
  double allocations = 0;
};

Cost load_all(const std::string& mount, std::size_t count) {
  Cost best;
  for (int run = 0; run < kRuns; ++run) {
    Catalog catalog;
    require(catalog.mount(mount).has_value(), "the mount fails");
    std::vector<AssetHandle> wanted;
    wanted.reserve(count);
    for (std::size_t i = 0; i < count; ++i) wanted.push_back(*catalog.find(hash_embed_ref(path_of(i))));
    ThreadPool pool(std::max(1u, std::thread::hardware_concurrency() - 1));
    Manager manager(catalog, {.jobs = pool.jobs()});
    manager.add(AssetType::kRaw, raw_loader());
    const std::size_t before = bench::allocations;
    Group group;
    double preload = 0;
    const double all = seconds_of([&] {
      preload = seconds_of([&] { group = manager.preload(wanted); });
      manager.wait(group);
    });
    best.allocations = static_cast<double>(bench::allocations - before) / static_cast<double>(count);
    best.preload_seconds = std::min(best.preload_seconds, preload);
    best.seconds = std::min(best.seconds, all);
    require(group.progress().ready == count, "an asset failed");
    best.drop_seconds = std::min(best.drop_seconds, seconds_of([&] { group = {}; }));
    double longest = 0;
    while (manager.stats().cached < count) longest = std::max(longest, seconds_of([&] { manager.pump({}); }));
    best.pump_seconds = std::min(best.pump_seconds, longest);
  }
  return best;
}

void measure(const char* what, std::size_t count, std::size_t least_bytes, std::size_t most_bytes,
             const std::string& folder) {
  std::mt19937 random(3);
  std::vector<hpack::File> files;
  for (std::size_t i = 0; i < count; ++i) {
    ByteVector bytes(least_bytes + (most_bytes > least_bytes ? random() % (most_bytes - least_bytes) : 0));
    for (std::size_t at = 0; at < bytes.size(); at += 16) bytes[at] = static_cast<std::byte>(random());
    files.push_back({path_of(i), Bytes(std::move(bytes))});
  }
  const std::string tree = folder + "/tree", pack = folder + "/all.hpack";
  for (const hpack::File& file : files) write_file(std::filesystem::path(tree) / file.path, file.bytes);
  write_file(std::filesystem::path(tree) / "assets.hman", hman::write({}).value());
  const auto packed = hpack::write(files);
  require(packed.has_value(), "the pack does not write");
  write_file(pack, *packed);
  files.clear();

  std::vector<char> piece(1u << 20);
  std::uint64_t total = 0;
  const double cat_tree = bench::least(kRuns, [&] {
    total = 0;
    for (std::size_t i = 0; i < count; ++i) total += cat(tree + "/" + path_of(i), piece);
  });
  const double cat_pack = bench::least(kRuns, [&] { cat(pack, piece); });
  std::vector<std::string> paths;
  paths.reserve(count);
  for (std::size_t i = 0; i < count; ++i) paths.push_back(tree + "/" + path_of(i));
  const double program_tree = bench::least(kRuns, [&] { run_cat(paths); });
  const double program_pack = bench::least(kRuns, [&] { run_cat({pack}); });
  fmt::print("{} {} assets, {:.1f} MB\n", count, what, static_cast<double>(total) / 1e6);
  struct Row {
    const char* name;
    const std::string& mount;
    double by_program, by_reads;
  };
  for (const auto& [name, mount, by_program, by_reads] :
       {Row{"tree", tree, program_tree, cat_tree}, Row{"pack", pack, program_pack, cat_pack}}) {
    const Cost cost = load_all(mount, count);
    fmt::print("  {}: {:.2f} ms; cat {:.2f} ms, ratio {:.2f}; read() {:.2f} ms, ratio {:.2f}\n", name,
               cost.seconds * 1e3, by_program * 1e3, cost.seconds / by_program, by_reads * 1e3,
               cost.seconds / by_reads);
    fmt::print(
        "        preload {:.3f} ms; {:.1f} allocations an asset; drop {:.3f} ms, then pumps of at most {:.3f} ms\n",
        cost.preload_seconds * 1e3, cost.allocations, cost.drop_seconds * 1e3, cost.pump_seconds * 1e3);
  }
  std::filesystem::remove_all(tree);
  std::filesystem::remove(pack);
}

}  // namespace

int main(int argc, char** argv) {
  const auto count = static_cast<std::size_t>(argc > 1 ? std::atoi(argv[1]) : 12'000);
  const std::string folder =
      (argc > 2 ? std::filesystem::path(argv[2]) : std::filesystem::temp_directory_path() / "assetc_cost_bench")
          .string();
  measure("small", count, 256, 1280, folder);
  measure("large", 200, 1u << 20, 1u << 20, folder);
  return 0;
}
