// Reads the binary registry of a cooked folder.
#pragma once

#include <string>

#include "assetc/base/result.hpp"
#include "assetc/formats/registry.hpp"
#include "engine/disk/disk.hpp"

namespace assetc::engine {

// An AssetRegistry.bin that passed View::open and View::check.
struct RegistryFile {
  Bytes bytes;
  registry::View view;
};
// path: the file, or a cooked folder. Errors: of the disk, of View::open and of View::check.
Result<RegistryFile> open_registry(const std::string& path, Disk& disk);

}  // namespace assetc::engine
