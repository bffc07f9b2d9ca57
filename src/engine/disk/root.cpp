#include "engine/disk/root.hpp"

namespace assetc::engine {

bool is_in_folder(std::string_view path, std::string_view folder) {
  if (folder.ends_with('/')) folder.remove_suffix(1);
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

Result<void> check_in_root(const std::string& path, const std::string& root, Disk& disk) {
  if (root.empty() || is_in_folder(disk.real_path(path), root)) return {};
  return std::unexpected(Error{ErrorCode::kConflict,
                               path,
                               {},
                               "lies outside of the folder " + root + ", or is reached through a link out of it",
                               "put it beside the model, or name a folder that holds both with --root"});
}

}  // namespace assetc::engine
