// The libraries that importers decode with, as they report themselves: a line "name=version" each.
#pragma once

#include <string>

namespace assetc::importer {

std::string picture_libraries();
std::string model_libraries();

// Of those that a build may leave out; "none" where it does.
std::string assimp_version();
std::string draco_version();
std::string openexr_version();
std::string webp_version();

}  // namespace assetc::importer
