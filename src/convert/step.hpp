// A conversion as a step that an engine can run: its input, settings and params determine the result.
#pragma once

#include <string>
#include <string_view>

#include "convert/convert.hpp"
#include "convert/optimize.hpp"
#include "recipes/recipe.hpp"

namespace assetc::convert {

// The suffixes of its outputs follow the stem of the requested file, which is the first output. Files are named as in
// convert_file().
extern const recipes::Recipe kConvertRecipe;

// The params for ConvertOptions and output. Only the part of output that matters is included: its suffix, or the whole
// path for a mesh, whose references to materials and textures are built from it. Settings are not included.
recipes::Params params_of(const std::string& output, const ConvertOptions& options);

// The same for optimize_file(). Outputs: the .glb, and its source's size in bytes as decimal text.
inline constexpr std::string_view kSourceBytesSuffix = ".source_bytes";
extern const recipes::Recipe kOptimizeRecipe;
recipes::Params params_of(const OptimizeOptions& options);

}  // namespace assetc::convert
