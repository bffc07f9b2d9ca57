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

std::size_t component_count(const Channel& channel) {
  switch (channel.path) {
    case ChannelPath::kTranslation:
    case ChannelPath::kScale:
    case ChannelPath::kLightColor:
      return 3;
    case ChannelPath::kRotation:
      return 4;
    case ChannelPath::kWeights: {
      const std::size_t parts = channel.interpolation == Interpolation::kCubicSpline ? 3 : 1;
      const std::size_t keys = channel.times_seconds.size() * parts;
      return keys == 0 ? 0 : channel.values.size() / keys;
    }
    default:
      return 1;
  }
}

std::vector<bool> hidden_nodes(const std::vector<Node>& nodes) {
  std::vector<bool> hidden(nodes.size()), done(nodes.size());
  std::vector<std::uint32_t> chain;
  for (std::uint32_t start = 0; start < nodes.size(); ++start) {
    for (std::uint32_t n = start; n != kNone && !done[n]; n = nodes[n].parent) chain.push_back(n);
    for (; !chain.empty(); chain.pop_back()) {
      const Node& node = nodes[chain.back()];
      hidden[chain.back()] = !node.is_visible || (node.parent != kNone && hidden[node.parent]);
      done[chain.back()] = true;
    }
  }
  return hidden;
}

}  // namespace assetc::scene
