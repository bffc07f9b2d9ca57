// Whether the texels of a picture fit its usage.
#pragma once

#include <vector>

#include "recipes/recipe.hpp"
#include "scene/image.hpp"

namespace assetc::recipes {

// Warns if texels contradict the mode of a step.
void check_texels(const scene::Image& image, TextureUsage mode, std::vector<Diagnostic>& diagnostics);

// Warns if a picture is color because no set needs the word at the end of its name (kNounParam), but its texels look
// like data.
void check_noun(const scene::Image& image, const Params& params, std::vector<Diagnostic>& diagnostics);

}  // namespace assetc::recipes
