#include <algorithm>

#include "assetc/runtime/scene.hpp"

namespace assetc::runtime {
namespace {

// a * b for affine matrices.
Matrix product(const Matrix& a, const Matrix& b) {
  Matrix out;
  for (std::size_t c = 0; c < 4; ++c) {
    for (std::size_t r = 0; r < 4; ++r) {
      out[4 * c + r] = a[r] * b[4 * c] + a[4 + r] * b[4 * c + 1] + a[8 + r] * b[4 * c + 2] + a[12 + r] * b[4 * c + 3];
    }
  }
  return out;
}

constexpr Matrix kIdentity{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

}  // namespace

void rest_pose(const hscene::View& scene, std::span<Transform> out) {
  std::ranges::transform(scene.nodes(), out.begin(), &hscene::Node::transform);
}

void world_matrices(const hscene::View& scene, std::span<const Transform> pose, std::span<Matrix> world) {
  const std::span<const hscene::Node> nodes = scene.nodes();
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    const hscene::Node& node = nodes[n];
    const bool is_at_rest = pose.empty() || (node.matrix != hscene::kNone && pose[n] == node.transform);
    const Matrix local = is_at_rest ? scene.local_matrix(n) : to_matrix(pose[n]);
    world[n] = node.parent < 0 ? local : product(world[static_cast<std::uint32_t>(node.parent)], local);
  }
}

void skinning_matrices(const hscene::View& scene, const hscene::Skin& skin, std::span<const Matrix> world,
                       std::span<Matrix> out) {
  const std::span<const std::uint32_t> joints = scene.joints(skin);
  const std::span<const Matrix> inverse_bind = scene.inverse_bind(skin);
  for (std::size_t j = 0; j < joints.size(); ++j)
    out[j] = inverse_bind.empty() ? world[joints[j]] : product(world[joints[j]], inverse_bind[j]);
  std::ranges::fill(out.subspan(joints.size()), kIdentity);
}

}  // namespace assetc::runtime
