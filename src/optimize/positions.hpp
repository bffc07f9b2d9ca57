// Makes positions integers.
#pragma once

#include "scene/scene.hpp"

namespace assetc::optimize {

// Replaces the positions of meshes, and their morph offsets, by integers of 16 bits: multiples of a step of which
// 2^bits cover the mesh. The step is a power of two, or 5/8, 3/4 or 7/8 of one, so that multiples are exact. Nodes that
// draw the mesh, or its skins, scale them back:
//
// - The scale of a node is multiplied, if nothing else depends on it: it has no children, camera, light or extensions,
//   is no joint, and no clip scales it.
// - Otherwise, or if a node must also be moved, it gets a nameless child that draws the mesh. Morph weights move along.
// - Integers count from the origin of the mesh, so that no node has to be moved, unless the mesh is far from it.
// - Meshes that share skins have the same step. Inverse bind matrices of skins are multiplied.
// - The thickness of materials with a volume is in the space of the mesh, so it is divided by the step. A material of
//   meshes with different steps becomes one for each.
//
// The largest error of a coordinate is half a step. A mesh with positions that are not finite, or all equal, stays.
// Requires 4 <= bits <= 16.
void make_integer_positions(scene::Scene& scene, std::uint32_t bits);

}  // namespace assetc::optimize
