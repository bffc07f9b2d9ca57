// Reports the files of the input that a build leaves out, so that none is ignored silently.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/disk/disk.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

// One diagnostic per kind, which names the first file: hidden files that a recipe would take, broken links, links to a
// folder that they lie in, pipes and other special files, outputs of other builds. Hidden folders are a note. Folders
// of version control, and files that macOS file managers leave beside others, are not reported.
// Paths for which is_ignored, if set, returns true are not reported either.
std::vector<recipes::Diagnostic> left_out_of(const Tree& tree, std::span<const recipes::Recipe* const> recipes,
                                             const std::function<bool(std::string_view)>& is_ignored = {});

}  // namespace assetc::engine
