// Outputs that lie in one file, because their bytes are equal. The file is named by its content, so it never gets other
// bytes: after a build that failed, the index of the last good build still leads to what it says.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>

#include "assetc/base/hash.hpp"
#include "assetc/base/result.hpp"
#include "engine/state/cache.hpp"
#include "engine/target/target.hpp"

namespace assetc::engine {

// Thread-safe. A file is here its path below the output folder.
class SharedFiles {
 public:
  // Each pair: an output without a file of its own, and the file in which it lies.
  using Table = std::map<std::string, std::string, std::less<>>;

  // As the last build left them. Forgets what was published since.
  void begin(Table table);
  // Begins another build with the same table.
  void begin_next();
  Table table() const;
  // The file in which an output lies; nothing: its own.
  std::optional<std::string> file_of(std::string_view output) const;
  std::set<std::string, std::less<>> files() const;

  // Whether an output with this content must lie in the shared file for it: it does already, or another output of this
  // build has the content.
  bool takes(std::string_view output, std::string_view file, const ContentHash& content) const;
  void put(std::string_view output, std::string_view file);
  // The output has a file of its own, or none any more. content: what was published there.
  void leave(std::string_view output, const std::optional<ContentHash>& content = {});

 private:
  mutable std::mutex mutex_;
  Table table_;
  std::unordered_set<ContentHash> published_;  // in this build, in files of single outputs
};

// The table as an entry of the cache. Rows with a path that no output can have are left out.
SharedFiles::Table read_shared_files(Cache& cache, const Target& target);
Result<void> write_shared_files(Cache& cache, const SharedFiles::Table& table);

}  // namespace assetc::engine
