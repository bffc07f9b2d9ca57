// The libraries that textures are encoded and compressed with, as they report themselves: a line "name=version" each.
#pragma once

#include <string>

namespace assetc::texture {

std::string libraries();

// Of the one that a build may leave out; "none" where it does.
std::string astcenc_version();

}  // namespace assetc::texture
