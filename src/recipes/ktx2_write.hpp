// Writes textures as .ktx2.
#pragma once

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "texture/encoded.hpp"

namespace assetc::recipes {

// Returns the bytes of a .ktx2 file. The same texture gives the same bytes. Errors: those of ktx2::write().
Result<ByteVector> write_ktx2(const texture::EncodedTexture& from);

}  // namespace assetc::recipes
