// Moves and removes assets together with their .meta files, and lists the sources that refer to them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/disk/disk.hpp"
#include "engine/meta/import.hpp"

namespace assetc::engine {

// A source that refers to another one by path, UUID or virtual path. The reference breaks if the other one goes away.
struct Referrer {
  std::string source;
  std::string refers_to;
};

struct MoveReport {
  std::vector<std::pair<std::string, std::string>> moved;  // from, to; without the .meta files
  std::vector<std::string> removed;
  std::vector<Referrer> referrers;  // sources outside the moved or removed ones
  ImportReport import;              // of the repository afterwards
};

// Moves a source or a folder of sources within the repository, then imports. UUIDs do not change, and old virtual paths
// redirect. Paths are relative to the root. `to` may be an existing folder.
//
// Errors, all before anything is moved: kNotFound; kConflict if a file is in the way; kUsage if the path is not an
// asset, is a .meta, is outside the folders of assets, or leads out of the root through a link.
Result<MoveReport> move_assets(const ImportOptions& options, const std::string& from, const std::string& to,
                               Disk& disk);

// Removes a source or a folder of sources, with their .meta files. If the path is a link to a folder, removes only the
// link. kConflict, before anything is removed, if other sources refer to it and `force` is false.
Result<MoveReport> remove_assets(const ImportOptions& options, const std::string& path, bool force, Disk& disk);

}  // namespace assetc::engine
