// The bundles of a cook: `bundles:` divides its assets, and each bundle is a file in Bundles/ below the output folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"
#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"
#include "engine/state/cache.hpp"
#include "engine/target/target.hpp"

namespace assetc::engine {

inline constexpr std::string_view kBundlesFolder = "Bundles";

// A bundle that was written, or removed because no rule makes it any more.
struct BundleChange {
  std::string path;
  bool is_removed = false;
  bool was_signed = false;  // the file before was; this one is not
  std::uint64_t assets = 0;
  std::uint64_t pulled = 0;  // of these: assets that no rule selects, but that others depend on
  std::uint64_t bytes = 0;
};

struct BundlesReport {
  std::uint64_t count = 0;            // of bundles by rule; 0 if nothing was looked at
  std::vector<BundleChange> changes;  // in the order of the rules, then what was removed
  std::uint64_t left = 0;             // assets in no bundle
};

struct BundleRequest {
  const Tree& outputs;      // after the cook, if it looked at all sources
  bool is_partial = false;  // some sources were not cooked: rules that match nothing are no errors
  bool verifies = false;    // compare every bundle with its assets, and verify each one that is written
};

// Brings the bundles up to date with the registry. A bundle with the right contents is left as it is, also if it is
// signed. Looks at nothing if neither the outputs nor the rules nor the bundles have changed since the last call.
// Errors: those of bundle::divide() with the file of the configuration; of reading blobs; of writing.
Result<BundlesReport> update_bundles(const Target& target, const Profile& profile, const BundleRequest& request,
                                     Disk& disk, Cache& cache);

}  // namespace assetc::engine
