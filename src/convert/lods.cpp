#include "convert/lods.hpp"

#include <algorithm>

namespace assetc::convert {

void keep_lods(std::uint32_t most, scene::Scene& scene) {
  std::vector<bool> taken(scene.nodes.size()), needed(scene.nodes.size());
  for (const scene::Skin& skin : scene.skins) {
    for (const std::uint32_t joint : skin.joints) needed[joint] = true;
  }
  for (const scene::Clip& clip : scene.clips) {
    for (const scene::Channel& channel : clip.channels) {
      if (channel.node != scene::kNone) needed[channel.node] = true;
    }
  }
  for (scene::Node& node : scene.nodes) {
    const std::size_t count = std::min<std::size_t>(most, node.lods.size());
    for (std::size_t l = count; l < node.lods.size(); ++l) taken[node.lods[l]] = true;
    node.lods.resize(count);
  }
  for (std::size_t n = 0; n < taken.size(); ++n) {
    if (!taken[n] || !needed[n]) continue;
    taken[n] = false;
    scene.nodes[n].mesh = scene::kNone;
  }
  std::vector<std::uint32_t> number(scene.nodes.size());
  std::vector<bool> drawn(scene.meshes.size());
  std::vector<scene::Node> kept;
  for (std::size_t n = 0; n < scene.nodes.size(); ++n) {
    number[n] = static_cast<std::uint32_t>(kept.size());
    if (taken[n]) continue;
    if (scene.nodes[n].mesh != scene::kNone) drawn[scene.nodes[n].mesh] = true;
    kept.push_back(std::move(scene.nodes[n]));
  }
  scene.nodes = std::move(kept);
  for (scene::Node& node : scene.nodes) {
    if (node.parent != scene::kNone) node.parent = number[node.parent];
    for (std::uint32_t& level : node.lods) level = number[level];
  }
  for (scene::Skin& skin : scene.skins) {
    for (std::uint32_t& joint : skin.joints) joint = number[joint];
  }
  for (scene::Clip& clip : scene.clips) {
    for (scene::Channel& channel : clip.channels) {
      if (channel.node != scene::kNone) channel.node = number[channel.node];
    }
  }
  for (std::size_t m = 0; m < scene.meshes.size(); ++m) {
    if (!drawn[m]) scene.meshes[m].primitives.clear();
  }
}

}  // namespace assetc::convert
