// The order in which a game loads its assets, recorded as text: a virtual path or a UUID on each line.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"
#include "assetc/formats/pak.hpp"
#include "bundle/cooked.hpp"

namespace assetc::bundle {

// Returns positions of assets, each once, in the order of the text. Empty lines, lines that begin with '#', and lines
// that name no asset are skipped: a trace also has assets of other bundles and of other versions. Errors: kInvalidData
// if no line names an asset.
Result<std::vector<std::size_t>> read_load_order(std::string_view text, std::span<const CookedAsset> assets);

// Whether the blocks of a bundle lie as a writer with this order of entries puts them. order: as WriteOptions::order.
bool lies_in_order(const pak::View& bundle, std::span<const std::size_t> order);

}  // namespace assetc::bundle
