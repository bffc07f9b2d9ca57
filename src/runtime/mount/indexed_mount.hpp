// A mount whose entries are files with paths. One table has the paths and the other names.
#pragma once

#include "runtime/mount/mount_point.hpp"
#include "runtime/mount/path_index.hpp"

namespace assetc::runtime {

inline constexpr std::string_view kManifest = "assets.hman";

class IndexedMount : public MountPoint {
 public:
  using MountPoint::find;
  using MountPoint::MountPoint;

  std::optional<std::uint32_t> find(std::uint64_t hash) const final {
    const PathIndex::Row* row = index_.find(hash);
    return row == nullptr ? std::nullopt : std::optional(row->entry);
  }
  std::optional<Resolved> resolve(std::uint64_t hash) const final {
    const PathIndex::Row* row = index_.find(hash);
    if (row == nullptr) return std::nullopt;
    if (!row->is_path) return Resolved{handle(row->entry)};
    return Resolved{{.path_hash = hash, .type = row->type}, row->entry};
  }
  std::optional<std::uint32_t> find_path(std::string_view asked) const final {
    return index_.find_path(asked, [&](std::uint32_t entry) { return path(entry); });
  }
  AssetHandle handle(std::uint32_t entry) const final {
    return {.path_hash = hash_embed_ref(path(entry)), .type = type_of_path(path(entry))};
  }
  bool is_index(std::uint32_t entry) const final { return path(entry) == kManifest; }

 protected:
  PathIndex index_;  // by path, and by the names in assets.hman
};

}  // namespace assetc::runtime
