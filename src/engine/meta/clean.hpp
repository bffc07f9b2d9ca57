// Removes the files that cooks and imports leave behind.
#pragma once

#include <string>
#include <vector>

#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"

namespace assetc::engine {

struct CleanOptions {
  bool cache = false;     // records of earlier imports and cooks; the next ones start from scratch
  bool cooked = false;    // blobs, registries and the records of cooks; bundles stay
  bool imported = false;  // records of imports
};

// Returns the paths of the removed files. Only files at the places and with the names that a cook or an import uses are
// removed, and folders only if they become empty. kConflict if a cook is running.
Result<std::vector<std::string>> clean(const Config& pipeline, const CleanOptions& options, Disk& disk);

}  // namespace assetc::engine
