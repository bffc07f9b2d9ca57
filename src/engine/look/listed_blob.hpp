// Whether a file of a cooked folder is the asset that a registry lists.
#pragma once

#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/aas1_describe.hpp"

namespace assetc::engine {

// sha256: as the registry lists it, in hex; empty if it does not. Errors: those of aas1::describe(); kInvalidData for
// other bytes.
Result<aas1::Description> describe_listed(ByteSpan blob, std::string_view sha256);
// Fails if a description has another type than the registry lists.
Result<void> check_listed_type(const aas1::Description& description, std::string_view type);

}  // namespace assetc::engine
