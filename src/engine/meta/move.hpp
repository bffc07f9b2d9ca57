// Files of assets moved and removed as wholes: with what their .meta says, and with who refers to them named.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/disk/disk.hpp"
#include "engine/meta/import.hpp"

namespace assetc::engine {

// A source that names another by its path, its UUID or a virtual path: it breaks where that goes.
struct Referrer {
  std::string source;
  std::string refers_to;
};

struct MoveReport {
  std::vector<std::pair<std::string, std::string>> moved;  // from, to; .meta files are not among them
  std::vector<std::string> removed;
  std::vector<Referrer> referrers;  // that stay
  ImportReport import;              // of the repository as it is then
};

// Moves a source, or a folder of them, within the repository, and imports: UUIDs stay, old virtual paths redirect.
// Paths are relative to the root. `to` may be a folder that is there. Errors, before anything moved: kNotFound,
// kConflict (a file is in the way), kUsage (no asset, a .meta, out of the folders of assets, or where a link leads out
// of the root).
Result<MoveReport> move_assets(const ImportOptions& options, const std::string& from, const std::string& to,
                               Disk& disk);

// Removes a source or a folder of them with their .meta; of a link to a folder, the link. kConflict, before anything is
// gone, where others refer to it and `force` is false.
Result<MoveReport> remove_assets(const ImportOptions& options, const std::string& path, bool force, Disk& disk);

}  // namespace assetc::engine
