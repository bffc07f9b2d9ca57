// Joints as the file has them, from transforms and back.
#pragma once

#include <algorithm>
#include <cstdint>

#include "assetc/formats/mesh_model.hpp"
#include "mesh/bounds.hpp"
#include "scene/math.hpp"

namespace assetc::mesh {

// inverse_bind: mesh space to the joint's bind space. rest: relative to the parent, an index into the joints or
// hmesh::kNoParent.
inline hmesh::GpuJoint joint_of(const scene::Mat4& inverse_bind, const scene::Transform& rest, std::int32_t parent) {
  const auto& [t, r, s] = rest;
  hmesh::GpuJoint joint{{}, {t.x, t.y, t.z}, {r.x, r.y, r.z, r.w}, {s.x, s.y, s.z}, parent, 0};
  std::ranges::copy(inverse_bind.m, joint.inverse_bind);
  return joint;
}

inline scene::Transform rest_of(const hmesh::GpuJoint& joint) {
  const auto& r = joint.rotation;
  return {vector_of(joint.translation), {r[0], r[1], r[2], r[3]}, vector_of(joint.scale)};
}

}  // namespace assetc::mesh
