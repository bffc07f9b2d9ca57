// A clip at a moment, and a mesh bent by its skin.
#pragma once

#include <span>

#include "scene/scene.hpp"

namespace assetc::scene {

// The last key time of a clip, in seconds; 0 for a clip without keys.
float clip_duration_seconds(const Clip& clip);

// Moves each of some ascending key times that equals the one before it to the next number that a float can be: two keys
// at one time are a jump, and glTF has no two. Returns how many.
std::uint32_t separate_keys(std::span<float> times_seconds);

// The nodes of a scene with the clip's channels applied at a time, clamped to each channel's first and last key.
// Rotations are interpolated on the shorter arc; cubic splines by Hermite. Morph weights are left out.
// Source: glTF 2.0 specification, section 3.11 and appendix C.
std::vector<Node> pose_nodes(const Scene& scene, const Clip& clip, float time_seconds);

// The primitive's positions and normals as its skin bends them, in world space (the node's own transform does not
// count, as glTF demands). joint_world holds the world matrix of every node. Joints out of range count as no influence;
// a vertex without influence stays where it is.
void skin_vertices(const Primitive& primitive, const Skin& skin, const std::vector<Mat4>& joint_world,
                   std::vector<Vec3>& positions, std::vector<Vec3>& normals);

}  // namespace assetc::scene
