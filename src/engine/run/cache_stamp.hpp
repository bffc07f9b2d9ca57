// The stamp that distinguishes two states of an output's cache.
#pragma once

#include <string>

#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"

namespace assetc::engine {

std::string cache_path(const Profile& profile);

// The signatures of the cache files. Every build changes them, except one that finds nothing to do.
struct CacheStamp {
  FileSignature database, log;  // zero if the file does not exist
  bool operator==(const CacheStamp&) const = default;
};
CacheStamp cache_stamp(const Profile& profile, Disk& disk);

}  // namespace assetc::engine
