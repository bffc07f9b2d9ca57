// The parameters of a step as one text.
#pragma once

#include <string>
#include <string_view>

#include "recipes/recipe.hpp"

namespace assetc::engine {

// A map of strings as one text and back; equal maps, equal text.
std::string encode_params(const recipes::Params& params);
recipes::Params decode_params(std::string_view text);

}  // namespace assetc::engine
