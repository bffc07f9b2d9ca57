// Points and lines of a mesh, beside its triangles.
#pragma once

#include <span>

#include "assetc/base/result.hpp"
#include "mesh/build.hpp"

namespace assetc::mesh {

// Appends the inputs that are points or lines to a built mesh: their vertices after all others, in order of first use.
// Vertices are not merged, so nothing that differs becomes equal, and indices keep their order. Absent normals become
// (0, 0, 1), absent texture coordinates (0, 0). inputs: all of the mesh, in the order of the source.
// Errors: those of build_mesh.
Result<void> add_primitives(std::span<const SubmeshInput> inputs, const MeshOptions& options, BuiltMesh& built);

}  // namespace assetc::mesh
