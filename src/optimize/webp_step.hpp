// A picture as WebP, in a step of its own: models that show the same picture need it only once.
#pragma once

#include <cstdint>

#include "recipes/recipe.hpp"

namespace assetc::optimize {

// The file of a picture, as encode_pictures() describes it, scaled down to texture.max_size. Input: the bytes of the
// picture, inline. Params: the mode: color, normal or linear; "alpha_cutoff" (a decimal number: keep coverage).
extern const recipes::Recipe kWebpRecipe;

// exporter::WebpOptions::quality of a step. Requires 0 to 100.
void set_webp_quality(recipes::Step& step, std::uint32_t quality);

}  // namespace assetc::optimize
