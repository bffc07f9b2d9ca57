#include "engine/run/cache_stamp.hpp"

#include "engine/state/cache.hpp"

namespace assetc::engine {

std::string cache_path(const Profile& profile) { return profile.output + "/" + std::string(kCacheName); }

CacheStamp cache_stamp(const Profile& profile, Disk& disk) {
  const auto signature_of = [&](const std::string& path) {
    const auto status = disk.status(path);
    return status ? status->signature : FileSignature{};
  };
  return {signature_of(cache_path(profile)), signature_of(cache_path(profile) + "-wal")};
}

}  // namespace assetc::engine
