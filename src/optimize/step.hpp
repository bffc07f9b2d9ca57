// The optimizer as a step that an engine can run: its input, settings and params determine the result.
#pragma once

#include <string>
#include <string_view>

#include "optimize/optimize.hpp"
#include "recipes/recipe.hpp"

namespace assetc::optimize {

// Outputs: the .glb or .gltf, the files beside a .gltf, and as the last one the files that it was made of, as
// write_sources() gives them.
extern const recipes::Recipe kOptimizeRecipe;
// The params for OptimizeOptions and output. Settings are not included.
recipes::Params params_of(const OptimizeOptions& options, const std::string& output);

// The same for the models of a folder, each of which becomes a .glb: its only output.
extern const recipes::Recipe kOptimizeFolderRecipe;

// One line for each file: its size in bytes and its path, relative to the folder of the input if it is below.
std::string write_sources(const SourceSizes& sources, std::string_view input);
// Reads them again, with the paths relative to the folder of the input, or absolute.
SourceSizes read_sources(std::string_view text);

}  // namespace assetc::optimize
