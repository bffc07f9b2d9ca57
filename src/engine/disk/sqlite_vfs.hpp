// Lets SQLite use a Disk, so that tests can make any write of the cache file fail or stop there.
#pragma once

#include <memory>
#include <string>

#include "engine/disk/disk.hpp"

namespace assetc::engine {

// Registers a VFS for its lifetime. It must outlive every connection that uses it. Only one process may write a
// database at a time: the engine holds its own lock, and SQLite's locking does nothing.
class SqliteVfs {
 public:
  struct Impl;

  // in_memory: files are copied when they are opened and never written back.
  SqliteVfs(Disk& disk, bool in_memory);
  ~SqliteVfs();
  SqliteVfs(const SqliteVfs&) = delete;
  SqliteVfs& operator=(const SqliteVfs&) = delete;

  const char* name() const;
  // The last disk error since forget_error(); empty if there was none. SQLite itself only reports an error number.
  const Error& last_error() const;
  void forget_error();

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace assetc::engine
