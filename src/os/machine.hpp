// The machine that this program runs on.
#pragma once

#include <cstdint>
#include <string>

namespace assetc::os {

// Memory of the machine, or the limit of the container.
std::uint64_t memory_bytes();
// Changes with every boot of the machine; "unknown" if the system does not report it.
std::string boot_id();
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
