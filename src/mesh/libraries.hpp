// The libraries that meshes are built with, as they report themselves: a line "name=version" each.
#pragma once

#include <string>

namespace assetc::mesh {

std::string libraries();

}  // namespace assetc::mesh
