// A KTX 2 file as a source of the texture recipe.
#pragma once

#include <cstdint>

#include "assetc/base/bytes.hpp"
#include "recipes/recipe.hpp"

namespace assetc::recipes {

bool is_ktx2(ByteSpan bytes);

// The file itself where texture.format is what it holds already, or where its texels cannot become that, which a
// warning says; else its largest level compiled like a picture. Errors: a file that is not sound, all of its levels of
// Zstd or BasisLZ included.
Result<Product> cook_ktx2(const Step& step, const Bytes& file);

// Of a file that starts so, without its own bytes.
std::uint64_t ktx2_peak_bytes(const Step& step, ByteSpan head);

}  // namespace assetc::recipes
