// Evaluates a clip at a time, and deforms a mesh by its skin.
#pragma once

#include <span>

#include "scene/scene.hpp"

namespace assetc::scene {

// Separates equal key times. times_seconds ascends. If a time equals the one before it, it moves to the next larger
// float, because two keys at one time are a jump, which glTF does not allow. Returns how many times moved.
std::uint32_t separate_keys(std::span<float> times_seconds);

// The nodes of a scene with the clip's channels applied at a time, which is clamped to each channel's first and last
// key. Rotations are interpolated on the shorter arc, cubic splines by Hermite. Channels of cameras and lights are
// ignored.
// Source: glTF 2.0 specification, section 3.11 and appendix C.
std::vector<Node> pose_nodes(const Scene& scene, const Clip& clip, float time_seconds);

// Adds the offsets of morph targets, times their weights, to positions and normals. Further weights are ignored.
// Source: glTF 2.0 specification, section 3.7.2.2.
void apply_morphs(std::span<const float> weights, Primitive& primitive);

// The primitive's positions and normals, deformed by its skin, in world space. As glTF requires, the node's own
// transform is ignored. joint_world holds the world matrix of every node. Joints out of range count as no influence. A
// vertex without influence does not move.
void skin_vertices(const Primitive& primitive, const Skin& skin, const std::vector<Mat4>& joint_world,
                   std::vector<Vec3>& positions, std::vector<Vec3>& normals);

}  // namespace assetc::scene
