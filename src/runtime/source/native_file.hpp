// What the operating system knows of files: paths as it wants them, and mappings.
#pragma once

#ifndef _WIN32
#include <sys/stat.h>
#endif

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/runtime/source.hpp"

namespace assetc::runtime {

// Our paths are UTF-8 everywhere; Windows' are UTF-16.
inline std::filesystem::path native_path(std::string_view utf8) {
  return std::filesystem::path(std::u8string(utf8.begin(), utf8.end()));
}
inline std::string utf8_path(const std::filesystem::path& path) {
  const std::u8string text = path.generic_u8string();
  return std::string(text.begin(), text.end());
}

// Sets the system to reading a mapping's pages in, all at once, without waiting for them.
void will_need(ByteSpan bytes);
// Reads and maps a mapping's pages at one go; false where the system cannot, or where a page is not to be had.
bool populate(ByteSpan bytes);

// Reads a mapping's pages in, so that whoever uses the bytes does not wait for the disk.
void read_in(ByteSpan bytes, const std::atomic<bool>& canceled);

inline Error no_such_file(const std::string& path) { return {ErrorCode::kNotFound, path, {}, "no such file", {}}; }

// Relative, no empty, "." or ".." part, none that the system takes for more than a name: it names something below a
// folder and nothing else.
bool stays_below(std::string_view path);

struct MappedFile {
  Bytes bytes;
  std::uint64_t version = 0;  // ReadAnswer::file_version
};
// map_file() and which file that was.
Result<MappedFile> map_native(const std::string& path);

// What tells files apart, as one number that is not 0.
inline std::uint64_t version_of(std::initializer_list<std::uint64_t> what) {
  std::uint64_t version = 0;
  for (const std::uint64_t value : what) version = (version ^ value) * 0x9e3779b97f4a7c15u;  // 2^64 / golden ratio
  return version | 1;
}
#ifndef _WIN32
std::uint64_t version_of(const struct stat& status);
#endif

// A range of a mapped file below a folder ("", or with a slash at its end), read in.
Result<ReadAnswer> read_native(const std::string& folder, const ReadRequest& request,
                               const std::atomic<bool>& canceled);

struct FileRange {
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = 0;
};
// The range that a request asks for out of a file of this size. Errors: kTruncated.
Result<FileRange> range_in(const ReadRequest& request, std::uint64_t file_size_bytes);

// Whether a part of a path, between slashes, means to this system what it says: a name in its folder.
bool is_plain_name(std::string_view part);

}  // namespace assetc::runtime
