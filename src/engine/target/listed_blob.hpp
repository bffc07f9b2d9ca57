// Whether a file of a cooked folder is the asset that a registry lists.
#pragma once

#include <string>
#include <string_view>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/aas1_describe.hpp"
#include "bundle/cooked.hpp"
#include "engine/disk/disk.hpp"

namespace assetc::engine {

// sha256: as the registry lists it, in hex; empty if it does not. Errors: those of aas1::describe(); kInvalidData for
// other bytes.
Result<aas1::Description> describe_listed(ByteSpan blob, std::string_view sha256);
// Fails if a description has another type than the registry lists.
Result<void> check_listed_type(const aas1::Description& description, std::string_view type);

// Reads the file of a listed asset in a cooked folder. A bundle, above all a signed one, must not hold what a broken
// copy or a web server's error page left in the place of an asset. Errors: both of the above and those of open_below(),
// with the file.
Result<Bytes> read_listed(const std::string& cooked, const bundle::CookedAsset& asset, Disk& disk);

}  // namespace assetc::engine
