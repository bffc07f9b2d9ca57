// Limits of the machine that a user may have to raise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace assetc::os {

// Free bytes of the disk that holds an existing file or folder, for this user; nothing if the system does not report
// them.
std::optional<std::uint64_t> free_bytes(const std::string& path);
// The number of files and folders that this user may watch at a time; nothing if there is no such limit. On Linux:
// fs.inotify.max_user_watches.
std::optional<std::uint64_t> watch_limit();

}  // namespace assetc::os
