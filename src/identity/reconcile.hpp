// Compares sources with .meta files and finds new, moved and copied assets.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "assetc/base/hash.hpp"
#include "identity/meta.hpp"
#include "identity/sub_assets.hpp"

namespace assetc::identity {

// A source that the import takes. Paths are relative to the root, with '/'.
struct FoundSource {
  std::string path;
  std::string suffix;  // the end of the file name that gives its kind: ".n.png"
  std::string type;
  std::string importer;
  std::uint32_t importer_version = 0;
  std::vector<std::string> source_dependencies;
  std::vector<FoundSubAsset> sub_assets;  // of a container
  std::optional<Uuid> wanted_uuid = {};   // for a new .meta, if no other asset has it
  bool is_beside = false;                 // if it gets a new .meta, that is X.assetc
};

// A .meta beside a source that the import takes, or one without a source.
struct FoundMeta {
  std::string path;  // with ".meta" or ".assetc"
  Meta meta;
};

struct ReconcileInput {
  std::vector<FoundSource> sources;
  std::vector<FoundMeta> metas;
  std::vector<std::string> unreadable_metas;  // neither these nor their sources are changed
  // old_content: the content hash of a missing source when it was last seen. content: the hash of a source that exists.
  // Both are called only if a .meta has lost its source: the first for that .meta, the second for each source without a
  // .meta.
  std::function<std::optional<ContentHash>(const std::string& path)> old_content, content;
  // The .meta of an asset at the last import; null if it is not remembered. May be empty.
  std::function<const Meta*(const Uuid& asset)> remembered;
  // The .meta of a source at the last import; null if it had none. May be empty.
  std::function<const Meta*(const std::string& path)> remembered_at;
  std::function<Uuid()> new_uuid;
  // Whether version control wrote this .meta since the last import, or does so now. May be empty: never.
  std::function<bool(const std::string& meta_path)> is_of_checkout;
  bool by_hand = false;  // whether a person started the import
  bool prune = false;    // whether parts that a .meta lists and its source lacks are removed
};

struct IdentityChange {
  enum class Kind : std::uint8_t {
    kCreated,   // a new asset
    kMoved,     // source and .meta moved together; `from` is the old path
    kFound,     // the source moved without its .meta; its content identified it
    kCopied,    // a copy of `from` with its .meta; it got its own UUID
    kRestored,  // its .meta was missing, or overwritten by that of another asset; it has its UUID again
    kUpdated,   // dependencies, importer or sub-assets changed
    kOrphaned,  // a .meta without its source
  };
  Kind kind = Kind::kCreated;
  std::string path;  // of the source; of the .meta for kOrphaned
  std::string from;
  Uuid uuid;
  std::vector<SubAssetChange> sub_assets;
  // Virtual paths that changed, of the asset and of its sub-assets. is_redirected: the old path still resolves to the
  // asset, because no other asset has taken it.
  struct PathChange {
    std::string from, to;
    bool is_redirected = false;
  };
  std::vector<PathChange> paths = {};
};

// A UUID or virtual path of a .meta that differs from what the last import on this machine saw, and got no redirect:
// because a checkout may have made the change, or because no person started the import.
struct UnredirectedEdit {
  std::string path;      // of the source
  std::string file;      // its .meta
  std::string member;    // "Uuid" or "VirtualPath", of the asset or of one of its parts
  std::string from, to;  // its values
  bool is_of_checkout = false;
};

// A .meta to write. With `from`, it is that file updated to the asset (MetaFile::with). Without, it is a new file.
struct MetaWrite {
  std::string path;
  std::string from;
  std::size_t asset = 0;  // in Reconciled::assets
};

struct Reconciled {
  std::vector<Meta> assets;             // the content of the .meta of each source, by path
  std::vector<IdentityChange> changes;  // by path
  std::vector<MetaWrite> writes;        // files that differ from the disk
  std::vector<std::string> removals;    // old .meta files of sources that moved without them
  std::vector<std::string> orphans;     // .meta files that `prune` may remove
  std::vector<std::size_t> lacking;     // of the assets: those whose source lacks some of their sub-assets
  std::vector<UnredirectedEdit> unredirected;
  std::vector<Error> errors;  // virtual paths and old names that two assets share, or that break a rule
};

// A pure function of its input, in any order. Two machines with the same files get the same result, except for the
// UUIDs of new assets.
//
// An asset that has a virtual path keeps it. If the path of a new asset is taken, the suffix of its file is appended;
// for a sub-asset, its type. The same if two branches gave one path to two assets. An old virtual path resolves to its
// former owner until another asset takes it.
//
// What the last import remembers only proposes: the UUID of a source whose .meta is gone, the .meta of a source that
// moved without it, and the old value of a UUID or virtual path that a person edited. What a .meta says wins. A value
// that was edited gets a redirect only if a person started the import, and no checkout made the change.
//
// If several .meta files have one UUID, the original is the one whose SourcePath is its own location. If none or
// several match, the first path in byte order wins. The others are copies.
//
// A sub-asset that the source lacks stays in the .meta, and is no reason to write it. If the source lacks all of them,
// that is an error of the .meta, which stays as it is.
Reconciled reconcile(ReconcileInput input);

}  // namespace assetc::identity
