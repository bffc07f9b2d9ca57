// One step on files that belong to no project, run as builds run theirs: found in a store by its key and held to what
// it read, or cooked, tracked and put there.
#pragma once

#include <string>
#include <vector>

#include "assetc/base/result.hpp"
#include "engine/disk/disk.hpp"
#include "engine/store/local_store.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

struct OneStep {
  const recipes::Recipe& recipe;  // asks for no further steps, and sees all settings
  std::string input;              // an absolute path; the recipe names all files so
  recipes::Settings settings;
  recipes::Params params;  // what decides the outputs beside the settings and the files that are read
};

struct OneProduct {
  std::vector<recipes::Output> outputs;
  std::vector<recipes::Diagnostic> diagnostics;
};

// store: may be null. Errors: those of the recipe.
Result<OneProduct> run_one(const OneStep& step, Disk& disk, LocalStore* store);

}  // namespace assetc::engine
