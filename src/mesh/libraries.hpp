// The libraries that build meshes, with the version that each reports: one line "name=version" each.
#pragma once

#include <string>

namespace assetc::mesh {

std::string libraries();

}  // namespace assetc::mesh
