// What the loader of meshes does, for streams too.
#pragma once

#include "assetc/runtime/assets.hpp"

namespace assetc::runtime {

Result<MeshData> load_mesh(LoadInput& in);

}  // namespace assetc::runtime
