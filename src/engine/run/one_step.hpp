// Runs one step on files that belong to no project, in the same way as a build. The step's product is found in a store
// by its key and checked against the files it read. Otherwise it is cooked, tracked and stored.
#pragma once

#include <string>
#include <vector>

#include "assetc/base/result.hpp"
#include "engine/disk/disk.hpp"
#include "engine/store/store.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

struct OneStep {
  const recipes::Recipe& recipe;  // asks for no further steps, and sees all settings
  std::string input;              // an absolute path; the recipe also names files by absolute paths
  recipes::Settings settings;
  recipes::Params params;  // all that decides the outputs besides the settings and the files that are read
  // The absolute path without links of the folder in which all files that the recipe reads have to lie, also through
  // links; empty: they may lie anywhere. The input has to be below it.
  std::string root = {};
  Bytes inline_input{};  // instead of the file, if it is not empty; input is then only a name: "/picture"
};

struct OneProduct {
  std::vector<recipes::Output> outputs;
  std::vector<recipes::Diagnostic> diagnostics;
};

// store: may be null. Errors: those of the recipe.
Result<OneProduct> run_one(const OneStep& step, Disk& disk, Store* store);
// The same for a step that a cook asks for: recipes::Inputs::make().
Result<recipes::Product> make_inline(const recipes::Step& step, Disk& disk, Store* store);

}  // namespace assetc::engine
