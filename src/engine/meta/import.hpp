// Brings the .meta files of a repository up to date with its sources.
#pragma once

#include <string>
#include <vector>

#include "engine/disk/disk.hpp"
#include "identity/reconcile.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

struct ImportOptions {
  std::string root = ".";            // of the repository: Assets/, Demo/<name>/Assets/ and Tools/Assets/ are below it
  std::string build_root = "build";  // its Cache/Sources.json is what earlier imports saw; disposable
  bool check = false;                // write nothing
  bool prune = false;                // remove .meta files whose sources are gone
  int threads = 0;                   // 0: one a core
};

struct ImportReport {
  std::size_t sources = 0;
  std::size_t sub_assets = 0;
  std::vector<identity::IdentityChange> changes;  // by path
  std::vector<Error> errors;                      // by file: sources, .meta files, virtual paths
  std::vector<std::string> pruned;
  std::vector<identity::Meta> assets;  // what the .meta of every source says then, by path
};

// Every source below the folders of assets gets an X.meta: see identity::reconcile. A .meta that does not parse, and
// its source, are left as they are; one that fails to be written is an error of that file, and the others go on.
// Nothing but .meta files and the cache is written, each by rename. Fails where the root cannot be walked.
Result<ImportReport> import_assets(const ImportOptions& options, Disk& disk);

}  // namespace assetc::engine
