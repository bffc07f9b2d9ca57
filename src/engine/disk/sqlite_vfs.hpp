// SQLite on a Disk: the cache file goes through the same door as everything else, so that tests can fail or stop it at
// any write.
#pragma once

#include <memory>
#include <string>

#include "engine/disk/disk.hpp"

namespace assetc::engine {

// A registered VFS for as long as it lives; outlive every connection that uses it. One process writes a database at a
// time: the engine holds its own lock, SQLite's locking is a no-op.
class SqliteVfs {
 public:
  struct Impl;

  // in_memory: files are copied when they are opened and never written back.
  SqliteVfs(Disk& disk, bool in_memory);
  ~SqliteVfs();
  SqliteVfs(const SqliteVfs&) = delete;
  SqliteVfs& operator=(const SqliteVfs&) = delete;

  const char* name() const;
  // The last error of the disk since forget_error(), which SQLite turns into a number; without text when there was
  // none.
  const Error& last_error() const;
  void forget_error();

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace assetc::engine
