// Encodes the parameters of a step as one text.
#pragma once

#include <string>
#include <string_view>

#include "recipes/recipe.hpp"

namespace assetc::engine {

// Equal maps give equal texts.
std::string encode_params(const recipes::Params& params);
recipes::Params decode_params(std::string_view text);

}  // namespace assetc::engine
