// A conversion as a step that an engine can run: its input, settings and params determine the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "convert/convert.hpp"
#include "recipes/recipe.hpp"

namespace assetc::convert {

// The suffixes of its outputs follow the stem of the requested file, which is the first output. Files are named as in
// convert_file().
extern const recipes::Recipe kConvertRecipe;

// The params for ConvertOptions and output. Only the part of output that matters is included: its suffix, or the whole
// path for a mesh, whose references to materials and textures are built from it. Settings are not included.
recipes::Params params_of(const std::string& output, const ConvertOptions& options);

// For steps of other conversions (optimize/step.hpp).

// Numbers in params. A param that is absent is 0.
void put_number(recipes::Params& params, std::string_view name, std::uint32_t value);
std::uint32_t number_of(const recipes::Params& params, std::string_view name);
// A product whose outputs are named by what follows the first stem_length characters of their paths.
recipes::Product product_of(Converted converted, std::size_t stem_length);
// Recipe::libraries and Recipe::estimate_peak_bytes of a conversion of one file by a command.
std::string conversion_libraries();
std::uint64_t estimate_no_bytes(const recipes::Step& step, recipes::Inputs& inputs);

}  // namespace assetc::convert
