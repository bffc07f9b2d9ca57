// The settings that another engine keeps in a file beside each source, as in `from: unity`.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"
#include "engine/plan/discover.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

// Each file is read at most once. Thread-safe.
class EngineFiles {
 public:
  // is_there: whether the walk has a file; only such files are read, so that a changed one changes the walk. All must
  // outlive this.
  EngineFiles(const Profile& profile, Disk& disk, std::function<bool(std::string_view path)> is_there)
      : profile_(profile), disk_(disk), is_there_(std::move(is_there)) {}

  // "key=value\n" for each setting of a source. Empty without `from:`, or if the engine says nothing. A damaged file is
  // a warning, and says nothing.
  std::string_view settings(std::string_view source);
  // The source for which Unity has this GUID, by the .meta files of the tree, which are all read at the first call.
  // Nothing without `from: unity`.
  std::optional<std::string> source_of(const Uuid& guid, const Tree& tree);
  // The same as a function; empty without `from: unity`. The tree must outlive it.
  std::function<std::optional<std::string>(const Uuid& guid)> source_finder(const Tree& tree);
  // Of the files that were read, by path.
  std::vector<recipes::Diagnostic> diagnostics() const;

 private:
  std::string read(const std::string& source, std::vector<recipes::Diagnostic>& diagnostics) const;

  struct One {
    std::string lines;
    std::vector<recipes::Diagnostic> diagnostics;
  };
  const Profile& profile_;
  Disk& disk_;
  const std::function<bool(std::string_view)> is_there_;
  std::once_flag knows_guids_;
  std::unordered_map<Uuid, std::string> by_guid_;
  mutable std::mutex mutex_;
  std::map<std::string, One, std::less<>> by_source_;
};

// A warning if sources have files of an engine beside them that `from:` does not name. It looks at the first few.
std::optional<recipes::Diagnostic> unread_engine_files(const Profile& profile, const Tree& tree, const Sources& sources,
                                                       const FileTable& files);

// Whether a change of this file may change the settings or the set of sources.
bool is_engine_file(const Profile& profile, std::string_view path);

}  // namespace assetc::engine
