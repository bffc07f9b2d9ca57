// Sources and .meta files, brought together: who is new, who moved, who is a copy of whom.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "assetc/base/hash.hpp"
#include "identity/meta.hpp"
#include "identity/sub_assets.hpp"

namespace assetc::identity {

// A source that import takes. Paths are relative to the root, with '/'.
struct FoundSource {
  std::string path;
  std::string suffix;  // the end of its name that says its kind: ".n.png"
  std::string type;
  std::string importer;
  std::uint32_t importer_version = 0;
  std::vector<std::string> source_dependencies;
  std::vector<FoundSubAsset> sub_assets;  // of a container
};

// One beside a source that import takes, or beside nothing.
struct FoundMeta {
  std::string path;  // with ".meta"
  Meta meta;
};

struct ReconcileInput {
  std::vector<FoundSource> sources;
  std::vector<FoundMeta> metas;
  std::vector<std::string> unreadable_metas;  // left alone, and so are their sources
  // Of a source that is gone, when it was last seen, and of one that is there. Asked for a .meta without its source,
  // and for sources without a .meta while there is such a one.
  std::function<std::optional<ContentHash>(const std::string& path)> old_content, content;
  // What the .meta of an asset said at the last import; null for one that is not remembered. May be empty.
  std::function<const Meta*(const Uuid& asset)> remembered;
  // What the .meta of a source said at the last import; null where it had none. May be empty.
  std::function<const Meta*(const std::string& path)> remembered_at;
  std::function<Uuid()> new_uuid;
};

struct IdentityChange {
  enum class Kind : std::uint8_t {
    kCreated,   // a new asset
    kMoved,     // file and .meta moved together: `from` is where it was
    kFound,     // the file moved alone, and was known by its content
    kCopied,    // a copy of `from` with its .meta: it got a UUID of its own
    kRestored,  // its .meta was gone, or overwritten with that of another: it has its UUID again
    kUpdated,   // dependencies, importer or sub-assets changed
    kOrphaned,  // a .meta without its source
  };
  Kind kind = Kind::kCreated;
  std::string path;  // of the source; of the .meta for kOrphaned
  std::string from;
  Uuid uuid;
  std::vector<SubAssetChange> sub_assets;
  // Virtual paths that changed, of the asset and of what is in it. The old one leads to the asset where no other has
  // it.
  struct PathChange {
    std::string from, to;
    bool is_redirected = false;
  };
  std::vector<PathChange> paths = {};
};

// A .meta to write: the one at `from` with what an asset is now (MetaFile::with), or, without one, a new one.
struct MetaWrite {
  std::string path;
  std::string from;
  std::size_t asset = 0;  // in Reconciled::assets
};

struct Reconciled {
  std::vector<Meta> assets;             // what every source's .meta says then, by path
  std::vector<IdentityChange> changes;  // by path
  std::vector<MetaWrite> writes;        // what differs from the disk
  std::vector<std::string> removals;    // .meta files that went with their source elsewhere
  std::vector<std::string> orphans;     // .meta files that `prune` may remove
  std::vector<Error> errors;            // virtual paths and old names that two assets have, or that break a rule
};

// A pure function of its input, in any order of it: two machines with the same files say the same, but for the UUIDs
// of new assets.
//
// An asset that has a virtual path keeps it, and a new one gets another: with the suffix of its file, or of its type,
// behind it. An old virtual path leads to who had it, while no asset has it.
//
// Of several .meta files with one UUID, the original is the one whose SourcePath is where it stands; where none or more
// is, the one whose path is first in byte order. The others are copies.
Reconciled reconcile(ReconcileInput input);

}  // namespace assetc::identity
