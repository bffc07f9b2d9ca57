// Files of the disk as sources read them.
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

// Reads a mapping's pages in, so that whoever uses the bytes does not wait for the disk.
void read_in(ByteSpan bytes, const std::atomic<bool>& canceled);

inline Error no_such_file(const std::string& path) { return {ErrorCode::kNotFound, path, {}, "no such file", {}}; }

// Relative, no empty, "." or ".." part, none that the system takes for more than a name: it names something below a
// folder and nothing else.
bool stays_below(std::string_view path);

// A range of a mapped file below a folder ("", or with a slash at its end), read in.
Result<ReadAnswer> read_native(const std::string& folder, const ReadRequest& request,
                               const std::atomic<bool>& canceled);

struct FileRange {
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = 0;
};
// The range that a request asks for out of a file of this size. Errors: kTruncated.
Result<FileRange> range_in(const ReadRequest& request, std::uint64_t file_size_bytes);

}  // namespace assetc::runtime
