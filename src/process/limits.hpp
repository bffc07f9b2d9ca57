// The limits of a process that works on a source, and the errors that stand for how it ended.
#pragma once

#include <cstdint>
#include <string_view>

#include "assetc/base/result.hpp"
#include "os/process.hpp"

namespace assetc::process {

using os::Deadline;
using os::kLimitsMemory;
using os::kNever;

// What one source may cost.
struct Limits {
  std::uint64_t memory_bytes = 1ull << 30;  // of address space, beyond what the process starts with
  std::uint32_t processor_seconds = 60;
  std::uint32_t seconds = 600;  // by the clock: ends a child that waits for what never comes
};

// With this status a child says that it ran out of memory.
inline constexpr int kOutOfMemoryStatus = 86;

// What a process that did not end by itself is to the user: an error of the source that it was given.
struct Words {
  std::string_view who;           // "the compiler"
  std::string_view crash_hint;    // what to do where it crashed
  std::string_view growing_hint;  // where it met a limit
};
Error crash_error(const os::Exit& exit, const Limits& limits, const Words& words);
Error memory_error(const Limits& limits, const Words& words);
Error hang_error(const Limits& limits, const Words& words);

}  // namespace assetc::process
