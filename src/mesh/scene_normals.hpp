// Completes the normals of a source as in the compiled mesh, for code that shows or writes the source itself.
#pragma once

#include "scene/scene.hpp"

namespace assetc::mesh {

// If the primitive has smoothing groups and no normals, computes the same normals as build_mesh. Replaces broken
// normals as build_mesh does. A primitive with neither normals nor groups stays without normals: it is flat, as glTF
// says. A vertex whose corners differ is split. Requires every index below the vertex count.
void complete_normals(scene::Primitive& primitive);

}  // namespace assetc::mesh
