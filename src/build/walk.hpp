// The directory walk of RealDisk.
#pragma once

#include <string>

#include "build/disk.hpp"

namespace assetc::build {

// See Disk::walk.
Result<Tree> walk_tree(const std::string& root, const Disk::Skip& skip, int threads);

}  // namespace assetc::build
