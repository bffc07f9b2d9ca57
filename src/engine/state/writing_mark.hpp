// A value of the cache that says which files in the output can be trusted. Either a build is writing or was
// interrupted. Or builds have finished, but their files may not have reached the disk yet. A short build does not wait
// for the disk: a flush waits for everything that any program has written to the file system, which may take longer
// than the build.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/disk/disk.hpp"
#include "engine/state/cache.hpp"

namespace assetc::engine {

class WritingMark {
 public:
  // Both must outlive the mark.
  WritingMark(Cache& cache, Disk& disk);

  // A build is writing or was interrupted.
  bool stands() const { return before_.state == State::kWriting; }
  // Set if the machine went down before everything was on the disk. Then signatures of files that changed at or after
  // this time (of Disk::now_ns) prove nothing. Nothing if all files can be trusted.
  std::optional<std::int64_t> distrusted_since_ns() const;

  // Call before a build starts to write.
  Result<void> set();
  // Whether a build that wrote this much must wait until it is on the disk.
  bool must_flush(std::uint64_t files, std::uint64_t bytes) const;
  // Call when the build has finished and its records are in the cache.
  Result<void> end(std::uint64_t files, std::uint64_t bytes, bool flushed);

 private:
  enum class State : std::uint8_t { kFlushed, kWriting, kNotFlushed };
  struct Mark {
    State state = State::kFlushed;
    std::string boot;           // boot during which the mark was written
    std::int64_t since_ns = 0;  // files from before this time are safe
    std::uint64_t bytes = 0;    // approximate size of what may not be on the disk
  };
  static Mark read(Cache& cache);
  Result<void> write(const Mark& mark);
  bool machine_went_down() const { return before_.state != State::kFlushed && before_.boot != boot_; }
  std::uint64_t bytes_with(std::uint64_t files, std::uint64_t bytes) const;

  Cache& cache_;
  Disk& disk_;
  const std::string boot_;
  const Mark before_;
  Mark now_;
};

}  // namespace assetc::engine
