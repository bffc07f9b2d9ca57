#include "cli/commands/file_root.hpp"

#include <algorithm>

#include "base/absolute_path.hpp"
#include "base/lexical_path.hpp"
#include "engine/config/config.hpp"
#include "engine/disk/root.hpp"
#include "engine/look/outputs.hpp"
#include "filetypes/filetypes.hpp"

namespace assetc::cli {
namespace {

std::string below(std::string_view folder) {
  std::string prefix(folder);
  return prefix.ends_with('/') ? prefix : prefix + "/";
}

}  // namespace

NamedFile name_file(const std::string& file, engine::Disk& disk) {
  // Only links of the folder are resolved. If the file is a link, the files that it refers to are beside the link.
  const std::size_t slash = file.rfind('/');
  const std::string folder = slash == file.npos ? "." : slash == 0 ? "/" : file.substr(0, slash);
  return {below(disk.real_path(folder)) + file.substr(slash == file.npos ? 0 : slash + 1), file, disk.real_path(".")};
}

Error NamedFile::as_named(Error error) const {
  if (error.file == path) {
    error.file = named;
  } else if (!is_absolute_path(named) && is_absolute_path(error.file)) {
    error.file = path_from(here, error.file);
  }
  if (is_absolute_path(named)) return error;
  const std::string prefix = below(here);
  for (std::size_t at = 0; (at = error.what.find(prefix, at)) != std::string::npos;)
    error.what.erase(at, prefix.size());
  return error;
}

bool same_stem(const NamedFile& a, const NamedFile& b) {
  return a.path.substr(0, a.path.rfind('.')) == b.path.substr(0, b.path.rfind('.'));
}

Result<std::string> root_of(const NamedFile& file, const std::string& asked, engine::Disk& disk) {
  std::string folder = file.path.substr(0, std::max<std::size_t>(file.path.rfind('/'), 1));
  if (!asked.empty()) {
    std::string root = disk.real_path(asked);
    if (engine::is_in_folder(folder, root)) return root;
    return std::unexpected(
        Error{ErrorCode::kUsage, asked, {}, "does not hold " + file.named, "name a folder above the model"}.at(
            "--root"));
  }
  const bool is_compiled = filetypes::find_compiled(file.path) != nullptr;
  const std::string mark(is_compiled ? engine::kManifestName : engine::kConfigName);
  for (std::string above = folder;; above.resize(std::max<std::size_t>(above.rfind('/'), 1))) {
    if (disk.status(below(above) + mark)) return above;
    if (above == "/" || !above.contains('/')) return folder;
  }
}

importer::FileReader file_reader(engine::Disk& disk, std::string root) {
  return [&disk, root = std::move(root)](std::string_view path) -> Result<Bytes> {
    ASSETC_CHECK(engine::check_in_root(std::string(path), root, disk));
    ASSETC_TRY(Bytes bytes, disk.read(std::string(path)));
    if (auto fetched = filetypes::check_whole(bytes); !fetched)
      return std::unexpected(std::move(fetched).error().in(path));
    return bytes;
  };
}

}  // namespace assetc::cli
