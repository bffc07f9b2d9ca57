// Finds assets, and the places where their bytes are stored, in any number of mounts that are searched by priority.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/formats/registry_desc.hpp"
#include "assetc/runtime/handle.hpp"
#include "assetc/runtime/keys.hpp"

namespace assetc::registry {
class View;
struct AssetView;
}  // namespace assetc::registry

namespace assetc::runtime {

struct ContentId;
class MountPoint;
class Source;  // source.hpp
class Variants;

// What a mounted path contains.
enum class Layout : std::uint8_t {
  kTree,      // a folder of compiled files: runtime/
  kPack,      // an .hpack
  kCooked,    // Cooked/<Platform>: a registry, and Assets/<uuid>.bin
  kRegistry,  // the same without Assets/: the registry of assets in bundles
  kBundle,    // a .pak, with patches; another mount's registry has its paths and dependencies
};

struct MountOptions {
  int priority = 0;      // the highest is searched first; of equal ones the last mounted
  unsigned threads = 0;  // read threads for a path of this machine; 0: two for mappings, eight without
  // For a path of this machine. false: files are read into memory instead of mapped (make_file_source). Use it if a
  // mapping is slow or may fail while it is read: network file systems, removable media.
  bool mapped = true;
  // For bundles: the patches, in order.
  std::vector<std::string> patches{};
  // The trusted signer. If set, the mount must be a bundle with this signature, or it is refused. Unset: any bundle or
  // folder is accepted, signed or not.
  std::optional<PublicKey> signer{};
  std::optional<ContentKey> key{};  // of an encrypted bundle
  // The required name and platform of the bundle after patching, unless empty, and the lowest accepted version. They
  // refuse an older bundle, or another bundle of the same signer, that was put in its place. If one of them is set,
  // folders and packs are refused, because they carry no signed name or version.
  std::string expected_name{}, expected_platform{};
  std::uint64_t least_version = 0;
  // For trees in a custom source: existing files that assets.hman does not list. A build lists all files that it
  // writes, so only files of other tools are needed here.
  std::vector<std::string> files{};
};

// A mount. Views into the catalog.
struct MountInfo {
  std::string_view path{};  // as passed to mount()
  Layout layout = Layout::kTree;
  int priority = 0;
  // Of bundles, after patching.
  std::string_view name{}, platform{};
  std::uint64_t version = 0;
  std::optional<PublicKey> signer{};  // the key whose signature was verified
  bool is_encrypted = false;
};

// The registry's data of an asset. Views into the catalog. Fields are empty if no registry lists the asset.
struct AssetDesc {
  AssetHandle handle{};
  std::string_view virtual_path{};  // or the path in a runtime/ tree
  registry::Desc fields{};          // empty for files of runtime/ trees and for types without fields
  std::uint64_t size_bytes = 0;     // of the content; 0 if it is unknown until the asset is opened
  LoadSettings settings{};          // of the request, in calls of a loader's functions
  registry::Tags tags{};            // of its .meta; empty for files of runtime/ trees
  AssetHandle container{};          // the model of a mesh, material, skeleton or clip; nil if there is none
};

// Selects assets for Catalog::list() and each(). Members that are left empty select everything. Texts are compared
// without ASCII letter case, with virtual paths or with the paths of files in runtime/ trees.
struct Query {
  std::string_view folder{};      // "Engine/UI": all assets below it, at any depth; may end in '/'
  std::string_view prefix{};      // the beginning of the path: "Engine/UI/But"
  std::string_view tag{};         // one of the asset's tags; files of runtime/ trees have none
  AssetType type = kUnknownType;  // an asset in a bundle that no mounted registry lists has an unknown type
  // The parts of this asset. In a cooked tree: the meshes, materials, skeletons, clips and pictures of a model. In a
  // runtime/ tree: the other files with its path, apart from the extension, and those in the folder of that name.
  AssetHandle container{};
};

// Changes in mounted folders since they were mounted, or since the last report.
struct Changes {
  // Paths in a mounted folder: "textures/wood.ktx2", "Assets/6ba7b810-....bin".
  std::vector<std::string> written{}, removed{};
  std::vector<AssetHandle> assets{};  // changed assets, if the engine knows them
  bool everything = false;            // the changes are unknown: reload everything
  // All current build errors. An error that was reported before and is not in this list is fixed.
  struct Broken {
    std::vector<std::string> files;  // outputs that are outdated because of the error; empty if unknown
    Error error;
  };
  std::vector<Broken> broken{};
  bool leaves_broken = false;  // the build errors are unknown: earlier ones may still exist
};

// The assets that an asset depends on, hard ones first.
class Dependencies {
 public:
  std::size_t size() const { return hard_count() + soft_.size() + outer_soft_.size() / sizeof(Uuid); }
  std::size_t hard_count() const { return hard_.size() + outer_hard_.size() / sizeof(Uuid); }
  // Requires i < size(). The type of a dependency in another registry is unknown: find() has it.
  AssetHandle operator[](std::size_t i) const;

 private:
  friend class Catalog;
  const registry::View* registry_ = nullptr;
  std::span<const std::uint32_t> hard_, soft_;
  ByteSpan outer_hard_, outer_soft_;  // UUIDs
};

// The mounted assets of an engine. Copies are cheap, because they share the mounts. To add or remove a mount while
// assets are loaded, use Manager::mount() and unmount().
//
//   Catalog catalog;
//   if (auto mounted = catalog.mount("Cooked/Linux"); !mounted) log(mounted.error().to_string());
//   if (auto patched = catalog.mount("dlc.pak", {.priority = 1, .signer = studio}); !patched) ...
//   const std::optional<AssetHandle> wood = catalog.find_by_path("Engine/Textures/Wood");
//
// Lookups follow at most kMaxRedirects redirectors and do not allocate. If several mounts have an asset, the first one
// searched provides it. An asset of a registry also replaces assets of the same type that have its virtual path in the
// mounts after it, whatever their UUIDs are: this is how a mod replaces assets of a game.
// Lifetime: views and handles stay valid as long as one copy of the catalog exists.
// Thread safety: const. mount() and unmount() must run on one thread, on a catalog that no other thread uses.
class Catalog {
 public:
  static constexpr int kMaxRedirects = 16;
  static constexpr std::uint64_t kMaxReadBytes = 1ull << 30;

  // Mounts a folder, pack or bundle of this machine. The content of the path determines the layout:
  // - A folder with a registry is a cooked folder, or a registry of bundles if it has no Assets/.
  // - Any other folder must have an assets.hman, which a build writes last.
  // - A bundle is verified up to and including its index. Later errors can only be in the blocks of an asset.
  // Faults: kMissing (also for a folder that is not the output of a build or a cook), kIo, kCorrupt, kVersion,
  // kUntrusted (not the bundle that the options require), kLocked, kUnsupported (a signed, encrypted or patched bundle,
  // if the runtime was built without libsodium).
  Expected<void> mount(const std::string& path, const MountOptions& options = {});
  // The same for a custom source. path: a file, or a folder with or without a slash at its end ("": the whole source).
  // Reads the needed parts of the index, one request after another, before it returns.
  Expected<void> mount(std::shared_ptr<Source> source, Layout layout, const std::string& path,
                       const MountOptions& options = {});

  // Removes the mount that was mounted with this path; of several, the one that is searched first.
  // Faults: kMissing if there is none.
  // path: '/' at the end makes no difference.
  Expected<void> unmount(std::string_view path);

  // Selects variants: assets for one language, quality or platform. A variant is an asset whose virtual path or file
  // path has qualifiers, each after a '+', in any name of the path: "Engine/UI/Logo+de", "Engine/UI+de/Logo" and
  // "ui/logo+de+low.ktx2" are variants of "Engine/UI/Logo" and "ui/logo.ktx2".
  //
  //   catalog.set_variants({"de", "low"});
  //   catalog.find_by_path("Engine/UI/Logo");  // Logo+de+low, else Logo+de, else Logo+low, else Logo
  //
  // - A lookup of an asset or of any of its variants finds the best variant. So do dependencies when they are loaded.
  // - A variant fits if all of its qualifiers are among the given ones, ignoring letter case. The best one has the
  //   first qualifier that not all of them have, in the given order. If none fits, it is the asset without qualifiers.
  // - Variants must have the type of the asset without qualifiers. Without that asset, there are no variants.
  // - Before the first call, '+' has no meaning.
  // qualifiers: only the first 64 count. Time: linear in the mounted assets, here and in each later mount(), unmount()
  // and reopen(). To call it while assets are loaded, use Manager::set_variants().
  void set_variants(std::vector<std::string> qualifiers);

  // Returns the mounts in search order. Valid until the next mount(), and as long as one copy of the catalog exists.
  std::vector<MountInfo> mounts() const;

  // Reads again the indexes of mounted folders that these changes affect, for hot reload. Packs and bundles are not
  // read again. Handles keep their meaning.
  struct Reopened {
    bool any = false;               // at least one index was read
    std::vector<Failure> failures;  // of mounts that keep their old index
  };
  Reopened reopen(const Changes& changes);
  // Returns the assets in these files, in any mounted folder. Returns all assets if everything changed.
  std::vector<AssetHandle> assets_in(const Changes& changes) const;

  // Finds an asset by its virtual path in any letter case, or by the path of a file in a runtime/ tree.
  std::optional<AssetHandle> find_by_path(std::string_view path) const;
  // Finds an asset by a hash: the texture hash of a .hmat or .hmesh (through assets.hman), the hash_embed_ref() of a
  // file's path, or the hash_asset_ref() of a virtual path.
  std::optional<AssetHandle> find(std::uint64_t hash) const;
  std::optional<AssetHandle> find(const Uuid& uuid) const;

  // Returns the assets that a query selects, ascending by path without letter case, then by UUID. Assets without a path
  // come first. Each asset is listed once: the one that lookups find, so without those that a mod or a better variant
  // replaces. Assets whose bytes no mount has are left out.
  // Time: linear in the mounted assets, and sorting of the result.
  std::vector<AssetHandle> list(const Query& query = {}) const;
  // Calls visit(asset, path) for the same assets in another order: by mount, then by UUID or path. Allocates nothing.
  // The path is a view into the catalog, empty for assets in bundles that no registry lists. visit must not change the
  // catalog.
  void each(const Query& query, const std::function<void(const AssetHandle&, std::string_view path)>& visit) const;

  // Returns nothing for a handle that no mount has.
  std::optional<AssetDesc> desc(const AssetHandle& asset) const;
  // Returns the dependencies of a handle from find(). Empty if no registry lists the asset.
  Dependencies dependencies(const AssetHandle& asset) const;

  // Reads the bytes of an asset. Blocks until they are read. They start at a multiple of 8 and outlive the catalog.
  // Errors: kNotFound; kLimit for more than max_bytes (before they are read or allocated) or if memory is not
  // available; errors of the source and of damaged bytes.
  Result<Bytes> read(const AssetHandle& asset, std::uint64_t max_bytes = kMaxReadBytes) const;

  // The place that stores an asset's bytes. For the manager. mount is null if there is none.
  struct Place {
    const MountPoint* mount = nullptr;
    std::uint32_t entry = 0;
  };
  Place locate(const AssetHandle& asset) const;
  // Returns find() and, if that costs no further search, the place. Otherwise the place has no mount.
  struct Found {
    AssetHandle asset;
    Place place{};
  };
  std::optional<Found> find_placed(std::uint64_t hash) const;
  // Says which bytes are at this place. Nothing if the mount does not tell equal contents. For the manager.
  std::optional<ContentId> content(const Place& place) const;
  // Returns desc() of the asset at this place.
  std::optional<AssetDesc> desc(const AssetHandle& asset, const Place& place) const;
  // The same for desc.handle. Returns false if no mount has it.
  bool describe(const Place& place, AssetDesc& desc) const;

 private:
  struct Mounted {
    int priority = 0;
    std::string path;
    std::string folder{};  // of this machine; its files are named relative to it
    std::shared_ptr<const MountPoint> point{};
  };
  Expected<void> add(Expected<std::shared_ptr<const MountPoint>> point, Mounted mount);
  void find_variants();
  // The same without variants.
  std::optional<AssetHandle> follow(Uuid uuid) const;
  std::optional<AssetHandle> find_plain(std::string_view path) const;
  std::optional<AssetHandle> vary(std::optional<AssetHandle> asset) const;
  bool is_listed(std::size_t mount, std::uint32_t entry, const AssetHandle& asset) const;
  void each_plain(const Query& query,
                  const std::function<void(const AssetHandle&, std::string_view path)>& visit) const;
  AssetHandle overriding(std::size_t mount, const registry::AssetView& asset, const Uuid& uuid) const;

  std::vector<Mounted> mounts_;               // in search order
  std::shared_ptr<const Variants> variants_;  // null before the first set_variants()
};

}  // namespace assetc::runtime
