// Measures finding and loading assets in an engine.
//
//   runtime_bench [entries, 100000] [folder]
//
// Mounts a pack of that many small files and resolves 1,000,000 random hashes, beside std::lower_bound in a sorted
// array of the same hashes without any data to read after it. Then 10,000 of the files are loaded in the background
// while a loop of 60 Hz pumps 2 ms in each frame, repeated until there were 2,000 pumps. Measured: how long each pump
// took, and the latency of one asset of high priority that was requested after all others. Between two loads, as many
// frames only look at the clock for 2 ms: what they take longer is due to the machine. Lookup times are the least of
// three runs; allocations are counted over all of them.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "assetc/formats/hpack.hpp"
#include "assetc/runtime/assets.hpp"
#include "bench/measure.hpp"

namespace {

using namespace assetc;
using bench::allocations;
using bench::least;
using bench::seconds_of;
using namespace assetc::runtime;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kPumps = 2000;
constexpr std::chrono::microseconds kPumpTime{2000};
constexpr std::chrono::microseconds kFrame{16'667};
constexpr std::uint64_t kInFlightBytes = 16u << 20;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }
// Processor time of this thread, which does not depend on the load of the machine.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}
double percentile(std::vector<double> values, double fraction) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(fraction * static_cast<double>(values.size() - 1))];
}
void require(bool holds, const char* what) {
  if (holds) return;
  fmt::print(stderr, "runtime_bench: {}\n", what);
  std::exit(1);
}

std::string path_of(std::size_t i) { return fmt::format("level_{}/props/file_{}.bin", i / 1000, i); }

void look_up(const std::string& pack, std::size_t count) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(count);
  for (std::size_t i = 0; i < count; ++i) hashes.push_back(hash_embed_ref(path_of(i)));
  std::vector<std::uint64_t> sorted = hashes;
  std::ranges::sort(sorted);
  std::mt19937_64 random(7);
  std::vector<std::uint64_t> order(1'000'000);
  for (std::uint64_t& hash : order) hash = hashes[random() % count];

  const double mounted = least(3, [&] {
    Catalog catalog;
    require(catalog.mount(pack).has_value(), "the pack does not mount");
  });
  Catalog catalog;
  require(catalog.mount(pack).has_value(), "the pack does not mount");
  std::size_t sum = 0;
  const double array = least(3, [&] {
    for (const std::uint64_t hash : order)
      sum += static_cast<std::size_t>(std::ranges::lower_bound(sorted, hash) - sorted.begin());
  });
  const std::size_t before = allocations;
  const double found = least(3, [&] {
    for (const std::uint64_t hash : order) {
      const auto asset = catalog.find(hash);
      require(asset && asset->path_hash == hash, "wrong answer");
    }
  });
  const double located = least(3, [&] {
    for (const std::uint64_t hash : order) {
      const AssetHandle asset{.path_hash = hash};
      require(catalog.locate(asset).mount != nullptr, "wrong answer");
    }
  });
  const auto each = [&](double seconds) { return seconds / static_cast<double>(order.size()) * 1e9; };
  fmt::print("mount of {} entries       {:.1f} ms\n", count, mounted * 1e3);
  fmt::print("lower_bound in an array     {:.1f} ns a lookup (checksum {})\n", each(array), sum % 10);
  fmt::print("find: a handle and its type {:.1f} ns, {:.2f} of the array\n", each(found), found / array);
  fmt::print("locate: where its bytes lie {:.1f} ns, {:.2f} of the array\n", each(located), located / array);
  fmt::print("allocations in 6,000,000    {}\n\n", allocations - before);
}

struct Loads {
  std::vector<double> pumps, processor, idle, urgent, whole;  // seconds
  std::uint64_t peak_in_flight_bytes = 0, reads = 0;
};

// Loads all assets once, with its own manager.
void load_once(const Catalog& catalog, const std::vector<AssetHandle>& wanted, const AssetHandle& last, Loads& to) {
  ThreadPool pool(std::max(1u, std::thread::hardware_concurrency() - 1));
  Manager manager(catalog, {.jobs = pool.jobs(), .in_flight_bytes = kInFlightBytes});
  Loader<RawData> loader = raw_loader();
  // Stands for an upload: a copy.
  std::vector<std::byte> device(1u << 20);
  loader.finalize = [&](RawData& raw, const AssetDesc&) -> Result<GpuObject> {
    std::copy_n(raw.bytes.data(), std::min(raw.bytes.size(), device.size()), device.data());
    return GpuObject{1, raw.bytes.size()};
  };
  manager.add(AssetType::kRaw, loader);
  const auto start = Clock::now();
  const Group group = manager.preload(wanted);
  const auto urgent_start = Clock::now();
  const AssetRef<RawData> urgent = manager.load_async<RawData>(last, 10);
  double urgent_seconds = 0;
  auto next = Clock::now();
  while (!group.progress().is_done() || urgent_seconds == 0) {
    const double before = processor_seconds();
    to.pumps.push_back(seconds_of([&] { manager.pump({.time = kPumpTime}); }));
    to.processor.push_back(processor_seconds() - before);
    if (urgent_seconds == 0 && urgent.is_ready()) urgent_seconds = seconds_since(urgent_start);
    next += kFrame;
    std::this_thread::sleep_until(next);
  }
  require(group.progress().ready == wanted.size(), "not all were loaded");
  to.whole.push_back(seconds_since(start));
  to.urgent.push_back(urgent_seconds);
  const ManagerStats stats = manager.stats();
  to.peak_in_flight_bytes = std::max(to.peak_in_flight_bytes, stats.peak_in_flight_bytes);
  to.reads = stats.reads;
}

// Frames without a loader, until there were as many as with one.
void idle(Loads& to) {
  auto next = Clock::now();
  while (to.idle.size() < to.pumps.size()) {
    to.idle.push_back(seconds_of([] {
      const auto start = Clock::now();
      while (Clock::now() - start < kPumpTime) continue;
    }));
    next += kFrame;
    std::this_thread::sleep_until(next);
  }
}

void load(const std::string& pack, std::size_t count) {
  Catalog catalog;
  require(catalog.mount(pack).has_value(), "the pack does not mount");
  std::vector<AssetHandle> wanted;
  const std::size_t loaded = std::min<std::size_t>(count, 10'000);
  wanted.reserve(loaded);
  for (std::size_t i = 0; i < loaded; ++i) wanted.push_back(*catalog.find(hash_embed_ref(path_of(i * 7919 % count))));
  const AssetHandle last = *catalog.find(hash_embed_ref(path_of(count - 1)));
  Loads loads;
  while (loads.pumps.size() < kPumps) {
    load_once(catalog, wanted, last, loads);
    idle(loads);
  }
  fmt::print("{} assets in {:.2f} s of 60 Hz frames; {} reads; the median of {}\n", loaded,
             percentile(loads.whole, 0.5), loads.reads, loads.whole.size());
  for (const auto& [what, times] : {std::pair("pump of 2 ms, by the clock", &loads.pumps),
                                    std::pair("pump of 2 ms, of processor time", &loads.processor),
                                    std::pair("2 ms without a loader, by the clock", &loads.idle)})
    fmt::print("{}: median {:.3f} ms, p99.9 {:.3f} ms, longest {:.3f} ms, of {}\n", what, percentile(*times, 0.5) * 1e3,
               percentile(*times, 0.999) * 1e3, percentile(*times, 1) * 1e3, times->size());
  fmt::print("one of high priority, requested last: median {:.1f} ms, longest {:.1f} ms\n",
             percentile(loads.urgent, 0.5) * 1e3, percentile(loads.urgent, 1) * 1e3);
  fmt::print("in flight at most {:.1f} MiB of {}\n", static_cast<double>(loads.peak_in_flight_bytes) / (1 << 20),
             kInFlightBytes >> 20);
}

}  // namespace

int main(int argc, char** argv) {
  const auto count = static_cast<std::size_t>(argc > 1 ? std::atoi(argv[1]) : 100'000);
  const std::string folder = argc > 2 ? argv[2] : std::filesystem::temp_directory_path().string();
  const std::string pack = folder + "/runtime_bench.hpack";
  std::vector<hpack::File> files;
  std::mt19937 random(3);
  for (std::size_t i = 0; i < count; ++i) {
    ByteVector bytes(1024 + random() % 8192);
    for (std::size_t at = 0; at < bytes.size(); at += 16) bytes[at] = static_cast<std::byte>(random());
    files.push_back({path_of(i), Bytes(std::move(bytes))});
  }
  {
    const auto written = hpack::write(files);
    require(written.has_value(), "the pack does not write");
    std::ofstream out(pack, std::ios::binary);
    out.write(reinterpret_cast<const char*>(written->data()), static_cast<std::streamsize>(written->size()));
    out.close();
    require(out.good(), "cannot write in the folder");
  }
  files.clear();
  look_up(pack, count);
  load(pack, count);
  std::filesystem::remove(pack);
  return 0;
}
