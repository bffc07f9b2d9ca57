// Measures lookups in a registry beside a sorted array, SQLite and a JSON parser, on the same assets in the same run.
//
//   registry_bench [assets, 1000000] [folder]
//
// The registry is a mapped file, as in engines. Lookups are of random assets, the same ones for each subject, and every
// answer is compared. std::lower_bound searches a vector of the UUIDs, or of the hashes of the paths, without any data
// to read after it: less work than any registry must do. SQLite has an index on each, a prepared statement and its
// database in its page cache. The least of three runs counts. Allocations are counted over all lookups of the registry.
#include <fcntl.h>
#include <fmt/core.h>
#include <sqlite3.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "assetc/base/hash.hpp"
#include "assetc/formats/registry.hpp"
#include "bench/measure.hpp"
#include "json/json.hpp"

namespace {

using namespace assetc;
using bench::allocations;
using bench::least;
using bench::seconds_of;

void require(bool holds, const char* what) {
  if (holds) return;
  fmt::print(stderr, "registry_bench: wrong answer: {}\n", what);
  std::exit(1);
}

class Mapped {
 public:
  explicit Mapped(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY)) {
    size_ = std::filesystem::file_size(path);
    data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd_, 0);
    require(fd_ >= 0 && data_ != MAP_FAILED, "mmap");
  }
  ~Mapped() {
    ::munmap(data_, size_);
    ::close(fd_);
  }
  ByteSpan bytes() const { return {static_cast<const std::byte*>(data_), size_}; }

 private:
  int fd_;
  std::size_t size_ = 0;
  void* data_ = nullptr;
};

class Database {
 public:
  explicit Database(const std::string& path) { require(sqlite3_open(path.c_str(), &db_) == SQLITE_OK, "sqlite3_open"); }
  ~Database() { sqlite3_close(db_); }
  void run(const std::string& sql) {
    require(sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK, sql.c_str());
  }
  sqlite3_stmt* prepare(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    require(sqlite3_prepare_v2(db_, sql, -1, &statement, nullptr) == SQLITE_OK, sql);
    return statement;
  }

 private:
  sqlite3* db_ = nullptr;
};

void print(const char* what, double seconds, std::size_t count, double base) {
  fmt::print("{:<44}{:>9.1f} ns{:>8.2f}x\n", what, seconds / static_cast<double>(count) * 1e9, seconds / base);
}

int run(int argc, char** argv) {
  const auto count = static_cast<std::uint32_t>(argc > 1 ? std::atoi(argv[1]) : 1'000'000);
  const std::string folder = argc > 2 ? argv[2] : std::filesystem::temp_directory_path().string();
  std::mt19937_64 random(7);
  std::vector<registry::Asset> assets(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::array<std::uint8_t, 16> bytes;
    const std::uint64_t words[2] = {random(), random()};
    std::memcpy(bytes.data(), words, sizeof words);
    assets[i].uuid = Uuid::from_random(bytes);
    assets[i].type = 1;
    assets[i].virtual_path = fmt::format("Demo/Level_{}/Textures/Wood_{}", i / 1000, i);
    assets[i].desc = registry::TextureDesc{1024, 1024, 1, 20, 11, 1};
    if (i > 0) assets[i].hard_dependencies = {assets[i / 2].uuid};
  }
  const auto file = registry::write(assets, {});
  require(file.has_value(), "write");
  const std::string path = folder + "/registry_bench.bin";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(file->data()), static_cast<std::streamsize>(file->size()));

  std::vector<Uuid> uuids;
  std::vector<std::uint64_t> hashes;
  for (const registry::Asset& asset : assets) {
    uuids.push_back(asset.uuid);
    hashes.push_back(hash_asset_ref(asset.virtual_path));
  }
  std::ranges::sort(uuids);
  std::ranges::sort(hashes);
  // The queries and answers are in one array, so that reading them costs every subject the same.
  struct Lookup {
    Uuid uuid;
    std::string path;
    std::uint32_t answer;
  };
  std::vector<Lookup> lookups(std::min<std::uint32_t>(count, 1'000'000));
  for (Lookup& lookup : lookups) {
    const registry::Asset& asset = assets[random() % count];
    const auto answer = std::ranges::lower_bound(uuids, asset.uuid) - uuids.begin();
    lookup = {asset.uuid, asset.virtual_path, static_cast<std::uint32_t>(answer)};
  }

  const Mapped mapped(path);
  const double opened = least(3, [&] { require(registry::View::open(mapped.bytes()).has_value(), "open"); });
  const auto view = registry::View::open(mapped.bytes());
  const double checked = least(1, [&] { require(view->check().has_value(), "check"); });
  fmt::print("{} assets, {:.1f} MB; open {:.4f} ms, full check {:.0f} ms\n", count,
             static_cast<double>(mapped.bytes().size()) / 1e6, opened * 1e3, checked * 1e3);

  const double array_uuid = least(3, [&] {
    std::size_t sum = 0;
    for (const Lookup& lookup : lookups)
      sum += static_cast<std::size_t>(std::ranges::lower_bound(uuids, lookup.uuid) - uuids.begin());
    require(sum != 1, "sum");
  });
  const std::size_t before = allocations;
  const double registry_uuid = least(3, [&] {
    for (const Lookup& lookup : lookups) {
      const auto at = view->find(lookup.uuid);
      require(at == lookup.answer, "find by UUID");
    }
  });
  const double array_path = least(3, [&] {
    std::size_t sum = 0;
    for (const Lookup& lookup : lookups) {
      const std::uint64_t hash = hash_asset_ref(lookup.path);
      sum += static_cast<std::size_t>(std::ranges::lower_bound(hashes, hash) - hashes.begin());
    }
    require(sum != 1, "sum");
  });
  const double registry_path = least(3, [&] {
    for (const Lookup& lookup : lookups) {
      const auto at = view->find(lookup.path);
      require(at == lookup.answer, "find by path");
    }
  });
  fmt::print("allocations of {} lookups: {}\n\n", lookups.size() * 6, allocations - before);

  const std::string database_path = folder + "/registry_bench.sqlite";
  std::filesystem::remove(database_path);
  double sqlite_open = 0, sqlite_uuid = 0, sqlite_path = 0;
  {
    Database database(database_path);
    database.run("CREATE TABLE asset(uuid BLOB PRIMARY KEY, path TEXT) WITHOUT ROWID; BEGIN");
    sqlite3_stmt* insert = database.prepare("INSERT INTO asset VALUES(?, ?)");
    for (const registry::Asset& asset : assets) {
      sqlite3_bind_blob(insert, 1, asset.uuid.bytes.data(), 16, SQLITE_STATIC);
      sqlite3_bind_text(insert, 2, asset.virtual_path.c_str(), -1, SQLITE_STATIC);
      sqlite3_step(insert);
      sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    database.run("COMMIT; CREATE INDEX by_path ON asset(path COLLATE NOCASE)");
  }
  {
    sqlite_open = seconds_of([&] {
      Database database(database_path);
      sqlite3_finalize(database.prepare("SELECT 1 FROM asset LIMIT 1"));
    });
    Database database(database_path);
    database.run("PRAGMA cache_size=-1000000; PRAGMA mmap_size=1000000000; BEGIN");
    const auto look_up = [&](const char* sql, const auto& bind) {
      sqlite3_stmt* select = database.prepare(sql);
      const double seconds = least(2, [&] {
        for (const Lookup& lookup : lookups) {
          bind(select, lookup);
          require(sqlite3_step(select) == SQLITE_ROW, "SQLite");
          sqlite3_reset(select);
        }
      });
      sqlite3_finalize(select);
      return seconds;
    };
    sqlite_uuid = look_up("SELECT path FROM asset WHERE uuid = ?", [&](sqlite3_stmt* s, const Lookup& lookup) {
      sqlite3_bind_blob(s, 1, lookup.uuid.bytes.data(), 16, SQLITE_STATIC);
    });
    sqlite_path =
        look_up("SELECT uuid FROM asset WHERE path = ? COLLATE NOCASE", [&](sqlite3_stmt* s, const Lookup& lookup) {
          sqlite3_bind_text(s, 1, lookup.path.c_str(), -1, SQLITE_STATIC);
        });
  }

  Json json;
  for (const registry::Asset& asset : assets)
    json["Assets"].push_back({{"Uuid", asset.uuid.to_string()}, {"VirtualPath", asset.virtual_path}});
  const std::string text = json.text();
  json = {};
  const double parse = seconds_of([&] { require(Json::parse(text)->contains("Assets"), "JSON"); });

  fmt::print("{:<44}{:>12}{:>9}\n", "a lookup", "time", "array");
  print("by UUID: lower_bound of a sorted array", array_uuid, lookups.size(), array_uuid);
  print("by UUID: registry", registry_uuid, lookups.size(), array_uuid);
  print("by UUID: SQLite", sqlite_uuid, lookups.size(), array_uuid);
  print("by path: hashed, lower_bound of sorted hashes", array_path, lookups.size(), array_path);
  print("by path: registry, path hashed and compared", registry_path, lookups.size(), array_path);
  print("by path: SQLite", sqlite_path, lookups.size(), array_path);
  fmt::print("\nuntil the first lookup: registry {:.4f} ms, SQLite {:.2f} ms, JSON parsed {:.0f} ms\n", opened * 1e3,
             sqlite_open * 1e3, parse * 1e3);
  std::filesystem::remove(path);
  std::filesystem::remove(database_path);
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv); }
