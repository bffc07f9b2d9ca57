// Brings the .meta files of a repository up to date with its sources.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/disk/disk.hpp"
#include "identity/reconcile.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

// Below the build root: what earlier imports saw, and that the last one left nothing to do; disposable.
inline constexpr std::string_view kRememberedPath = "Cache/Sources.bin";
inline constexpr std::string_view kImportMarkPath = "Cache/Sources.mark";

struct ImportOptions {
  std::string root = ".";  // of the repository: Assets/, Demo/<name>/Assets/ and Tools/Assets/ are below it
  bool check = false;      // write nothing
  bool prune = false;      // remove .meta files whose sources are gone
  bool list_assets = false;
  std::string platform;  // whose configuration has to resolve, too; empty: none
  int threads = 0;       // 0: one a core
};

struct ImportReport {
  std::size_t sources = 0;
  std::size_t sub_assets = 0;
  std::vector<identity::IdentityChange> changes;  // by path
  std::vector<Error> errors;                      // by file: sources, .meta files, virtual paths
  std::vector<std::string> pruned;
  std::vector<recipes::Diagnostic> diagnostics;  // what the walk left out: links out of the repository, say
  // Of list_assets: what the .meta of every source says then, by path; and who refers to others by name.
  std::vector<identity::Meta> assets;
  struct NamedReference {
    std::string source;
    std::string name;  // a UUID or a virtual path
  };
  std::vector<NamedReference> named_references;
};

// Every source below the folders of assets gets an X.meta: see identity::reconcile. A .meta that does not parse, and
// its source, are left as they are; one that fails to be written is an error of that file, and the others go on.
// Nothing but .meta files and the cache is written, each by rename. What cannot be read is an error, and keeps its
// .meta. Links that lead out of the root are not followed, unless the configuration says so. Fails where the root
// cannot be walked, and on a configuration that cannot be read.
Result<ImportReport> import_assets(const ImportOptions& options, Disk& disk);

}  // namespace assetc::engine
