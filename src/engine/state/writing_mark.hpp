// A value of the cache that says how far one may believe what lies in the output: a build writes, or did not come to
// its end; or builds ended, and what they wrote may not have reached the disk. A short build does not wait for that:
// the wait is for all that programs have written to the file system, which may take longer than the build.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/disk/disk.hpp"
#include "engine/state/cache.hpp"

namespace assetc::engine {

class WritingMark {
 public:
  // Both outlive the mark.
  WritingMark(Cache& cache, Disk& disk);

  // A build has not come to its end.
  bool stands() const { return before_.state == State::kWriting; }
  // The machine went down before everything was on the disk: signatures prove nothing of files that changed at this
  // time (of Disk::now_ns) or later. Nothing where all can be believed.
  std::optional<std::int64_t> distrusted_since_ns() const;

  // A build begins to write.
  Result<void> set();
  // Whether a build that wrote so much has to wait until it is on the disk.
  bool must_flush(std::uint64_t files, std::uint64_t bytes) const;
  // The build has ended, and its records are in the cache.
  Result<void> end(std::uint64_t files, std::uint64_t bytes, bool flushed);

 private:
  enum class State : std::uint8_t { kFlushed, kWriting, kNotFlushed };
  struct Mark {
    State state = State::kFlushed;
    std::string boot;           // in which it was left
    std::int64_t since_ns = 0;  // nothing before that is in doubt
    std::uint64_t bytes = 0;    // that may not be on the disk: about
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
