// Checks whether paths lie inside a folder once links are followed.
#pragma once

#include <string>
#include <vector>

#include "engine/disk/disk.hpp"

namespace assetc::engine {

// The paths that lie inside root after links are resolved, relative to root.
std::vector<std::string> paths_inside(Disk& disk, const std::string& root, const std::vector<std::string>& paths);

}  // namespace assetc::engine
