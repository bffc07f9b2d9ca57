// Names of the engine's own files in an output folder.
#pragma once

#include <string_view>

namespace assetc::engine {

inline constexpr std::string_view kCacheName = ".assetc-cache";
// Prefix of all of the engine's own files below the output. SQLite appends "-wal", the lock file ".lock".
inline constexpr std::string_view kCachePrefix = ".assetc-cache";

// Whether a path below a root is such a file, in a folder below the root. That folder is another output.
inline bool marks_other_output(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash != std::string_view::npos && path.substr(slash + 1).starts_with(kCachePrefix);
}

}  // namespace assetc::engine
