// Bounds of a mesh with morph targets.
#pragma once

#include <vector>

#include "mesh/bounds.hpp"
#include "mesh/mesh.hpp"

namespace assetc::mesh {

// Containers store an offset as a whole number of steps. The largest offset of a target is this many steps.
inline constexpr float kMorphSteps = 32767;

// For each vertex, a box that contains it for all weights in the ranges of the targets. Empty if no target moves a
// position.
std::vector<Box> morphed_boxes(const Mesh& mesh);

// Widens all bounds of the mesh to contain its vertices for all weights in the ranges of the targets. Meshlets with
// moved vertices get a cone that never faces away. Does nothing without targets.
void widen_bounds(Mesh& mesh);

}  // namespace assetc::mesh
