// Memory-mapped files. Paths are UTF-8.
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

// Paths in assetc are UTF-8 everywhere; those of Windows are UTF-16.
inline std::filesystem::path native_path(std::string_view utf8) {
  return std::filesystem::path(std::u8string(utf8.begin(), utf8.end()));
}
inline std::string utf8_path(const std::filesystem::path& path) {
  const std::u8string text = path.generic_u8string();
  return std::string(text.begin(), text.end());
}

// Returns whether a part of a path, between slashes, can only name an entry of its folder on this system.
bool is_plain_name(std::string_view part);

struct MappedFile {
  Bytes bytes;
  std::uint64_t version = 0;  // differs between this file and its replacement; 0: unknown
  bool is_mapped = true;      // false: the bytes are a copy
};
// Maps a regular file for reading. A file of fewer bytes than map_from_bytes is read into memory instead.
// Errors: kNotFound; kIo.
Result<MappedFile> map_file(const std::string& path, std::uint64_t map_from_bytes = 0);

// Asks the system to read the pages of a mapping, without waiting for them.
void will_need(ByteSpan bytes);
// Reads the pages of a mapping. Returns false if the system cannot do it, or a page cannot be read.
bool populate(ByteSpan bytes);

}  // namespace assetc::os
