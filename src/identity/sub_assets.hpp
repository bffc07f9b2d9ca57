// Which asset of a container is which after an artist changed it, and what each is called.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "identity/meta.hpp"

namespace assetc::identity {

// What an importer found in a container, in the source's order. Names may repeat or be empty.
struct FoundSubAsset {
  std::string type;
  std::string name;
  std::string fingerprint;  // of its content: equal for equal content, empty for unknown
  // Not empty: it is who its name says, and no other; its UUID is that of this name in the container's.
  std::string uuid_name = {};
};

struct SubAssetChange {
  enum class Kind : std::uint8_t { kAdded, kRemoved, kRenamed };
  Kind kind = Kind::kAdded;
  std::string type;
  std::string from, to;  // names; from is empty for kAdded, to for kRemoved
  // How a renamed one was known: by its content, or by its place among those of its type.
  bool by_content = false;
};

struct SubAssetMatch {
  std::vector<SubAsset> sub_assets;      // in the source's order; one that is new has no virtual path yet
  std::vector<std::string> known_names;  // the name that each had; of one that is new, none
  std::vector<SubAssetChange> changes;
};

// Matches what was found with what the .meta says: by type and name, then by type and content, then, where as many of
// one type are left on both sides, by place. Who is matched keeps its UUID, its virtual path and its redirects. Who is
// not gets the version-5 UUID of its name in the container's; one that is taken, of its name and a number.
SubAssetMatch match_sub_assets(const Uuid& container, std::span<const SubAsset> known,
                               std::span<const FoundSubAsset> found);

// Takes a virtual path for a part; false where another asset has it, or had it.
using ClaimPath = std::function<bool(const SubAsset& part, const std::string& virtual_path)>;

// Whether the virtual path of a known part follows from its container's and its name, one of which is another now. A
// path that a person chose follows from neither. before: what the container was called.
bool follows(const SubAsset& part, std::string_view known_name, std::span<const std::string> before,
             std::string_view now);

// Gives such a part its new virtual path: its name in the container's; where that is taken, with its type behind it,
// and then with a number.
void rename_part(SubAsset& part, std::string_view known_name, std::string_view container, const ClaimPath& claim);

// Gives new parts their virtual paths, in the same way. Two that would have one both have their types behind it: a mesh
// and its material often share a name.
void name_new_parts(std::span<SubAsset> parts, std::string_view container, const ClaimPath& claim);

}  // namespace assetc::identity
