// What an import says of parts that a .meta lists and its source lacks.
#pragma once

#include "identity/meta.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

// meta: one with absent sub-assets.
recipes::Diagnostic note_of_absent(const identity::Meta& meta);

}  // namespace assetc::engine
