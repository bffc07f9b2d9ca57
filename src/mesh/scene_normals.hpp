// The normals of a source as a compiled mesh has them, for what shows or writes the source itself.
#pragma once

#include "scene/scene.hpp"

namespace assetc::mesh {

// Gives a primitive with smoothing groups and no normals those that build_mesh computes, and replaces broken normals as
// it does. One without either keeps none: it is flat, as glTF says. Vertices whose corners differ become several.
// Requires every index below the vertex count.
void complete_normals(scene::Primitive& primitive);

}  // namespace assetc::mesh
