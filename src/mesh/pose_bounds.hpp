// Bounds of a skinned mesh in its poses.
#pragma once

#include <span>
#include <vector>

#include "assetc/formats/hanim.hpp"
#include "mesh/mesh.hpp"

namespace assetc::mesh {

// The bounds of the rest pose, then of each clip. A clip is sampled at every key and at three times between any two
// keys, if that makes at most kMaxPosedJoints joint poses; otherwise at as many evenly spaced times as that limit
// allows. Every vertex lies inside the bounds at each of these times. The bounds are a little larger than the mesh,
// because the boxes of the vertices that each joint moves are posed, not the vertices. The same bits on every machine.
// Empty for a mesh without a skin, and if a pose exceeds the range of a float. Requires a valid mesh and clips of its
// joints.
inline constexpr std::uint64_t kMaxPosedJoints = 1u << 22;
std::vector<hmesh::MeshBounds> pose_bounds(const Mesh& mesh, std::span<const hanim::Clip> clips);

}  // namespace assetc::mesh
