// Gives virtual paths to assets. For the sources of this folder only.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"
#include "identity/asset.hpp"

namespace assetc::identity {

// Whether a virtual path was made of the path of a source.
bool follows_from(std::string_view virtual_path, std::string_view source_path, std::string_view suffix);

// Sets the virtual paths and redirects of all assets and of their parts. Requires them in the order of their paths.
//
// If several have one path, one keeps it: an asset whose path a person chose, else the first whose path was made of the
// path of its file, else a part. The others get longer names. If people chose one path twice, that is an error at each
// of both lines. So all machines with the same files decide alike.
//
// Appends to errors.
void give_names(std::span<Asset> assets, std::vector<Error>& errors);

}  // namespace assetc::identity
