// The input tree, output tree and cache of a build, held under its lock.
#pragma once

#include <memory>

#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"
#include "engine/run/cache_stamp.hpp"
#include "engine/state/cache.hpp"
#include "engine/target/target.hpp"

namespace assetc::engine {

struct Workspace {
  std::unique_ptr<DiskLock> lock;  // null if nothing is written
  CacheStamp found;                // before the cache was opened
  std::unique_ptr<Cache> cache;
  std::int64_t walked_at_ns = 0;
  Tree input;
  Tree output;
};

// Errors: kNotFound if there is no input directory, kUsage if the output contains the input, kConflict while another
// build holds the lock, kIo.
Result<Workspace> open_workspace(const Profile& profile, const Target& target, Disk& disk, int threads, bool read_only);

}  // namespace assetc::engine
