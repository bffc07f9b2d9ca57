// Which asset of a container is which after an artist changed it.
#pragma once

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
  std::vector<SubAsset> sub_assets;  // in the source's order
  std::vector<SubAssetChange> changes;
};

// Matches what was found with what the .meta says: by type and name, then by type and content, then, where as many of
// one type are left on both sides, by place. Who is matched keeps its UUID, and its virtual path if a person chose it.
// Who is not gets the version-5 UUID of its name in the container's; one that is taken, of its name and a number.
SubAssetMatch match_sub_assets(const Uuid& container, std::string_view container_virtual_path,
                               std::span<const SubAsset> known, std::span<const FoundSubAsset> found);

}  // namespace assetc::identity
