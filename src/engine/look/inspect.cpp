#include "engine/look/inspect.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "filetypes/filetypes.hpp"

namespace assetc::engine {

Result<std::vector<FileInfo>> inspect(const std::string& output, Disk& disk) {
  const auto status = disk.status(output);
  if (!status || status->type != FileType::kDirectory) {
    return std::unexpected(
        Error{ErrorCode::kNotFound, output, {}, "no output folder here", "run assetc first, or name it with -o"});
  }
  const auto skip = [](std::string_view path, bool directory) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return name.starts_with(kTemporaryPrefix) || (!directory && name.starts_with(".assetc-"));
  };
  ASSETC_TRY(const Tree tree, disk.walk(output, skip, 1));
  std::vector<FileInfo> files;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].type == FileType::kFile)
      files.push_back({.path = std::string(tree.path(i)), .size_bytes = tree[i].signature.size_bytes});
  }
  std::ranges::sort(files, {}, &FileInfo::path);
  tbb::parallel_for(std::size_t{0}, files.size(), [&](std::size_t i) {
    FileInfo& file = files[i];
    const auto bytes = disk.read(output + "/" + file.path);
    if (!bytes) {
      file.problem = bytes.error();
      return;
    }
    file.size_bytes = bytes->size();
    const filetypes::Row* row = filetypes::find_compiled(file.path);
    if (row == nullptr || row->reader->inspect == nullptr) return;
    auto content = row->reader->inspect(*bytes);
    if (content) {
      file.kind = row->kind;
      file.content = std::move(*content);
    } else {
      file.problem = std::move(content).error().in(file.path);
    }
  });
  return files;
}

}  // namespace assetc::engine
