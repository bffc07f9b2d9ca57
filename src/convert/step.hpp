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

// The same for optimize_file(). Outputs: the .glb or .gltf, the files beside a .gltf, and as the last one the files
// that it was made of, as write_sources() gives them.
extern const recipes::Recipe kOptimizeRecipe;
recipes::Params params_of(const OptimizeOptions& options, const std::string& output);

// The same for the models of a folder, each of which becomes a .glb: its only output.
extern const recipes::Recipe kOptimizeFolderRecipe;

// One line for each file: its size in bytes and its path, relative to the folder of the input if it is below.
std::string write_sources(const SourceSizes& sources, std::string_view input);
// Reads them again, with the paths relative to the folder of the input, or absolute.
SourceSizes read_sources(std::string_view text);

}  // namespace assetc::convert
