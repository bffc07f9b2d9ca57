// Records which files of the output directory assetc has written. The list lies beside the cache, so that it survives
// the loss of the cache.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/disk/disk.hpp"
#include "engine/state/positions.hpp"
#include "engine/target/target.hpp"

namespace assetc::engine {

// Thread-safe.
class OutputNotes {
 public:
  // root: the output directory. disk and target outlive the notes.
  OutputNotes(Disk& disk, const std::string& root, const Target& target);

  // Notes a path before its first byte is written. After any failure, a later build can then tell that the file was
  // written by assetc.
  Result<void> add(std::string_view path);
  // The noted paths whose hash (xxh3_64) is not in `hashes`, which is sorted in ascending order.
  Result<std::vector<std::string>> all_but(std::span<const std::uint64_t> hashes);
  Result<void> replace(const std::vector<std::string>& paths);
  // Whether a path is noted. The notes must have been loaded, and no other thread may change them.
  bool has(std::string_view path) const;
  // The damage found when the notes were loaded; empty if none. Call replace() then.
  const std::string& dropped() const { return dropped_; }

 private:
  // The hashes of the noted paths. The paths are not kept: of a hundred thousand, a build that changes one file needs
  // one.
  struct Noted {
    std::vector<std::uint64_t> hashes;
    Positions positions;

    bool has(std::uint64_t hash) const;
    bool add(std::uint64_t hash);  // false: already noted
    void drop_last();
  };

  Result<void> load();
  // Calls visit(path) for each valid note. Returns the end of the last one and the number of damaged notes.
  struct Extent {
    std::uint64_t end = 0;
    std::size_t damaged = 0;
  };
  Result<Extent> read(const std::function<void(std::string_view path)>& visit);
  Result<void> write_all(std::span<const std::string> paths);

  Disk& disk_;
  const Target& target_;
  std::string path_;  // a file of paths, each after its checksum and ended by a zero byte
  std::mutex mutex_;
  std::optional<Noted> noted_;  // loaded when first needed
  std::unique_ptr<RandomFile> file_;
  std::uint64_t end_ = 0;
  std::string dropped_;
};

}  // namespace assetc::engine
