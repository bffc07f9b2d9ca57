// The limits of a process that works on a source, and the errors for how it ended.
#pragma once

#include <cstdint>
#include <string_view>

#include "assetc/base/result.hpp"
#include "os/process.hpp"

namespace assetc::process {

using os::Deadline;
using os::kLimitsMemory;
using os::kNever;

// The limits for one source.
struct Limits {
  std::uint64_t memory_bytes = 1ull << 30;  // of address space, beyond the memory at the start of the process
  std::uint32_t processor_seconds = 60;
  std::uint32_t seconds = 600;  // wall-clock time: ends a child that waits forever
};

// The exit status of a child that ran out of memory.
inline constexpr int kOutOfMemoryStatus = 86;

// The texts of the error for a process that did not end by itself. It is an error of the source.
struct Words {
  std::string_view who;           // "the compiler"
  std::string_view crash_hint;    // the hint after a crash
  std::string_view growing_hint;  // the hint after a limit was reached
};
Error crash_error(const os::Exit& exit, const Limits& limits, const Words& words);
Error memory_error(const Limits& limits, const Words& words);
Error hang_error(const Limits& limits, const Words& words);

}  // namespace assetc::process
