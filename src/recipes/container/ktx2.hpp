// Writes textures as .ktx2.
#pragma once

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/ktx2.hpp"
#include "texture/encoded.hpp"

namespace assetc::recipes {

// Returns what ktx2::write() takes. Lifetime: it refers to the bytes of the levels.
ktx2::Texture ktx2_texture(const texture::EncodedTexture& from);

// Returns the bytes of a .ktx2 file. The same texture gives the same bytes. Errors: those of ktx2::write().
Result<ByteVector> write_ktx2(const texture::EncodedTexture& from);

}  // namespace assetc::recipes
