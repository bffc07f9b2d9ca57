// The libraries that encode and compress textures, with the version that each reports: one line "name=version" each.
#pragma once

#include <string>

namespace assetc::texture {

std::string libraries();

// The version of libastcenc; "none" if the build leaves it out.
std::string astcenc_version();

}  // namespace assetc::texture
