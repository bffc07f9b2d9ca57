// What an output folder holds, file by file, as `assetc info` prints it. Reads; never compiles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"
#include "engine/disk/disk.hpp"
#include "filetypes/content.hpp"

namespace assetc::engine {

struct FileInfo {
  std::string path;  // below the output folder
  std::uint64_t size_bytes = 0;
  std::string_view kind = "other";  // as its row of the table has it; "other" too for one that could not be read
  filetypes::FileContent content = {};
  std::optional<Error> problem = {};  // why it could not be read; content is monostate then
};

struct Contents {
  std::vector<FileInfo> files;             // in byte order of path
  std::vector<std::string> other_outputs;  // folders below that are outputs of their own, which are not looked into
};

// Every file of an output folder, the build's own bookkeeping left out.
// Errors: kNotFound when there is no folder, kIo.
Result<Contents> inspect(const std::string& output, Disk& disk);

// One compiled file, whatever folder it lies in; path is the file's own. Errors: kUsage for what no row of the table of
// file types inspects, kNotFound, kIo. A damaged file is a FileInfo with a problem.
Result<FileInfo> inspect_file(const std::string& file, Disk& disk);

}  // namespace assetc::engine
