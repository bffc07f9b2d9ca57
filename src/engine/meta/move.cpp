#include "engine/meta/move.hpp"

#include <algorithm>
#include <set>

#include "engine/disk/inside.hpp"
#include "engine/meta/in_root.hpp"
#include "engine/meta/settling.hpp"
#include "engine/state/inputs.hpp"
#include "engine/target/identities.hpp"
#include "formats/text.hpp"
#include "identity/meta.hpp"
#include "identity/virtual_path.hpp"

namespace assetc::engine {
namespace {

using identity::kMetaSuffix;

// Normalizes a path. Folders of assets are recognized by the start of a path, so ".." must not lead out of them
// afterwards.
Result<std::string> below_root(const std::string& path) {
  auto normal = normalized_input_path(path);
  if (normal) return normal;
  return std::unexpected(Error{ErrorCode::kUsage,
                               path,
                               {},
                               "is not a path below the root",
                               "paths start at the root: Assets/..., Demo/<name>/Assets/..., Tools/Assets/..."});
}

bool is_below(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

// The files that belong to `path`: the file and its .meta files, or everything in the folder. A link to a folder counts
// as one file; its target is not included.
struct Found {
  Tree tree;
  std::vector<std::string> files;
  std::set<std::string, std::less<>> all;  // all files in folders of assets
};

Result<Tree> walk_assets(const ImportOptions& options, Disk& disk) {
  const Disk::Skip skip = [](std::string_view entry, bool directory) {
    return identity::leads_to_assets(entry, directory) ? Visit::kTake : Visit::kLeaveOut;
  };
  return disk.walk(options.root, skip, 1, Links::kFiles);
}

Result<Found> find_files(const ImportOptions& options, const std::string& path, Disk& disk) {
  Found found;
  ASSETC_TRY(found.tree, walk_assets(options, disk));
  const Tree& tree = found.tree;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].type == FileType::kDirectory) continue;
    const std::string_view file = tree.path(i);
    found.all.emplace(file);
    const std::string_view owner = identity::owner_of_meta(file);
    const bool describes_it = owner == path || identity::owner_of_meta(owner) == path;  // or Unity's .meta of ours
    if (file == path || is_below(file, path) || describes_it) found.files.emplace_back(file);
  }
  if (found.files.empty()) {
    return std::unexpected(Error{ErrorCode::kNotFound,
                                 path,
                                 {},
                                 "no file or folder of assets has this path",
                                 "paths start at the root: Assets/..., Demo/<name>/Assets/..., Tools/Assets/..."});
  }
  return found;
}

// find_files() when nothing else writes in the folders of the files.
Result<Found> find_files_at_rest(const ImportOptions& options, const std::string& path, Disk& disk) {
  Settling settling(options.root, options.patience, disk);
  for (;;) {
    ASSETC_TRY(Found found, find_files(options, path, disk));
    std::set<std::string> folders;
    for (const std::string& file : found.files) folders.insert(folder_of(file));
    ASSETC_TRY(const Settling::Found rest,
               settling.wait_for_rest(folders, found.tree, [&] { return walk_assets(options, disk); }));
    if (rest == Settling::Found::kRest) return found;
    if (rest == Settling::Found::kBusy) return std::unexpected(settling.error_of(*settling.busy().begin()));
  }
}

// Sources outside `path` that refer to something in it by path.
std::vector<Referrer> referrers_of(const ImportReport& before, const std::string& path) {
  const auto is_gone = [&](std::string_view other) { return other == path || is_below(other, path); };
  std::vector<Referrer> referrers;
  for (const identity::Meta& meta : before.assets) {
    if (is_gone(meta.source_path)) continue;
    for (const std::string& other : meta.source_dependencies) {
      if (is_gone(other)) referrers.push_back({meta.source_path, other});
    }
  }
  return referrers;
}

// Adds sources that refer to it by UUID or virtual path. Only removing it breaks these references.
void add_named_referrers(const ImportReport& before, const std::string& path, std::vector<Referrer>& referrers) {
  const auto is_gone = [&](std::string_view other) { return other == path || is_below(other, path); };
  const Identities identities(before.assets, {});
  for (const auto& [source, name] : before.named_references) {
    const auto uuid = identities.find(name);
    const NamedAsset* const asset = uuid ? identities.find(*uuid) : nullptr;
    if (asset != nullptr && is_gone(asset->source_path) && !is_gone(source)) referrers.push_back({source, name});
  }
}

// Refuses a .meta: it moves with its source and takes its name from it.
Result<void> is_no_meta(const std::string& path) {
  if (identity::owner_of_meta(path).empty()) return {};
  return std::unexpected(
      Error{ErrorCode::kUsage, path, {}, "is a .meta", "name its source instead: the .meta follows it"});
}

// Removes the folders that become empty, but not the folder of assets itself, and no folder to which Unity gave a
// .meta: Unity would make it again.
void remove_empty_folders(const ImportOptions& options, std::string path, Disk& disk) {
  const std::size_t root_size = identity::asset_root_of(path).size();
  for (std::size_t slash = path.rfind('/'); slash != std::string::npos && slash >= root_size; slash = path.rfind('/')) {
    path.resize(slash);
    if (disk.status(in_root(options.root, path + std::string(kMetaSuffix)))) return;
    if (!disk.remove_empty_directory(in_root(options.root, path))) return;
  }
}

Result<ImportReport> look(ImportOptions options, bool check, Disk& disk) {
  options.check = check;
  options.prune = false;
  options.list_assets = true;
  options.patience.rest_ns = 0;  // the folders are at rest but for what this command does
  return import_assets(options, disk);
}

}  // namespace

Result<MoveReport> move_assets(const ImportOptions& options, const std::string& from, const std::string& to,
                               Disk& disk) {
  ASSETC_TRY(const std::string source, below_root(from));
  ASSETC_TRY(std::string target, below_root(to));
  ASSETC_CHECK(is_no_meta(source));
  ASSETC_CHECK(is_no_meta(target));
  ASSETC_TRY(const Found found, find_files_at_rest(options, source, disk));
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
                                   "is not in a folder of assets",
                                   "move it below Assets/, Demo/<name>/Assets/ or Tools/Assets/"});
    }
    if (!formats::is_utf8(next)) {
      return std::unexpected(Error{ErrorCode::kUsage, next, {}, "is not UTF-8", "name it in UTF-8"});
    }
    if (paths_inside(disk, options.root, {in_root(options.root, next)}).empty()) {
      return std::unexpected(Error{ErrorCode::kUsage,
                                   next,
                                   {},
                                   "is reached through a link that leads out of the repository",
                                   "choose a folder inside it"});
    }
    if (found.all.contains(next)) {
      return std::unexpected(
          Error{ErrorCode::kConflict, next, {}, "already exists", "choose another path, or remove it first"});
    }
    moves.emplace_back(file, std::move(next));
  }
  ASSETC_TRY(const ImportReport before, look(options, true, disk));
  MoveReport report;
  report.referrers = referrers_of(before, source);
  for (auto& [old_path, new_path] : moves) {
    ASSETC_CHECK(disk.rename(in_root(options.root, old_path), in_root(options.root, new_path)));
  }
  for (auto& [old_path, new_path] : moves) {
    remove_empty_folders(options, old_path, disk);
    if (identity::owner_of_meta(old_path).empty()) report.moved.emplace_back(std::move(old_path), std::move(new_path));
  }
  ASSETC_TRY(report.import, look(options, false, disk));
  return report;
}

Result<MoveReport> remove_assets(const ImportOptions& options, const std::string& path, bool force, Disk& disk) {
  ASSETC_TRY(const std::string normal, below_root(path));
  ASSETC_CHECK(is_no_meta(normal));
  ASSETC_TRY(const Found found, find_files_at_rest(options, normal, disk));
  ASSETC_TRY(const ImportReport before, look(options, true, disk));
  MoveReport report;
  report.referrers = referrers_of(before, normal);
  add_named_referrers(before, normal, report.referrers);
  if (!report.referrers.empty() && !force) {
    const Referrer& first = report.referrers.front();
    std::string what = first.source + " refers to " + first.refers_to;
    if (report.referrers.size() > 1) what += ", and " + std::to_string(report.referrers.size() - 1) + " more do";
    return std::unexpected(
        Error{ErrorCode::kConflict, path, {}, std::move(what), "change the references first, or use --force"});
  }
  for (const std::string& file : found.files) {
    ASSETC_CHECK(disk.remove(in_root(options.root, file)));
  }
  for (const std::string& file : found.files) {
    remove_empty_folders(options, file, disk);
    if (identity::owner_of_meta(file).empty()) report.removed.push_back(file);
  }
  ASSETC_TRY(report.import, look(options, false, disk));
  return report;
}

}  // namespace assetc::engine
