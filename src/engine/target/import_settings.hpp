// Turns ImportSettings of a .meta into settings of recipes.
#pragma once

#include <string>

#include "assetc/base/result.hpp"
#include "identity/meta.hpp"

namespace assetc::engine {

// "key=value\n" for each. Keys are those of assetc.yml in objects ("texture": {"quality": "best"}), and two short
// forms: SRGB (true: color, false: linear) and MipGen (Default or None). Fails for other keys and for values that a
// setting refuses.
Result<std::string> import_settings(const identity::Meta& meta);

}  // namespace assetc::engine
