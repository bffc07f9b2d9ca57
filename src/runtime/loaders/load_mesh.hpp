// The decode function of the mesh loader, also used to stream meshes.
#pragma once

#include "assetc/runtime/assets.hpp"

namespace assetc::runtime {

Result<MeshData> load_mesh(LoadInput& in);

}  // namespace assetc::runtime
