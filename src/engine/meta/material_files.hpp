// Writes a .mat for each set of pictures in a folder of sources.
#pragma once

#include <string>
#include <vector>

#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"
#include "recipes/material/sets.hpp"

namespace assetc::engine {

// Paths are for Disk.
struct MaterialFiles {
  std::vector<recipes::MaterialSet> written;  // or that would be written
  std::vector<std::string> kept;              // that are there already, perhaps in other letter case
  std::vector<Error> conflicts;               // MaterialSets::conflicts, and sets whose file could not be written
};

// Finds the sets of pictures below the folder, and writes a .mat for each that has none. Never replaces a file.
// is_dry: writes nothing.
//
// Errors: kNotFound if the folder does not exist or has no set; kUsage if it is no folder, or is not in the input of
// the build; those of the disk.
Result<MaterialFiles> write_material_files(const Profile& profile, const std::string& folder, bool is_dry, Disk& disk);

}  // namespace assetc::engine
