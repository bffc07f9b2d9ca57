// Removes what has not been used for longest from a bucket of S3 or a container of Azure.
#pragma once

#include <cstdint>
#include <optional>

#include "assetc/base/result.hpp"
#include "engine/remote/remote_store.hpp"

namespace assetc::engine {

struct TrimLimits {
  std::optional<std::uint64_t> size_bytes;  // of what may stay
  std::optional<std::int64_t> age_s;        // what was used less recently is removed
};

struct Trimmed {
  std::uint64_t removed = 0, removed_bytes = 0;
  std::uint64_t kept = 0, kept_bytes = 0;  // entries and blobs
  std::uint64_t others = 0;                // below the same URL, but not of a cache; they stay
};

// Last use is the time at which an object was written, which builds that may write refresh (RemoteStore). now_s: since
// 1970, UTC. transfers: to settings.endpoint. only_count: removes nothing. Errors: kUnsupported for other servers, kIo
// for the first request that failed.
Result<Trimmed> trim_remote(const Endpoint& endpoint, Transfers& transfers, const TrimLimits& limits,
                            std::int64_t now_s, bool only_count);

}  // namespace assetc::engine
