// One MTL library: its materials mapped to PBR.
#pragma once

#include <string_view>

#include "import/source.hpp"

namespace assetc::importer {

// Adds the materials of an MTL file, in whatever encoding, to imported.scene, and warnings and drops beside them. One
// whose name is known already is ignored, as the first definition counts. mtl_path locates its images and names it in
// messages.
void read_mtl(std::string_view mtl_path, std::string_view bytes, Imported& imported);

// Says that a text was not UTF-8. path: the file's, or empty for the source itself.
void warn_of_latin1(std::string_view path, Imported& imported);

}  // namespace assetc::importer
