// Updates the .meta files of a repository to match its sources.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/disk/disk.hpp"
#include "engine/meta/settling.hpp"
#include "identity/reconcile.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

// Paths below the build root. The first file records what earlier imports found. The second one marks that the last
// import left nothing to do. Both may be deleted at any time.
inline constexpr std::string_view kRememberedPath = "Cache/Sources.bin";
inline constexpr std::string_view kImportMarkPath = "Cache/Sources.mark";

struct ImportOptions {
  std::string root = ".";  // repository root: contains Assets/, Demo/<name>/Assets/ and Tools/Assets/
  bool check = false;      // write nothing
  bool prune = false;      // remove .meta files whose sources are gone
  bool list_assets = false;
  bool by_hand = false;    // a person started it: values that a person edited get redirects
  std::string platform;    // its configuration must resolve too; empty: none
  int threads = 0;         // 0: one per core
  Patience patience = {};  // with other programs that write
};

struct ImportReport {
  std::size_t sources = 0;
  std::size_t sub_assets = 0;
  std::vector<identity::IdentityChange> changes;  // sorted by path
  std::vector<Error> errors;                      // sorted by file: sources, .meta files, virtual paths
  std::vector<std::string> pruned;
  std::vector<Tree::Twin> twins;  // folders that several paths lead to: a file in them is one asset
  bool is_busy = false;           // another program writes the same files now: errors may be because of that
  std::vector<recipes::Diagnostic> diagnostics;  // what the walk left out, such as links out of the repository
  std::vector<recipes::Diagnostic> notes;        // of .meta files that changed since the last import
  // Only with list_assets: the content of each source's .meta after the import, sorted by path, and the sources that
  // refer to other assets by name.
  std::vector<identity::Meta> assets;
  struct NamedReference {
    std::string source;
    std::string name;  // a UUID or a virtual path
  };
  std::vector<NamedReference> named_references;
};

// Creates or updates a .meta for each source below the folders of assets: see identity::reconcile.
//
// - Only .meta files and the cache are written, each by rename.
// - Another program that writes at the same time wins: a .meta that appeared or changed meanwhile stays. Nothing is
//   written in a folder that changed within the last second; the import waits, and looks again: see Patience.
// - A .meta that does not parse is left unchanged, and so is its source.
// - If a .meta cannot be written, that is an error of this file only; the import continues.
// - A source that cannot be read is an error and keeps its .meta.
// - Links that lead out of the root are not followed, unless the configuration allows it.
//
// Fails if the root cannot be walked or the configuration cannot be read.
Result<ImportReport> import_assets(const ImportOptions& options, Disk& disk);

}  // namespace assetc::engine
