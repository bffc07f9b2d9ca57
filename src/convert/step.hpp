// A conversion as a step, for whoever runs steps: what decides it is in its input, its settings and its parameters.
#pragma once

#include <string>

#include "convert/convert.hpp"
#include "recipes/recipe.hpp"

namespace assetc::convert {

// Its outputs' suffixes follow the stem of the file that was asked for, which is the first. Files are named as
// convert_file() names them.
extern const recipes::Recipe kConvertRecipe;

// Of output that is the part alone which decides: its suffix, and of a mesh, which refers to its materials and textures
// by it, all of it. Settings are not in them.
recipes::Params params_of(const std::string& output, const ConvertOptions& options);

}  // namespace assetc::convert
