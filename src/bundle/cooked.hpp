// The registry of a cooked folder: Registry/AssetRegistry.json, schema 1.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"
#include "assetc/base/uuid.hpp"

namespace assetc::bundle {

struct CookedAsset {
  Uuid uuid;
  std::string type;
  std::string virtual_path;
  std::string cooked_path;         // relative to the cooked folder
  std::vector<Uuid> dependencies;  // hard ones
  std::vector<std::string> tags;
  std::string sha256;   // of its file, in hex; empty: not stated
  std::string license;  // of its source; empty: not stated
  Uuid container;       // the main asset of its source; nil: it is that asset
};

// Returns the assets, ordered by UUID. Redirectors have no bytes and are left out. Errors: kInvalidData with the JSON
// pointer of the error, kVersion, kConflict if two assets have the same UUID. is_incomplete: whether a cook with
// --keep-going left assets out.
Result<std::vector<CookedAsset>> read_registry(std::string_view json, bool* is_incomplete = nullptr);

// Returns whether a virtual path is `prefix` or below it, in any letter case. A slash, or a slash and a star, at the
// end of `prefix` is ignored. A star alone matches every path.
bool is_below(std::string_view virtual_path, std::string_view prefix);

}  // namespace assetc::bundle
