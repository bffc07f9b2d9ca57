// What a person writes into ImportSettings of a .meta, as the settings of recipes.
#pragma once

#include <string>

#include "assetc/base/result.hpp"
#include "identity/meta.hpp"

namespace assetc::engine {

// "key=value\n" for each. Keys are those of assetc.yml in objects ("texture": {"quality": "best"}), and two short ones:
// SRGB (true: color, false: linear) and MipGen (Default or None). Fails on others and on values that a setting refuses.
Result<std::string> import_settings(const identity::Meta& meta);

}  // namespace assetc::engine
