#include "scene/scene.hpp"

namespace assetc::scene {

std::vector<Mat4> world_matrices(const Scene& scene) {
  const std::size_t count = scene.nodes.size();
  std::vector<Mat4> world(count);
  std::vector<bool> done(count, false);
  std::vector<std::uint32_t> chain;
  for (std::uint32_t start = 0; start < count; ++start) {
    for (std::uint32_t n = start; n != kNone && !done[n]; n = scene.nodes[n].parent) chain.push_back(n);
    for (; !chain.empty(); chain.pop_back()) {
      const Node& node = scene.nodes[chain.back()];
      const Mat4 local = node.local_matrix();
      world[chain.back()] = node.parent == kNone ? local : world[node.parent] * local;
      done[chain.back()] = true;
    }
  }
  return world;
}

}  // namespace assetc::scene
