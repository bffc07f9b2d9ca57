// Which files of the output directory are ours, kept beside the cache, so that losing the cache does not lose that.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "engine/disk/disk.hpp"
#include "engine/target/target.hpp"

namespace assetc::engine {

// Thread-safe.
class OutputNotes {
 public:
  // root: the output directory. disk and target outlive the notes.
  OutputNotes(Disk& disk, const std::string& root, const Target& target);

  // Notes a path before its first byte is written: whatever happens then, a later build can tell that the file is ours.
  Result<void> add(std::string_view path);
  // The paths noted and not replaced since that known does not take, in no order.
  Result<std::vector<std::string>> all_but(const std::function<bool(std::string_view)>& known);
  Result<void> replace(const std::vector<std::string>& paths);
  // Whether a path is noted. Notes must have been loaded, and no other thread may change them.
  bool has(std::string_view path) const { return noted_ && noted_->contains(std::string(path)); }
  // What was damaged when the notes were loaded; empty when nothing was. Replace them then.
  const std::string& dropped() const { return dropped_; }

 private:
  Result<void> load();
  Result<void> write_all();

  Disk& disk_;
  const Target& target_;
  std::string path_;  // of a file of paths, each after its checksum and ended by a zero byte
  std::mutex mutex_;
  std::optional<std::unordered_set<std::string>> noted_;  // loaded when first needed
  std::unique_ptr<RandomFile> file_;
  std::uint64_t end_ = 0;
  std::string dropped_;
};

}  // namespace assetc::engine
