// The libraries that importers decode with, as each reports itself: one line "name=version" per library.
#pragma once

#include <string>

namespace assetc::importer {

std::string picture_libraries();
std::string model_libraries();

// Libraries that a build may omit; "none" if it does.
std::string ufbx_version();
std::string draco_version();
std::string openexr_version();
std::string webp_version();

}  // namespace assetc::importer
