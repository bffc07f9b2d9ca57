// Reads one MTL library and maps its materials to PBR.
#pragma once

#include <string_view>

#include "import/model/source.hpp"

namespace assetc::importer {

// Adds the materials of an MTL file of any text encoding to imported.scene, with its warnings and dropped statements. A
// material whose name exists already is ignored, because the first definition counts. mtl_path locates the images and
// names the file in messages.
void read_mtl(std::string_view mtl_path, std::string_view bytes, Imported& imported);

// Warns that a text was not UTF-8. path: the path of the file, or empty for the source itself.
void warn_of_latin1(std::string_view path, Imported& imported);

}  // namespace assetc::importer
