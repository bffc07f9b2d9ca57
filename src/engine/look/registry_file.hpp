// Compares registries, and exports them.
#pragma once

#include <string>
#include <vector>

#include "assetc/base/result.hpp"
#include "assetc/formats/registry.hpp"
#include "engine/disk/disk.hpp"
#include "engine/target/open_registry.hpp"

namespace assetc::engine {

// A change of one asset between two registries, by UUID.
struct RegistryChange {
  enum class Kind : std::uint8_t { kAdded, kRemoved, kRenamed, kChanged };
  Kind kind = Kind::kAdded;
  Uuid uuid;
  std::string virtual_path;  // in the new registry; of a removed asset, in the old one
  std::string before;  // of kRenamed: the old virtual path; of kChanged: what changed, "dependencies, description"
};
// Sorted by virtual path. An asset that was both renamed and changed is listed twice.
std::vector<RegistryChange> compare_registries(const registry::View& old_one, const registry::View& new_one);

// Writes an SQLite database of the registry: tables asset, dependency, redirector. Deterministic for one SQLite
// version. The file at `path` is replaced when the database is complete. Errors: kIo.
Result<void> export_registry(const registry::View& view, const std::string& path, Disk& disk);

}  // namespace assetc::engine
