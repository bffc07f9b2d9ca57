// A registry's binary form, opened for tools.
#pragma once

#include <string>
#include <vector>

#include "assetc/base/result.hpp"
#include "assetc/formats/registry.hpp"
#include "engine/disk/disk.hpp"

namespace assetc::engine {

// An AssetRegistry.bin that holds together as a whole.
struct RegistryFile {
  Bytes bytes;
  registry::View view;
};
// path: the file, or a cooked folder. Errors: of the disk; those of View::open and View::check.
Result<RegistryFile> open_registry(const std::string& path, Disk& disk);

// What became of one asset between two registries, by UUID.
struct RegistryChange {
  enum class Kind : std::uint8_t { kAdded, kRemoved, kRenamed, kChanged };
  Kind kind = Kind::kAdded;
  Uuid uuid;
  std::string virtual_path;  // in the new one, or of what was removed
  std::string before;  // of kRenamed: the old virtual path; of kChanged: what changed, "dependencies, description"
};
// By virtual path. An asset that was renamed and changed is there twice.
std::vector<RegistryChange> compare_registries(const registry::View& old_one, const registry::View& new_one);

// An SQLite database of it: tables asset, dependency, redirector. Deterministic but for SQLite's version. Replaces what
// is at `path` when it is complete. Errors: kIo.
Result<void> export_registry(const registry::View& view, const std::string& path, Disk& disk);

}  // namespace assetc::engine
