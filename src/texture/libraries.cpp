#include "texture/libraries.hpp"

#include <zstd.h>

namespace assetc::texture {

std::string libraries() { return "libastcenc=" + astcenc_version() + "\nlibzstd=" + ZSTD_versionString() + "\n"; }

}  // namespace assetc::texture
