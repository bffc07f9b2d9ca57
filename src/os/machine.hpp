// The machine that this program runs on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assetc::os {

// Memory of the machine, or the limit of the container.
std::uint64_t memory_bytes();
// Changes with every boot of the machine; "unknown" if the system does not report it.
std::string boot_id();
// The arguments of main() as UTF-8.
std::vector<std::string> utf8_arguments(int argc, const char* const* argv);
// Nothing if the variable is not set. On Windows, XDG_CACHE_HOME and XDG_CONFIG_HOME are the user's folders for local
// and for roaming data of programs, unless they are set.
std::optional<std::string> environment_variable(const char* name);
// Path of the running program; empty if the system does not report it.
std::string program_path();
// Address space that this process uses, in bytes.
std::uint64_t address_space_bytes();
// Returns freed memory to the system, if the allocator supports it.
void trim_heap();
// Keeps freed memory for later allocations of this process, if the allocator supports it. For short programs: the
// system then clears fewer pages. Call it before the first thread starts.
void keep_heap();
// Returns the time of the clock that stamps files, in nanoseconds since 1970.
std::int64_t file_clock_ns();

}  // namespace assetc::os
