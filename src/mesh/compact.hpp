// Makes a primitive of a scene smaller without a visible change.
#pragma once

#include "scene/scene.hpp"

namespace assetc::mesh {

// Merges vertices that are equal in every attribute and morph target, bit for bit but for the sign of zeros. Removes
// vertices that no index uses. Orders triangles for the vertex cache and against overdraw, and vertices by their first
// use. Lines and points keep their order. smoothing_groups and clusters, which belong to triangles, are cleared.
//
// Requires every index < positions.size(), and every array to have the size that scene.hpp states. Deterministic.
void compact_primitive(scene::Primitive& primitive);

}  // namespace assetc::mesh
