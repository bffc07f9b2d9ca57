// What the operating system knows of files: paths as it wants them, and mappings.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <string_view>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::runtime {

// Our paths are UTF-8 everywhere; Windows' are UTF-16.
inline std::filesystem::path native_path(std::string_view utf8) {
  return std::filesystem::path(std::u8string(utf8.begin(), utf8.end()));
}
inline std::string utf8_path(const std::filesystem::path& path) {
  const std::u8string text = path.generic_u8string();
  return std::string(text.begin(), text.end());
}

// Reads a mapping's pages in, so that whoever uses the bytes does not wait for the disk.
void read_in(ByteSpan bytes, const std::atomic<bool>& canceled);

// Whether a part of a path, between slashes, means to this system what it says: a name in its folder.
bool is_plain_name(std::string_view part);

}  // namespace assetc::runtime
