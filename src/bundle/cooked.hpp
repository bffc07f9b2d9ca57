// What the registry of a cooked folder says is in it: Registry/AssetRegistry.json, schema 1.
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
  std::string cooked_path;  // below the cooked folder
  std::vector<Uuid> dependencies;
};

// Assets in the order of their UUIDs. Redirectors have no bytes and are left out. Errors: kInvalidData with the JSON
// pointer of the fault, kVersion, kConflict for a UUID that two assets have.
Result<std::vector<CookedAsset>> read_registry(std::string_view json);

// Whether a virtual path is `prefix` or lies below it, in any letter case; a slash, or a slash and a star, at its end
// change nothing, and a star alone is above all.
bool is_below(std::string_view virtual_path, std::string_view prefix);

}  // namespace assetc::bundle
