// Boxes and spheres around a skinned mesh where its poses put it.
#pragma once

#include <span>
#include <vector>

#include "assetc/formats/hanim.hpp"
#include "mesh/mesh.hpp"

namespace assetc::mesh {

// Of the rest pose, then of each clip: every vertex lies inside at every key of the clip and at three moments between
// any two, so long as that is at most kMaxPosedJoints poses of a joint; else at as many moments of equal distance.
// A little larger than the mesh: boxes of what each joint moves are posed, not vertices. The same bits on every
// machine. Nothing for a mesh without a skin, and where a pose leaves the range of a float. Requires a valid mesh,
// clips of its joints.
inline constexpr std::uint64_t kMaxPosedJoints = 1u << 22;
std::vector<Bounds> pose_bounds(const Mesh& mesh, std::span<const hanim::Clip> clips);

}  // namespace assetc::mesh
