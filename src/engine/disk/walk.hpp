// The directory walk of RealDisk.
#pragma once

#include <string>

#include "engine/disk/disk.hpp"

namespace assetc::engine {

// See Disk::walk.
Result<Tree> walk_tree(const std::string& root, const Disk::Skip& skip, int threads, Links links);

}  // namespace assetc::engine
