// The two trees of a build and its cache, held under its lock.
#pragma once

#include <memory>

#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"
#include "engine/state/cache.hpp"
#include "engine/target/target.hpp"

namespace assetc::engine {

struct Workspace {
  std::unique_ptr<DiskLock> lock;  // none where nothing is written
  std::unique_ptr<Cache> cache;
  std::int64_t walked_at_ns = 0;
  Tree input;
  Tree output;
};

std::string cache_path(const Profile& profile);

// Errors: kNotFound without an input directory, kUsage for an output that contains it, kConflict while another build
// holds the lock, kIo.
Result<Workspace> open_workspace(const Profile& profile, const Target& target, Disk& disk, int threads, bool read_only);

}  // namespace assetc::engine
