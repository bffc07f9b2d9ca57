// Names of the files that the engine itself keeps in an output folder.
#pragma once

#include <string_view>

namespace assetc::engine {

inline constexpr std::string_view kCacheName = ".assetc-cache";
// Every file of the engine's own below the output starts with this (SQLite adds "-wal", the lock ".lock").
inline constexpr std::string_view kCachePrefix = ".assetc-cache";

// Whether a path below a root is such a file of an output that lies deeper than the root.
inline bool marks_other_output(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash != std::string_view::npos && path.substr(slash + 1).starts_with(kCachePrefix);
}

}  // namespace assetc::engine
