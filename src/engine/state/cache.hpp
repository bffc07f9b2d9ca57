// <output>/.assetc-cache: a SQLite file with the log of a State and a summary that quickly shows that nothing changed.
//
// The file is only a cache. If it is damaged, truncated or of another version, the affected part is dropped with one
// message for the user, and the build continues. Writes are batched, and each batch is atomic.
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
  // Opens or creates the cache. read_only: nothing on the disk changes, and writes go to memory only. The same happens
  // if the disk refuses the file; dropped() then says so.
  static Result<std::unique_ptr<Cache>> open(Disk& disk, const std::string& path, bool read_only);
  ~Cache();

  // Why the cache or a part of it was dropped or is not used. Empty if it is intact.
  const std::string& dropped() const { return dropped_; }

  // A small value by name, verified by its checksum. Nothing if it is missing or damaged.
  std::optional<Bytes> get(std::string_view name);
  // Whether the value exists, damaged or not.
  bool has(std::string_view name);
  Result<void> set(std::string_view name, ByteSpan value);

  // Replays the whole log into a state. Damaged parts are left out; dropped() then says so.
  Result<void> load(State& state);

  // Appends a block. It survives if the process dies afterwards.
  Result<void> append(ByteSpan block);
  // Rewrites the log from the state if it was damaged or has grown to more than twice its compact size.
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
