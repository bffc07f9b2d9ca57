#include "cli/file_root.hpp"

namespace assetc::cli {

RootedFile rooted(const std::string& file) {
  std::string path = file;
  while (path.starts_with("./")) path.erase(0, 2);
  const bool climbs =
      path.starts_with("/") || path == ".." || path.starts_with("../") || path.find("/../") != path.npos;
  if (!climbs) return {".", path};
  const std::size_t slash = path.rfind('/');
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

Error RootedFile::as_named(Error error) const {
  if (root != "." && !error.file.empty()) error.file.insert(0, root == "/" ? root : root + "/");
  return error;
}

importer::FileReader reader_below(const std::string& root, engine::Disk& disk) {
  return [root, &disk](std::string_view path) { return disk.read(root + "/" + std::string(path)); };
}

}  // namespace assetc::cli
