// Files of the disk, as sources read them.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/runtime/source.hpp"
#include "os/mapping.hpp"

namespace assetc::runtime {

using os::native_path;
using os::utf8_path;

// Reads the pages of a mapping, so that users of the bytes do not wait for the disk.
void read_in(ByteSpan bytes, const std::atomic<bool>& canceled);

inline Error no_such_file(const std::string& path) { return {ErrorCode::kNotFound, path, {}, "no such file", {}}; }

// Returns whether the path can only name something below a folder: it is relative, has no empty, "." or ".." part, and
// no part with a special meaning to the system.
bool stays_below(std::string_view path);

// Reads a range of a mapped file below a folder, and its pages. folder: "", or with a slash at its end.
Result<ReadAnswer> read_native(const std::string& folder, const ReadRequest& request,
                               const std::atomic<bool>& canceled);

// The same, but the answer has its own memory, and nothing is mapped.
Result<ReadAnswer> read_copy(const std::string& folder, const ReadRequest& request, const std::atomic<bool>& canceled);

struct FileRange {
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = 0;
};
// Returns the range that a request asks for, in a file of this size. Errors: kTruncated.
Result<FileRange> range_in(const ReadRequest& request, std::uint64_t file_size_bytes);

}  // namespace assetc::runtime
