// Limits of processes, and the handles, waits and ends that all who start one share.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "assetc/base/result.hpp"

namespace assetc::process {

// What one source may cost.
struct Limits {
  std::uint64_t memory_bytes = 1ull << 30;  // of address space, beyond what the process starts with
  std::uint32_t processor_seconds = 60;
  std::uint32_t seconds = 600;  // by the clock: ends a child that waits for what never comes
};

// AddressSanitizer reserves terabytes of address space: no limit holds there.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kLimitsMemory = false;
#elif defined(__has_feature)
inline constexpr bool kLimitsMemory = !__has_feature(address_sanitizer);
#else
inline constexpr bool kLimitsMemory = true;
#endif

class FileHandle {
 public:
  explicit FileHandle(int fd = -1) : fd_(fd) {}
  FileHandle(FileHandle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileHandle();
  int get() const { return fd_; }

 private:
  int fd_;
};

using Deadline = std::chrono::steady_clock::time_point;
inline constexpr Deadline kNever = Deadline::max();
// Whether fd became ready for events (of poll) or was closed by its other end, before the deadline.
bool wait_until_ready(int fd, short events, Deadline deadline);

// Waits for a child that is about to end, and returns its status.
int reap(pid_t child);
// The same until a deadline; nothing where it lives on.
std::optional<int> reap(pid_t child, Deadline deadline);
void kill_and_reap(pid_t child);

// With this status a child says that it ran out of memory.
inline constexpr int kOutOfMemoryStatus = 86;

// What a process that did not end by itself is to the user: an error of the source that it was given.
struct Words {
  std::string_view who;           // "the compiler"
  std::string_view crash_hint;    // what to do where it crashed
  std::string_view growing_hint;  // where it met a limit
};
Error crash_error(int status, const Limits& limits, const Words& words);
Error memory_error(const Limits& limits, const Words& words);
Error hang_error(const Limits& limits, const Words& words);

}  // namespace assetc::process
