// <output>/.assetc-cache: a SQLite file that holds the log of a State and what tells at a glance that nothing changed.
//
// It is a cache: a file that is damaged, of another version or cut short is dropped as far as it must be, with one
// sentence for the user, and the build goes on. Writes are batched; a batch is there whole or not at all.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "engine/disk/disk.hpp"
#include "engine/disk/own_files.hpp"
#include "engine/state/state.hpp"

namespace assetc::engine {

class Cache {
 public:
  // Opens or makes the cache. read_only: nothing on the disk changes, writes go nowhere. The same holds, and dropped()
  // says so, where the disk refuses the file.
  static Result<std::unique_ptr<Cache>> open(Disk& disk, const std::string& path, bool read_only);
  ~Cache();

  // Why (part of) the cache was dropped, or is not used, since it was opened; empty when it was not.
  const std::string& dropped() const { return dropped_; }

  // A small value by name, checked; nothing when absent or damaged.
  std::optional<Bytes> get(std::string_view name);
  // Whether there is one, damaged or not.
  bool has(std::string_view name);
  Result<void> set(std::string_view name, ByteSpan value);

  // All of the log into a state. What is damaged is left out, and dropped() says so.
  Result<void> load(State& state);

  // Appends a block, durable when the process dies.
  Result<void> append(ByteSpan block);
  // Replaces the log by blocks that spell the state anew, when it has grown past twice that size or was damaged.
  Result<void> compact_if_useful(const State& state);

 private:
  struct Impl;
  Cache(Disk& disk, std::string path, bool read_only);
  Result<void> open_database();
  std::string try_open();
  void drop(const std::string& why);
  void go_without(const Error& refusal);
  Result<void> make_anew();
  Result<void> put(std::string_view name, ByteSpan value);
  Result<void> insert(std::uint64_t sequence, ByteSpan block);
  Result<void> compact(const State& state);
  template <class Write>
  Result<void> healing(const Write& write);
  std::unexpected<Error> error(std::string_view doing);

  std::unique_ptr<Impl> impl_;
  std::string dropped_;
};

}  // namespace assetc::engine
