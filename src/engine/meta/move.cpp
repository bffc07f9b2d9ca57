#include "engine/meta/move.hpp"

#include <algorithm>
#include <set>

#include "engine/meta/in_root.hpp"
#include "engine/state/inputs.hpp"
#include "identity/virtual_path.hpp"

namespace assetc::engine {
namespace {

using identity::kMetaSuffix;

// A path as the tree has it. Folders of assets are known by how a path begins, so none may climb out behind that.
Result<std::string> below_root(const std::string& path) {
  auto normal = normalized_input_path(path);
  if (normal) return normal;
  return std::unexpected(Error{ErrorCode::kUsage,
                               path,
                               {},
                               "is no path below the root",
                               "paths start at the root: Assets/..., Demo/<name>/Assets/..., Tools/Assets/..."});
}

bool is_below(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

// The files of `path`: itself with its .meta, or, of a folder, all that is in it. As the repository is.
struct Found {
  std::vector<std::string> files;
  std::set<std::string, std::less<>> all;  // every file of assets
};

Result<Found> find_files(const ImportOptions& options, const std::string& path, Disk& disk) {
  const Disk::Skip skip = [](std::string_view entry, bool directory) {
    return identity::leads_to_assets(entry, directory) ? Visit::kTake : Visit::kLeaveOut;
  };
  ASSETC_TRY(const Tree tree, disk.walk(options.root, skip, 1));
  Found found;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].type == FileType::kDirectory) continue;
    const std::string_view file = tree.path(i);
    found.all.emplace(file);
    if (file == path || is_below(file, path) || file == path + std::string(kMetaSuffix)) found.files.emplace_back(file);
  }
  if (found.files.empty()) {
    return std::unexpected(Error{ErrorCode::kNotFound,
                                 path,
                                 {},
                                 "no file or folder of assets is called so",
                                 "paths start at the root: Assets/..., Demo/<name>/Assets/..., Tools/Assets/..."});
  }
  return found;
}

// Sources that name one of `files` and are not among them.
std::vector<Referrer> referrers_of(const ImportReport& before, const std::vector<std::string>& files) {
  const std::set<std::string_view> gone(files.begin(), files.end());
  std::vector<Referrer> referrers;
  for (const identity::Meta& meta : before.assets) {
    if (gone.contains(meta.source_path)) continue;
    for (const std::string& path : meta.source_dependencies) {
      if (gone.contains(path)) referrers.push_back({meta.source_path, path});
    }
  }
  return referrers;
}

// Folders that a file leaves empty go with it, up to that of the assets.
void remove_empty_folders(const ImportOptions& options, std::string path, Disk& disk) {
  const std::size_t root_size = identity::asset_root_of(path).size();
  for (std::size_t slash = path.rfind('/'); slash != std::string::npos && slash >= root_size; slash = path.rfind('/')) {
    path.resize(slash);
    if (!disk.remove_empty_directory(in_root(options.root, path))) return;
  }
}

Result<ImportReport> look(ImportOptions options, bool check, Disk& disk) {
  options.check = check;
  options.prune = false;
  options.list_assets = true;
  return import_assets(options, disk);
}

}  // namespace

Result<MoveReport> move_assets(const ImportOptions& options, const std::string& from, const std::string& to,
                               Disk& disk) {
  ASSETC_TRY(const std::string source, below_root(from));
  ASSETC_TRY(std::string target, below_root(to));
  ASSETC_TRY(const Found found, find_files(options, source, disk));
  const auto there = disk.status(in_root(options.root, target));
  if (there && there->type == FileType::kDirectory)
    target += source.substr(source.rfind('/') == std::string::npos ? 0 : source.rfind('/'));
  std::vector<std::pair<std::string, std::string>> moves;
  for (const std::string& file : found.files) {
    std::string next = target + file.substr(source.size());
    if (identity::asset_root_of(next).empty()) {
      return std::unexpected(Error{ErrorCode::kUsage,
                                   next,
                                   {},
                                   "is in no folder of assets",
                                   "move it below Assets/, Demo/<name>/Assets/ or Tools/Assets/"});
    }
    if (found.all.contains(next)) {
      return std::unexpected(
          Error{ErrorCode::kConflict, next, {}, "is there already", "name another, or remove it first"});
    }
    moves.emplace_back(file, std::move(next));
  }
  ASSETC_TRY(const ImportReport before, look(options, true, disk));
  MoveReport report;
  report.referrers = referrers_of(before, found.files);
  for (auto& [old_path, new_path] : moves) {
    ASSETC_CHECK(disk.rename(in_root(options.root, old_path), in_root(options.root, new_path)));
    remove_empty_folders(options, old_path, disk);
    if (!old_path.ends_with(kMetaSuffix)) report.moved.emplace_back(std::move(old_path), std::move(new_path));
  }
  ASSETC_TRY(report.import, look(options, false, disk));
  return report;
}

Result<MoveReport> remove_assets(const ImportOptions& options, const std::string& path, bool force, Disk& disk) {
  ASSETC_TRY(const std::string normal, below_root(path));
  ASSETC_TRY(const Found found, find_files(options, normal, disk));
  ASSETC_TRY(const ImportReport before, look(options, true, disk));
  MoveReport report;
  report.referrers = referrers_of(before, found.files);
  if (!report.referrers.empty() && !force) {
    const Referrer& first = report.referrers.front();
    std::string what = first.source + " refers to " + first.refers_to;
    if (report.referrers.size() > 1) what += ", and " + std::to_string(report.referrers.size() - 1) + " more do";
    return std::unexpected(
        Error{ErrorCode::kConflict, path, {}, std::move(what), "change what refers to it first, or say --force"});
  }
  for (const std::string& file : found.files) {
    ASSETC_CHECK(disk.remove(in_root(options.root, file)));
    remove_empty_folders(options, file, disk);
    if (!file.ends_with(kMetaSuffix)) report.removed.push_back(file);
  }
  ASSETC_TRY(report.import, look(options, false, disk));
  return report;
}

}  // namespace assetc::engine
