// Which assets there are, and where their bytes lie: any number of mounts, searched by priority.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/formats/registry.hpp"
#include "assetc/runtime/handle.hpp"
#include "assetc/runtime/keys.hpp"
#include "assetc/runtime/source.hpp"

namespace assetc::runtime {

class MountPoint;

// What lies at a mount's path.
enum class Layout : std::uint8_t {
  kTree,      // a folder of compiled files: runtime/
  kPack,      // an .hpack
  kCooked,    // Cooked/<Platform>: a registry, and Assets/<uuid>.bin
  kRegistry,  // the same without Assets/: what is in bundles
  kBundle,    // a .pak, with patches over it; paths and dependencies are in the registry of some other mount
};

struct MountOptions {
  int priority = 0;      // the highest is searched first; of equal ones the one that was mounted last
  unsigned threads = 2;  // that read, where a path of this machine is mounted
  // Of such a path: false reads files into memory instead of mapping them (make_file_source), for disks where a mapping
  // is slow, or may fail under the reader: network file systems, media that are taken out.
  bool mapped = true;
  // Of bundles: what each was patched with, in order; the key of an encrypted one.
  std::vector<std::string> patches{};
  // Whom to trust: what is mounted is a bundle with this signature, or it is refused. Unset: no matter whom, and
  // whether anybody.
  std::optional<PublicKey> signer{};
  std::optional<ContentKey> key{};
  // What the bundle must be, once it is patched: its name and platform, unless they are empty, and the oldest version
  // that will do. They keep out an older bundle, or another one of the same signer, that was put in its place. Folders
  // and packs are refused where one of these is set: they say nothing of it that somebody has signed.
  std::string expected_name{}, expected_platform{};
  std::uint64_t least_version = 0;
  // Of trees in a source of one's own: the files that there are, where assets.hman does not list them.
  std::vector<std::string> files{};
};

// What was mounted. Views into the catalog.
struct MountInfo {
  std::string_view path{};  // as it was asked for
  Layout layout = Layout::kTree;
  int priority = 0;
  // Of bundles, as they are with their patches.
  std::string_view name{}, platform{};
  std::uint64_t version = 0;
  std::optional<PublicKey> signer{};  // whose signature was verified
  bool is_encrypted = false;
};

// What a registry says of an asset. Views into the catalog; empty where no registry knows it.
struct AssetDesc {
  AssetHandle handle{};
  std::string_view virtual_path{};  // or the path in a runtime/ tree
  registry::Desc fields{};          // nothing for files of runtime/ trees and for types without fields
  std::uint64_t size_bytes = 0;     // of the content; 0 where only opening it tells
};

// What changed in mounted folders since they were mounted, or since the last time.
struct Changes {
  // Paths in a mounted folder: "textures/wood.ktx2", "Assets/6ba7b810-....bin".
  std::vector<std::string> written{}, removed{};
  std::vector<AssetHandle> assets{};  // where an engine knows better than by paths
  bool everything = false;            // nobody knows what: all of it
  // All that there is now; what is not named any more is mended.
  struct Broken {
    std::vector<std::string> files;  // that are older than their sources for it; none where nobody knows
    Error error;
  };
  std::vector<Broken> broken{};
  bool leaves_broken = false;  // nobody says what is: what was broken may be so still
};

// The assets that one needs, hard ones first.
class Dependencies {
 public:
  std::size_t size() const { return indices_.size(); }
  std::size_t hard_count() const { return hard_count_; }
  // Requires i < size().
  AssetHandle operator[](std::size_t i) const;

 private:
  friend class Catalog;
  const registry::View* registry_ = nullptr;
  std::span<const std::uint32_t> indices_;
  std::size_t hard_count_ = 0;
};

// What an engine mounts once, or builds anew when a mount comes or goes; cheap to copy, since copies share the mounts.
//
//   Catalog catalog;
//   if (auto mounted = catalog.mount("Cooked/Linux"); !mounted) log(mounted.error().to_string());
//   if (auto patched = catalog.mount("dlc.pak", {.priority = 1, .signer = studio}); !patched) ...
//   const std::optional<AssetHandle> wood = catalog.find_by_path("Engine/Textures/Wood");
//
// Lookups follow redirectors, kMaxRedirects at most, and allocate nothing. An asset of several mounts is that of the
// first one searched. Views and handles hold for as long as a copy of the catalog lives.
// Thread safety: const; mount() is for one thread and for a catalog that no other thread has.
class Catalog {
 public:
  static constexpr int kMaxRedirects = 16;
  static constexpr std::uint64_t kMaxReadBytes = 1ull << 30;

  // What the path holds says which layout it is: a folder with a registry is a cooked one, or where it has no
  // Assets/ the registry of bundles; any other folder has an assets.hman, which a build writes last. Bundles are
  // verified as far as their index, so that a later fault can only be in an asset's own blocks.
  // Faults: kMissing (also: a folder that is no output of a build or a cook), kIo, kCorrupt, kVersion, kUntrusted (not
  // what the options ask for), kLocked, kUnsupported (a bundle that is signed, encrypted or patched, in a build without
  // libsodium).
  Expected<void> mount(const std::string& path, const MountOptions& options = {});
  // The same in a source of one's own, where path is a file, or a folder with or without a slash at its end ("": all of
  // it). Reads what it needs of the index before it returns, one answer after the other.
  Expected<void> mount(std::shared_ptr<Source> source, Layout layout, const std::string& path,
                       const MountOptions& options = {});

  // As they are searched. Valid until the next mount(), and as long as a copy of the catalog lives.
  std::vector<MountInfo> mounts() const;

  // Reads the indexes of mounted folders anew that such changes concern; for hot reload. Packs and bundles stay as they
  // are. Handles mean the same afterwards.
  struct Reopened {
    bool any = false;               // an index was read
    std::vector<Failure> failures;  // of mounts that stay as they were
  };
  Reopened reopen(const Changes& changes);
  // The assets in these files, by any mounted folder; all of them where everything changed.
  std::vector<AssetHandle> assets_in(const Changes& changes) const;

  // By virtual path in any letter case, or by the path of a file in a runtime/ tree.
  std::optional<AssetHandle> find_by_path(std::string_view path) const;
  // By what a .hmat or .hmesh names a texture with (assets.hman), by hash_embed_ref() of a file's path, or by
  // hash_asset_ref() of a virtual path.
  std::optional<AssetHandle> find(std::uint64_t hash) const;
  std::optional<AssetHandle> find(const Uuid& uuid) const;

  // Nothing for a handle that no mount has.
  std::optional<AssetDesc> desc(const AssetHandle& asset) const;
  // Of what find() gave; none for what no registry knows.
  Dependencies dependencies(const AssetHandle& asset) const;

  // The bytes of an asset, for code that may wait. They start at a multiple of 8 and outlive the catalog.
  // Errors: kNotFound; kLimit for more than max_bytes, before they are read or allocated, and where there is no memory
  // for them; and those of the source and of damaged bytes.
  Result<Bytes> read(const AssetHandle& asset, std::uint64_t max_bytes = kMaxReadBytes) const;

  // Where an asset's bytes come from; for the manager. mount is null where there are none.
  struct Place {
    const MountPoint* mount = nullptr;
    std::uint32_t entry = 0;
  };
  Place locate(const AssetHandle& asset) const;
  // desc() of what lies there.
  std::optional<AssetDesc> desc(const AssetHandle& asset, const Place& place) const;

 private:
  struct Mounted {
    int priority = 0;
    std::string path;
    std::string folder{};  // of this machine, that its files are named from
    std::shared_ptr<const MountPoint> point{};
  };
  Expected<void> add(Expected<std::shared_ptr<const MountPoint>> point, Mounted mount);
  std::optional<AssetHandle> follow(Uuid uuid) const;

  std::vector<Mounted> mounts_;  // as they are searched
};

}  // namespace assetc::runtime
