// Cooked/<Platform>/: files named by UUID, and a registry as their index.
#pragma once

#include "engine/target/target.hpp"

namespace assetc::engine {

// Its builds need BuildServices::identities, and have their sources below a repository's folders of assets.
const Target& cooked_target();

}  // namespace assetc::engine
