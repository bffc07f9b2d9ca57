// Files that hold a texture, as sources of the texture recipe: KTX 2, and KTX 1 and DDS, which become KTX 2 first.
#pragma once

#include <cstdint>

#include "assetc/base/bytes.hpp"
#include "recipes/recipe.hpp"

namespace assetc::recipes {

// The file itself where texture.format is what it holds already, or where its texels cannot become that, which a
// warning says; else its largest level compiled like a picture. Errors: a file that is not sound, all of its levels of
// Zstd or BasisLZ included.
Result<Product> cook_texture_file(const Step& step, const Bytes& file);

// Of a file that starts so, without its own bytes.
std::uint64_t texture_file_peak_bytes(const Step& step, ByteSpan head);

}  // namespace assetc::recipes
