// Paths as they are seen from a folder.
#pragma once

#include <string>
#include <vector>

#include "engine/disk/disk.hpp"

namespace assetc::engine {

// Those of paths that lie inside root once links are followed, relative to it.
std::vector<std::string> paths_inside(Disk& disk, const std::string& root, const std::vector<std::string>& paths);

// Errors: kConflict for the first of paths that a link leads out of root, named by its path.
Result<void> check_inside(Disk& disk, const std::string& root, const std::vector<std::string>& paths);

}  // namespace assetc::engine
