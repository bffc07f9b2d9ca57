// One MTL library: its materials mapped to PBR.
#pragma once

#include <string_view>

#include "import/source.hpp"

namespace assetc::importer {

// Adds the materials of an MTL text to imported.scene, and warnings and drops beside them. One whose name is known
// already is ignored, as the first definition counts. mtl_path locates its images and names it in messages.
void read_mtl(std::string_view mtl_path, std::string_view text, Imported& imported);

}  // namespace assetc::importer
