// Levels of detail that a source brings.
#pragma once

#include "mesh/build.hpp"

namespace assetc::mesh {

// Puts the levels of those submeshes that have some in the place of what was made for them: vertices behind the mesh's,
// index lists, bounds around all of them. A submesh with fewer levels than another draws its last.
// Errors: those of prepare_submesh. Requires built to be of the same inputs and options.
Result<void> use_own_levels(std::span<const SubmeshInput> inputs, const MeshOptions& options, BuiltMesh& built);

}  // namespace assetc::mesh
