// How this system writes paths. assetc has '/' between their parts.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace assetc {

#ifdef _WIN32
inline constexpr bool kHasDrives = true;  // "C:/a", and '\\' between parts too
#else
inline constexpr bool kHasDrives = false;
#endif

// Returns whether a path does not depend on the working folder: "/a", and on Windows also "C:/a".
constexpr bool is_absolute_path(std::string_view path) {
  if (kHasDrives && path.size() >= 3 && path[1] == ':' && (path[2] == '/' || path[2] == '\\')) return true;
  return path.starts_with('/') || (kHasDrives && path.starts_with('\\'));
}

// Returns a path that a person wrote, with '/' between its parts.
inline std::string with_slashes(std::string path) {
  if (kHasDrives) std::ranges::replace(path, '\\', '/');
  return path;
}

}  // namespace assetc
