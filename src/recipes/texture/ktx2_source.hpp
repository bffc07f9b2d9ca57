// Texture files as sources of the texture recipe: KTX 2, and KTX 1 and DDS, which are first converted to KTX 2.
#pragma once

#include <cstdint>

#include "assetc/base/bytes.hpp"
#include "recipes/recipe.hpp"

namespace assetc::recipes {

// The file is copied if it already has the format of texture.format, or, with a warning, if its texels cannot be
// converted to that. Otherwise its largest level is compiled like a picture.
// Errors: a damaged file, including any level of Zstd or BasisLZ.
Result<Product> cook_texture_file(const Step& step, const Bytes& source);

// The peak memory for a file with this head, without the bytes of the file itself.
std::uint64_t texture_file_peak_bytes(const Step& step, ByteSpan head);

}  // namespace assetc::recipes
