// Files as memory. Paths are UTF-8.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "os/fault.hpp"

namespace assetc::os {

// Our paths are UTF-8 everywhere; Windows' are UTF-16.
inline std::filesystem::path native_path(std::string_view utf8) {
  return std::filesystem::path(std::u8string(utf8.begin(), utf8.end()));
}
inline std::string utf8_path(const std::filesystem::path& path) {
  const std::u8string text = path.generic_u8string();
  return std::string(text.begin(), text.end());
}

// Whether a part of a path, between slashes, names an entry of its folder on this system and nothing else.
bool is_plain_name(std::string_view part);

struct MappedFile {
  Bytes bytes;
  std::uint64_t version = 0;  // tells this file from one that replaces it; 0: unknown
};
// Maps a regular file for reading. Errors: kNotFound; kIo.
Result<MappedFile> map_file(const std::string& path);

// Asks the system to read the pages of a mapping, without waiting for them.
void will_need(ByteSpan bytes);
// Reads the pages of a mapping; false if the system cannot, or a page cannot be had.
bool populate(ByteSpan bytes);

}  // namespace assetc::os
