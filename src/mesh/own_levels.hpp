// Levels of detail that the source provides.
#pragma once

#include "mesh/build.hpp"

namespace assetc::mesh {

// For submeshes whose source provides levels of detail, replaces the generated levels: appends their vertices and index
// lists, and extends the bounds. A submesh with fewer levels than another draws its last one instead.
// Errors: those of prepare_submesh, which changes the levels. Requires that built was made from the same inputs and
// options.
Result<void> use_own_levels(std::span<SubmeshInput> inputs, const MeshOptions& options, BuiltMesh& built);

}  // namespace assetc::mesh
