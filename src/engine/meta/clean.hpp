// What a cook and an import left, taken away again.
#pragma once

#include <string>
#include <vector>

#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"

namespace assetc::engine {

struct CleanOptions {
  bool cache = false;     // what earlier imports and cooks remember: the next ones start anew
  bool cooked = false;    // blobs, registries and what cooks remember; bundles stay
  bool imported = false;  // what imports remember
};

// The files that are gone, as they were named. Only files that a cook or an import makes, by the places and names of
// their layout, are removed; folders go when they are empty. kConflict where a cook runs.
Result<std::vector<std::string>> clean(const Config& pipeline, const CleanOptions& options, Disk& disk);

}  // namespace assetc::engine
