// Makes clips smaller without a visible change.
#pragma once

#include <cstdint>
#include <vector>

#include "assetc/base/result.hpp"
#include "scene/scene.hpp"

namespace assetc::optimize {

// Removes keys between which samplers interpolate to the same pose, and rounds the others: no point near a node moves
// by more than error_meters, in any clip, at all key times of the source and between each two of them. Points are the
// farthest vertex of a node's mesh, and those at animation.radius (docs/guide/animation.md). 0: the model's size /
// 18000. Morph weights change by at most 1/1024. The times of the first and last keys stay. Rotations are not rounded:
// returns the bits, 12 to 16, to which the quaternion filter of EXT_meshopt_compression may round them within the same
// error.
//
// Cubic splines, cameras and lights stay. A clip that cannot keep the error stays. Adds a note of how many keys went.
// Deterministic. Runs in parallel.
std::uint32_t reduce_clips(scene::Scene& scene, double error_meters, std::vector<Error>& notes);

}  // namespace assetc::optimize
