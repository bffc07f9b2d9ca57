// The directory walk of RealDisk.
#pragma once

#include <ctime>
#include <string>

#include "engine/disk/disk.hpp"

namespace assetc::engine {

inline std::int64_t ns_of(const timespec& t) { return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec; }

// See Disk::walk.
Result<Tree> walk_tree(const std::string& root, const Disk::Skip& skip, int threads, Links links);

}  // namespace assetc::engine
