// Measures loading all assets beside reading the file sequentially and beside other archives.
//
//   archives_bench [assets, 10000] [folder]
//
// Mixed assets of 1 to 256 KiB, as a pack and as a zip without compression. The subjects: `cat` (read() of the pack in
// pieces of 1 MiB), the manager (verified, decoded, finalized by wait()), and PhysFS and libzip on the zip, file by
// file in the order of the table. The least of five runs counts. "dropped" runs each follow
// posix_fadvise(POSIX_FADV_DONTNEED) of the file, which needs no rights and which the system may ignore. The bytes
// really read from the disk come from /proc/self/io, if it exists. At the end, a loaded .hmesh is requested again.
#include <fcntl.h>
#include <fmt/core.h>
#include <physfs.h>
#include <unistd.h>
#include <zip.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "assetc/formats/hmesh.hpp"
#include "assetc/formats/hpack.hpp"
#include "assetc/runtime/assets.hpp"
#include "bench/measure.hpp"

namespace {

using namespace assetc;
using namespace assetc::runtime;
using bench::least;

constexpr std::size_t kPieceBytes = 1u << 20;
constexpr int kRuns = 5;

void require(bool holds, const char* what) {
  if (holds) return;
  fmt::print(stderr, "archives_bench: {}\n", what);
  std::exit(1);
}

std::string path_of(std::size_t i) { return fmt::format("level_{}/props/file_{}.bin", i / 1000, i); }

// Most files are small, as assets are.
std::size_t size_of(std::mt19937& random) { return 1024u << random() % 9 | random() % 1024; }

hmesh::Model triangle() {
  hmesh::Model model;
  model.vertices.resize(3);
  model.vertices[1].position[0] = model.vertices[2].position[1] = 1;
  model.indices = {0, 1, 2};
  model.bounds = {{0, 0, 0}, {1, 1, 0}, {0.5f, 0.5f, 0}, 1};
  model.submeshes = {{0, 3, 0, 0, hmesh::kNoMaterial, 0, model.bounds}};
  return model;
}

// Bytes that this process has read from a disk.
std::uint64_t read_from_disk() {
  std::ifstream io("/proc/self/io");
  for (std::string name; io >> name;) {
    std::uint64_t value = 0;
    io >> value;
    if (name == "read_bytes:") return value;
  }
  return 0;
}

void drop_cache(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  require(file >= 0, "cannot open an archive");
  fsync(file);
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  close(file);
}

// The time until all bytes are loaded, without the time to release them.
struct Run {
  std::uint64_t bytes = 0;
  double seconds = 0;
};
class Stopwatch {
 public:
  Run stop(std::uint64_t bytes) const {
    return {bytes, std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count()};
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

Run cat(const std::string& path) {
  const Stopwatch watch;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::vector<char> piece(kPieceBytes);
  std::uint64_t total = 0;
  for (ssize_t got = 0; (got = read(file, piece.data(), piece.size())) > 0;) total += static_cast<std::uint64_t>(got);
  const Run run = watch.stop(total);
  close(file);
  return run;
}

Run load_all(const std::string& pack, std::size_t count) {
  const Stopwatch watch;
  Catalog catalog;
  require(catalog.mount(pack).has_value(), "the pack does not mount");
  ThreadPool pool(std::max(2u, std::thread::hardware_concurrency()) - 1);  // the thread that calls wait() works too
  Manager manager(catalog, {.jobs = pool.jobs()});
  std::uint64_t total = 0;
  Loader<RawData> loader = raw_loader();
  loader.finalize = [&](RawData& raw, const AssetDesc&) -> Result<GpuObject> {
    total += raw.bytes.size();
    return GpuObject{};
  };
  manager.add(AssetType::kRaw, loader);
  std::vector<AssetHandle> wanted;
  wanted.reserve(count);
  for (std::size_t i = 0; i < count; ++i) wanted.push_back(*catalog.find(hash_embed_ref(path_of(i))));
  const Group group = manager.preload(wanted);
  manager.wait(group);
  const Run run = watch.stop(total);
  require(group.progress().failed == 0, "an asset failed");
  require(manager.stats().peak_in_flight_bytes <= ManagerOptions{}.in_flight_bytes, "memory in flight left its bound");
  return run;
}

Run physfs_all(const std::string& zip, std::size_t count) {
  const Stopwatch watch;
  require(PHYSFS_mount(zip.c_str(), nullptr, 1) != 0, "PhysFS does not mount the zip");
  std::uint64_t total = 0;
  std::vector<char> bytes;
  for (std::size_t i = 0; i < count; ++i) {
    PHYSFS_File* const file = PHYSFS_openRead(path_of(i).c_str());
    require(file != nullptr, "PhysFS lacks a file");
    bytes.resize(static_cast<std::size_t>(PHYSFS_fileLength(file)));
    total += static_cast<std::uint64_t>(PHYSFS_readBytes(file, bytes.data(), bytes.size()));
    PHYSFS_close(file);
  }
  const Run run = watch.stop(total);
  PHYSFS_unmount(zip.c_str());
  return run;
}

Run libzip_all(const std::string& path, std::size_t count) {
  const Stopwatch watch;
  zip_t* const archive = zip_open(path.c_str(), ZIP_RDONLY, nullptr);
  require(archive != nullptr, "libzip does not open the zip");
  std::uint64_t total = 0;
  std::vector<char> bytes;
  for (std::size_t i = 0; i < count; ++i) {
    zip_stat_t stat;
    require(zip_stat(archive, path_of(i).c_str(), 0, &stat) == 0, "libzip lacks a file");
    zip_file_t* const file = zip_fopen_index(archive, stat.index, 0);
    bytes.resize(stat.size);
    total += static_cast<std::uint64_t>(zip_fread(file, bytes.data(), bytes.size()));
    zip_fclose(file);
  }
  const Run run = watch.stop(total);
  zip_discard(archive);
  return run;
}

void write_archives(const std::string& pack, const std::string& zip, std::size_t count) {
  std::mt19937 random(11);
  std::vector<hpack::File> files;
  for (std::size_t i = 0; i < count; ++i) {
    ByteVector bytes(size_of(random));
    for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
      const auto word = static_cast<std::uint32_t>(random());
      std::memcpy(bytes.data() + at, &word, sizeof word);
    }
    files.push_back({path_of(i), Bytes(std::move(bytes))});
  }
  files.push_back({"triangle.hmesh", Bytes(hmesh::write(triangle()).value())});
  const auto written = hpack::write(files);
  require(written.has_value(), "the pack does not write");
  std::ofstream out(pack, std::ios::binary);
  out.write(reinterpret_cast<const char*>(written->data()), static_cast<std::streamsize>(written->size()));
  out.close();
  require(out.good(), "cannot write in the folder");

  std::filesystem::remove(zip);
  zip_t* const archive = zip_open(zip.c_str(), ZIP_CREATE, nullptr);
  require(archive != nullptr, "cannot write the zip");
  for (const hpack::File& file : files) {
    zip_source_t* const source = zip_source_buffer(archive, file.bytes.data(), file.bytes.size(), 0);
    const zip_int64_t index = zip_file_add(archive, file.path.c_str(), source, ZIP_FL_ENC_UTF_8);
    require(index >= 0, "the zip takes no file");
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0);
  }
  require(zip_close(archive) == 0, "the zip does not write");
}

void ask_again(const std::string& pack) {
  Catalog catalog;
  require(catalog.mount(pack).has_value(), "the pack does not mount");
  Manager manager(catalog, {});
  add_loaders(manager);
  const AssetHandle handle = *catalog.find_by_path("triangle.hmesh");
  const AssetRef<MeshData> first = manager.load<MeshData>(handle);
  require(first.is_ready(), "the mesh does not load");
  constexpr int kTimes = 100'000;
  const double seconds = least(3, [&] {
    for (int i = 0; i < kTimes; ++i) {
      const AssetRef<MeshData> again = manager.load_async<MeshData>(handle);
      require(again.get()->hmesh()->desc().vertex_count == 3, "another mesh");
    }
  });
  fmt::print("a loaded .hmesh, requested again: {:.3f} us, its view is a pointer\n", seconds / kTimes * 1e6);
  const Bytes file = *catalog.read(handle);
  const double opened = least(3, [&] {
    for (int i = 0; i < kTimes; ++i) require(hmesh::View::open(file).has_value(), "another mesh");
  });
  fmt::print("a mapped .hmesh, validated:       {:.3f} us\n", opened / kTimes * 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  const auto count = static_cast<std::size_t>(argc > 1 ? std::atoi(argv[1]) : 10'000);
  const std::string folder = argc > 2 ? argv[2] : std::filesystem::temp_directory_path().string();
  const std::string pack = folder + "/archives_bench.hpack", zip = folder + "/archives_bench.zip";
  write_archives(pack, zip, count);
  require(PHYSFS_init(argv[0]) != 0, "PhysFS does not start");
  struct Reader {
    const char* name;
    const std::string& file;
    std::function<Run()> all;
  };
  const Reader readers[] = {{"cat pack > /dev/null", pack, [&] { return cat(pack); }},
                            {"the manager, the pack", pack, [&] { return load_all(pack, count); }},
                            {"PhysFS, the zip", zip, [&] { return physfs_all(zip, count); }},
                            {"libzip, the zip", zip, [&] { return libzip_all(zip, count); }}};
  for (const bool is_warm : {false, true}) {
    double base = 0;
    for (const Reader& reader : readers) {
      Run best{.seconds = std::numeric_limits<double>::max()};
      std::uint64_t from_disk = 0;
      for (int i = 0; i < kRuns; ++i) {
        if (!is_warm) drop_cache(reader.file);
        const std::uint64_t before = read_from_disk();
        const Run run = reader.all();
        if (run.seconds >= best.seconds) continue;
        best = run;
        from_disk = read_from_disk() - before;
      }
      const double rate = static_cast<double>(best.bytes) / best.seconds / (1 << 20);
      if (base == 0) base = rate;
      fmt::print("{:8}{:24}{:8.0f} MiB/s, {:5.2f} of cat, {:.0f} MiB from the disk\n", is_warm ? "warm" : "dropped",
                 reader.name, rate, rate / base, static_cast<double>(from_disk) / (1 << 20));
    }
  }
  ask_again(pack);
  PHYSFS_deinit();
  std::filesystem::remove(pack);
  std::filesystem::remove(zip);
  return 0;
}
