#include "engine/look/inspect.hpp"

#include <algorithm>
#include <functional>

#include "assetc/formats/registry.hpp"
#include "engine/look/outputs.hpp"
#include "filetypes/filetypes.hpp"
#include "parallel/parallel.hpp"

namespace assetc::engine {

namespace {

void fill(FileInfo& info, const filetypes::Row& row, ByteSpan bytes) {
  auto content = row.reader->inspect(bytes);
  if (content) {
    info.kind = row.kind;
    info.content = std::move(*content);
  } else {
    info.problem = std::move(content).error().in(info.path);
  }
}

void name_scene(FileInfo& info, const std::function<bool(const std::string&)>& exists) {
  if (!std::holds_alternative<filetypes::MeshInfo>(info.content)) return;
  std::string scene = info.path.substr(0, info.path.rfind('.')) + ".hscene";
  if (exists(scene)) info.scene = std::move(scene);
}

// The registry of a cooked folder ends in .bin, like its assets.
bool is_registry(ByteSpan file) {
  return file.size() >= sizeof(std::uint32_t) && load<std::uint32_t>(file) == registry::kMagic;
}

}  // namespace

Result<FileInfo> inspect_file(const std::string& file, Disk& disk) {
  const filetypes::Row* row = filetypes::find_row(file);
  if (row == nullptr || !row->is_compiled() || row->reader->inspect == nullptr) {
    const bool is_pack = row != nullptr && row->type == filetypes::Class::kPack;
    const auto inspects = [](const filetypes::Row& r) { return r.is_compiled() && r.reader->inspect != nullptr; };
    return std::unexpected(Error{ErrorCode::kUsage,
                                 file,
                                 {},
                                 is_pack ? "is a pack" : "is not a compiled file",
                                 is_pack
                                     ? "use `assetc pack info`"
                                     : "compiled files end in " + filetypes::list_suffixes(inspects, ", ", " or ")});
  }
  ASSETC_TRY(const Bytes bytes, disk.read(file));
  FileInfo info{.path = file, .size_bytes = bytes.size()};
  fill(info, *row, bytes);
  name_scene(info, [&](const std::string& path) {
    const auto found = disk.status(path);
    return found && found->type == FileType::kFile;
  });
  return info;
}

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
  parallel_for(files.size(), [&](std::size_t i) {
    FileInfo& file = files[i];
    const auto bytes = disk.read(output + "/" + file.path);
    if (!bytes) {
      file.problem = bytes.error();
      return;
    }
    file.size_bytes = bytes->size();
    const filetypes::Row* row = filetypes::find_compiled(file.path);
    if (row == nullptr || row->reader->inspect == nullptr || is_registry(*bytes)) return;
    fill(file, *row, *bytes);
    name_scene(file,
               [&](const std::string& path) { return std::ranges::binary_search(files, path, {}, &FileInfo::path); });
  });
  return contents;
}

}  // namespace assetc::engine
