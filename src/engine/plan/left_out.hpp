// What of the input a build does not look at, said so that nothing is lost in silence.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/disk/disk.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

// One diagnostic a kind of thing, naming the first of them: hidden files that a recipe would take, links to nothing,
// links to a folder around them, pipes and the like, outputs of other builds; a note of hidden folders. Version
// control's own folders, and what the file managers of macOS leave beside files, are not worth a word.
// Nothing is said of a path for which is_ignored, if there is one, is true.
std::vector<recipes::Diagnostic> left_out_of(const Tree& tree, std::span<const recipes::Recipe* const> recipes,
                                             const std::function<bool(std::string_view)>& is_ignored = {});

}  // namespace assetc::engine
