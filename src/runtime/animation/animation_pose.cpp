// Blends poses and converts them to matrices.
#include <algorithm>
#include <cassert>

#include "assetc/runtime/animation.hpp"
#include "runtime/animation/quaternion.hpp"

namespace assetc::runtime {
namespace {

std::array<float, 3> lerp(const std::array<float, 3>& a, const std::array<float, 3>& b, float t) {
  return {a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t};
}

// Requires matrices whose last row is 0 0 0 1.
Matrix multiply(const Matrix& a, const float* b) {
  Matrix out;
  for (std::size_t column = 0; column < 4; ++column) {
    const float* from = b + 4 * column;
    for (std::size_t row = 0; row < 3; ++row)
      out[4 * column + row] = a[row] * from[0] + a[4 + row] * from[1] + a[8 + row] * from[2] + a[12 + row] * from[3];
    out[4 * column + 3] = from[3];
  }
  return out;
}

// Joints and nodes use the same names for the fields of their rest pose.
template <class From>
Transform rest_of(const From& from) {
  Transform rest;
  std::ranges::copy(from.translation, rest.translation.begin());
  std::ranges::copy(from.rotation, rest.rotation.begin());
  std::ranges::copy(from.scale, rest.scale.begin());
  return rest;
}

constexpr std::int32_t kNoParent = hmesh::kNoParent;
static_assert(kNoParent == aas1::ModelNode::kNone);

}  // namespace

void blend(std::span<const Transform> a, std::span<const Transform> b, float weight, std::span<Transform> out,
           std::span<const float> mask, RotationBlend rotations) {
  assert(a.size() == out.size() && b.size() == out.size() && (mask.empty() || mask.size() == out.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const float t = mask.empty() ? weight : weight * mask[i];
    const Quaternion rotation = rotations == RotationBlend::kSlerp ? slerp(a[i].rotation, b[i].rotation, t)
                                                                   : nlerp(a[i].rotation, b[i].rotation, t);
    out[i] = {lerp(a[i].translation, b[i].translation, t), rotation, lerp(a[i].scale, b[i].scale, t)};
  }
}

Hierarchy::Hierarchy(std::span<const hmesh::GpuJoint> joints) {
  for (const hmesh::GpuJoint& joint : joints) rest_.push_back(rest_of(joint)), parents_.push_back(joint.parent);
  put_in_order();
}

Hierarchy::Hierarchy(std::span<const aas1::ModelNode> nodes) {
  for (const aas1::ModelNode& node : nodes) rest_.push_back(rest_of(node)), parents_.push_back(node.parent);
  put_in_order();
}

// Views reject cycles. If data from elsewhere has one, the walk still ends, because it stops at joints it has seen.
void Hierarchy::put_in_order() {
  std::vector<bool> seen(size());
  std::vector<std::uint32_t> chain;
  for (std::uint32_t start = 0; start < size(); ++start) {
    for (std::uint32_t i = start; !seen[i]; i = static_cast<std::uint32_t>(parents_[i])) {
      seen[i] = true;
      chain.push_back(i);
      assert(parents_[i] < static_cast<std::int32_t>(size()));
      if (parents_[i] == kNoParent) break;
    }
    order_.insert(order_.end(), chain.rbegin(), chain.rend());
    chain.clear();
  }
}

void Hierarchy::model_matrices(std::span<const Transform> pose, std::span<Matrix> out) const {
  assert(pose.size() == size() && out.size() == size());
  for (const std::uint32_t i : order_) {
    const Matrix local = to_matrix(pose[i]);
    out[i] = parents_[i] == kNoParent ? local : multiply(out[static_cast<std::size_t>(parents_[i])], local.data());
  }
}

void skinning_matrices(std::span<const hmesh::GpuJoint> joints, std::span<const std::uint32_t> nodes,
                       std::span<const Matrix> model, std::span<Matrix> out) {
  assert(out.size() >= joints.size() && (nodes.empty() || nodes.size() == joints.size()));
  const Matrix bind_pose = to_matrix({});
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const std::size_t node = nodes.empty() ? j : nodes[j];
    out[j] = node < model.size() ? multiply(model[node], joints[j].inverse_bind) : bind_pose;
  }
  std::ranges::fill(out.subspan(joints.size()), bind_pose);
}

}  // namespace assetc::runtime
