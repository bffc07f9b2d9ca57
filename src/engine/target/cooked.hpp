// The target of cooks: Cooked/<Platform>/ with files named by UUID and a registry as their index.
#pragma once

#include "engine/target/target.hpp"

namespace assetc::engine {

// Builds for it need BuildServices::identities, and their sources lie in a repository's folders of assets.
const Target& cooked_target();

}  // namespace assetc::engine
