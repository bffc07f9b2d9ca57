// The machine that this program runs on.
#pragma once

#include <cstdint>
#include <string>

namespace assetc::os {

// Of the machine, or the limit of the container.
std::uint64_t memory_bytes();
// Changes with every start of the machine; "unknown" if the system does not say.
std::string boot_id();
// Address space that this process uses, in bytes.
std::uint64_t address_space_bytes();
// Returns freed memory to the system, where the allocator can.
void trim_heap();
// Nanoseconds since 1970 of the clock that stamps files.
std::int64_t file_clock_ns();

}  // namespace assetc::os
