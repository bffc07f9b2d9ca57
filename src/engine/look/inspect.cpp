#include "engine/look/inspect.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "engine/look/outputs.hpp"
#include "filetypes/filetypes.hpp"

namespace assetc::engine {

Result<Contents> inspect(const std::string& output, Disk& disk) {
  ASSETC_TRY(OutputFolder folder, open_output(output, disk));
  const Tree& tree = folder.tree;
  Contents contents{.files = {}, .other_outputs = std::move(folder.other_outputs)};
  std::vector<FileInfo>& files = contents.files;
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
  return contents;
}

}  // namespace assetc::engine
