// Other programs write beside an import: version control, copies, exporters. An import must not decide by files that
// they have written only in part.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "engine/disk/disk.hpp"

namespace assetc::engine {

struct Patience {
  std::int64_t rest_ns = 1'000'000'000;      // a folder is at rest if nothing in it changed for so long; 0: always
  std::int64_t longest_ns = 10'000'000'000;  // to wait in all until folders are at rest
};

class Settling {
 public:
  enum class Found : std::uint8_t {
    kRest,
    kChange,  // files changed during the wait: look at them again
    kBusy,    // they keep changing: see is_busy()
  };

  // root: of the import.
  Settling(std::string root, const Patience& patience, Disk& disk)
      : root_(std::move(root)), patience_(patience), disk_(disk) {}

  // Waits until nothing else writes in `folders`, which are below the root. Git writes in all of them while it holds
  // its lock. tree: what `walk` returned before.
  Result<Found> wait_for_rest(const std::set<std::string>& folders, const Tree& tree,
                              const std::function<Result<Tree>()>& walk);
  // Whether the last wait left this folder busy. Then nothing may be written in it.
  bool is_busy(const std::string& folder) const { return busy_.contains(folder); }
  const std::set<std::string>& busy() const { return busy_; }
  // Whether git wrote a file of this signature, and no person after it: the file is not newer than the last move of
  // HEAD, or git is in the middle of a merge or a rebase.
  bool is_of_checkout(const FileSignature& signature);
  // Why it is busy.
  Error error_of(const std::string& folder) const;

 private:
  void find_busy(const std::set<std::string>& folders, const Tree& tree);
  void find_lock();

  const std::string root_;
  const Patience patience_;
  Disk& disk_;
  std::int64_t waited_ns_ = 0;
  std::set<std::string> busy_;
  std::optional<std::string> git_;  // the folder of git's own files; empty: the root is not in a repository
  std::string lock_;                // the file that git has while it changes files; empty: it does not
};

// The folder of a path below the root; empty for the root itself.
std::string folder_of(std::string_view path);

}  // namespace assetc::engine
