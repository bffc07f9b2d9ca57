#include "engine/look/outputs.hpp"

#include "engine/disk/own_files.hpp"

namespace assetc::engine {
namespace {

Visit visit(std::string_view path, bool directory) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (marks_other_output(path) || (name == kManifestName && name != path)) return Visit::kLeaveOutFolder;
  const bool bookkeeping = name.starts_with(kTemporaryPrefix) || (!directory && name.starts_with(".assetc-"));
  return bookkeeping ? Visit::kLeaveOut : Visit::kTake;
}

}  // namespace

Result<OutputFolder> open_output(const std::string& output, Disk& disk) {
  const auto status = disk.status(output);
  if (!status || status->type != FileType::kDirectory) {
    return std::unexpected(
        Error{ErrorCode::kNotFound, output, {}, "no output folder here", "run assetc first, or name it with -o"});
  }
  OutputFolder folder;
  ASSETC_TRY(folder.tree, disk.walk(output, visit, 1, Links::kFiles));
  ASSETC_CHECK(folder.tree.whole(output));
  for (const Tree::Note& note : folder.tree.left_out()) {
    if (note.why == LeftOut::kFolder) folder.other_outputs.push_back(note.path);
  }
  return folder;
}

}  // namespace assetc::engine
