// What tells one state of an output's cache from another.
#pragma once

#include <string>

#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"

namespace assetc::engine {

std::string cache_path(const Profile& profile);

// The files of a cache, which every build but one that finds nothing to do changes.
struct CacheStamp {
  FileSignature database, log;  // zero of what is not there
  bool operator==(const CacheStamp&) const = default;
};
CacheStamp cache_stamp(const Profile& profile, Disk& disk);

}  // namespace assetc::engine
