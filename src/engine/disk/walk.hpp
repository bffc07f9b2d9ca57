// The directory walk of RealDisk.
#pragma once

#include <string>

#include "engine/disk/disk.hpp"
#include "os/file.hpp"

namespace assetc::engine {

inline FileSignature signature_of(const os::Status& status) {
  return {status.size_bytes, status.mtime_ns, status.ctime_ns, status.inode};
}

// See Disk::walk.
Result<Tree> walk_tree(const std::string& root, const Disk::Skip& skip, int threads, Links links);

}  // namespace assetc::engine
