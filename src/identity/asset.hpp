// What reconcile() knows about one asset while it decides. For the sources of this folder only.
#pragma once

#include <string>
#include <vector>

#include "identity/reconcile.hpp"

namespace assetc::identity {

struct Asset {
  const FoundSource* source = nullptr;
  const FoundMeta* meta = nullptr;  // null for a new asset
  Meta next;
  IdentityChange::Kind kind = IdentityChange::Kind::kUpdated;
  std::string from;
  SubAssetMatch parts;
  std::string wanted;  // the virtual path that its file gives it now; empty: keeps its path
  // Former virtual paths, of its .meta now and before a person edited it. Empty for a new asset.
  std::vector<std::string> called;
  std::vector<std::vector<std::string>> parts_called;  // the same for its parts
  std::vector<bool> parts_change;                      // parts whose virtual path changes
  std::vector<IdentityChange::PathChange> paths;
  bool is_left_alone = false;  // its .meta has an error that only a person may correct

  std::string meta_path() const { return source->path + std::string(next.is_beside ? kMetaBesideSuffix : kMetaSuffix); }
  bool is_new() const { return called.empty(); }
  bool is_restored() const { return kind == IdentityChange::Kind::kRestored; }
};

}  // namespace assetc::identity
