// Lists the files of an output folder, as `assetc info` prints them. Reads files; never compiles.
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
  std::string_view kind = "other";  // from its row of the table of file types; also "other" if the file cannot be read
  filetypes::FileContent content = {};
  std::optional<Error> problem = {};  // why it cannot be read; content is monostate then
  // Of a flat mesh: the path of the scene beside it, which was compiled from the same source and keeps more. Or empty.
  std::string scene = {};
};

struct Contents {
  std::vector<FileInfo> files;             // in byte order of path
  std::vector<std::string> other_outputs;  // folders below that are outputs of their own; they are not searched
};

// Every file of an output folder, without the build's own bookkeeping. Errors: kNotFound if there is no folder, kIo.
Result<Contents> inspect(const std::string& output, Disk& disk);

// One compiled file of any folder; path is the given path. A damaged file is a FileInfo with a problem. Errors: kUsage
// if no row of the table of file types inspects it, kNotFound, kIo.
Result<FileInfo> inspect_file(const std::string& file, Disk& disk);

}  // namespace assetc::engine
