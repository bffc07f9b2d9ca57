// Names, weights and ranges of morph targets.
#include <algorithm>

#include "recipes/mesh/parts.hpp"

namespace assetc::recipes {
namespace {

// Widens the ranges by the keys of a channel of weights. Between two keys of a cubic spline, the values stay within the
// control points of its Bézier form.
void add_keys(const scene::Channel& channel, std::span<mesh::Morph> morphs) {
  const std::size_t count = morphs.size();
  const bool cubic = channel.interpolation == scene::Interpolation::kCubicSpline;
  const std::size_t keys = channel.times_seconds.size(), parts = cubic ? 3 : 1;
  if (count == 0 || channel.values.size() != keys * parts * count) return;
  const auto value = [&](std::size_t key, std::size_t part, std::size_t target) {
    return channel.values[(key * parts + part) * count + target];
  };
  for (std::size_t t = 0; t < count; ++t) {
    const auto add = [&](float v) {
      morphs[t].low = std::min(morphs[t].low, v);
      morphs[t].high = std::max(morphs[t].high, v);
    };
    for (std::size_t k = 0; k < keys; ++k) {
      add(value(k, cubic ? 1 : 0, t));
      if (!cubic || k + 1 == keys) continue;
      const float third = (channel.times_seconds[k + 1] - channel.times_seconds[k]) / 3;
      add(value(k, 1, t) + value(k, 2, t) * third);
      add(value(k + 1, 1, t) - value(k + 1, 0, t) * third);
    }
  }
}

}  // namespace

std::vector<mesh::Morph> morphs_of(const scene::Scene& scene, std::uint32_t mesh,
                                   std::span<const std::uint32_t> nodes) {
  const scene::Mesh& from = scene.meshes[mesh];
  std::vector<mesh::Morph> morphs(from.morph_weights.size());
  const auto add_weight = [](mesh::Morph& m, float weight) {
    m.low = std::min(m.low, weight);
    m.high = std::max(m.high, weight);
  };
  for (std::size_t t = 0; t < morphs.size(); ++t) {
    if (t < from.morph_names.size()) morphs[t].name = from.morph_names[t];
    morphs[t].weight = from.morph_weights[t];
    add_weight(morphs[t], morphs[t].weight);
  }
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const scene::Node& node = scene.nodes[nodes[n]];
    for (std::size_t t = 0; t < std::min(morphs.size(), node.morph_weights.size()); ++t) {
      if (n == 0) morphs[t].weight = node.morph_weights[t];
      add_weight(morphs[t], node.morph_weights[t]);
    }
  }
  for (const scene::Clip& clip : scene.clips) {
    for (const scene::Channel& channel : clip.channels) {
      if (channel.path == scene::ChannelPath::kWeights && std::ranges::find(nodes, channel.node) != nodes.end())
        add_keys(channel, morphs);
    }
  }
  return morphs;
}

void set_morphs(std::vector<mesh::Morph> morphs, mesh::Mesh& mesh) {
  mesh.targets.resize(morphs.size());
  for (std::size_t t = 0; t < morphs.size(); ++t) {
    morphs[t].offsets = std::move(mesh.targets[t].offsets);
    mesh.targets[t] = std::move(morphs[t]);
  }
}

}  // namespace assetc::recipes
