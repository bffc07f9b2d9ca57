// Matches the assets of a container with the known ones after the container was edited, and names each of them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "identity/meta.hpp"

namespace assetc::identity {

// An asset that an importer found in a container, in the order of the source. Names may repeat or be empty.
struct FoundSubAsset {
  std::string type;
  std::string name;
  std::string fingerprint;  // of its content: equal for equal content, empty if unknown
  // If not empty, only the name identifies the asset. Its UUID is version 5 of this text, in the container's UUID.
  std::string uuid_name = {};
};

struct SubAssetChange {
  enum class Kind : std::uint8_t { kAdded, kRemoved, kRenamed };
  Kind kind = Kind::kAdded;
  std::string type;
  std::string from, to;  // names; from is empty for kAdded, to for kRemoved
  // How a renamed asset was matched: by its content, or by its position among those of its type.
  bool by_content = false;
};

struct SubAssetMatch {
  // In the order of the source; a new one has no virtual path yet. Each absent one is behind its neighbor of before.
  std::vector<SubAsset> sub_assets;
  std::vector<std::string> known_names;  // the last known name of each; empty for a new one
  std::vector<SubAssetChange> changes;
};

// Matches the found assets with those of the .meta: first by type and name, then by type and content. If both sides
// have the same number of unmatched assets of one type, these are matched by position. A matched asset keeps its UUID,
// virtual path and redirects. Any other gets the version-5 UUID of its name in the container's UUID. If that is taken,
// a number is appended to the name. An asset of the .meta that matches none stays in the list as absent, unless `prune`
// removes it.
SubAssetMatch match_sub_assets(const Uuid& container, std::span<const SubAsset> known,
                               std::span<const FoundSubAsset> found, bool prune = false);

// Claims a virtual path for a part. Returns false if another asset has it or had it.
using ClaimPath = std::function<bool(const SubAsset& part, const std::string& virtual_path)>;

// Whether the virtual path of a known part was made of its name and of one of these virtual paths of its container.
bool is_made_of(const SubAsset& part, std::string_view known_name, std::span<const std::string> containers);

// Whether the virtual path of a known part was made of its container's path and its name, and one of these has changed.
// A path that a person chose is made of neither. before: former virtual paths of the container.
bool follows(const SubAsset& part, std::string_view known_name, std::span<const std::string> before,
             std::string_view now);

// Gives such a part its new virtual path: its name below the container's path. If that is taken, the type is appended,
// and then a number.
void rename_part(SubAsset& part, std::string_view known_name, std::string_view container, const ClaimPath& claim);

// Gives new parts their virtual paths in the same way. If two parts would get the same path, both get their types
// appended, because a mesh and its material often share a name.
void name_new_parts(std::span<SubAsset> parts, std::string_view container, const ClaimPath& claim);

}  // namespace assetc::identity
