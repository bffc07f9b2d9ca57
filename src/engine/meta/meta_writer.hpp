// Writes the .meta files on which an import decided, where nothing else has written since.
#pragma once

#include <set>
#include <span>
#include <string>

#include "engine/disk/disk.hpp"
#include "engine/disk/path_index.hpp"
#include "engine/meta/settling.hpp"
#include "identity/reconcile.hpp"

namespace assetc::engine {

// The folders of all files on which the writes and removals of an import depend.
std::set<std::string> folders_of_writes(const identity::Reconciled& reconciled,
                                        std::span<const identity::IdentityChange> changes);

class MetaWriter {
 public:
  // root, tree, index: the walk of the import, whose files are the ones to replace.
  MetaWriter(const std::string& root, const Tree& tree, const PathIndex& index, const Settling& settling, Disk& disk)
      : root_(root), tree_(tree), index_(index), settling_(settling), disk_(disk) {}

  // Errors: kConflict if the file is not the one that was walked, or its folder is busy; kIo. Thread-safe.
  Result<FileSignature> write(const identity::MetaWrite& write, const identity::Meta& meta) const;
  Result<void> remove(const std::string& path) const;

 private:
  Result<void> check_rest(const std::string& path) const;
  Result<Bytes> read_as_walked(const std::string& path) const;

  const std::string& root_;
  const Tree& tree_;
  const PathIndex& index_;
  const Settling& settling_;
  Disk& disk_;
};

}  // namespace assetc::engine
