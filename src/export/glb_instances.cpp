#include "export/glb_instances.hpp"

#include <algorithm>
#include <string>

#include "export/glb_vertices.hpp"

namespace assetc::exporter {
namespace {

using scene::kNone;

template <class T>
std::size_t add_values(GlbDocument& document, const std::string& name, const std::vector<T>& values,
                       std::string_view type) {
  return document.add_stream({"instances " + name, StreamMode::kAttributes, StreamFilter::kNone, sizeof(T), 0},
                             std::as_bytes(std::span(values)),
                             {{"componentType", kFloat}, {"count", values.size()}, {"type", type}});
}

}  // namespace

std::vector<std::vector<std::uint32_t>> find_instances(const scene::Scene& scene) {
  const std::size_t count = scene.nodes.size();
  std::vector<bool> is_referenced(count);
  for (const scene::Node& node : scene.nodes) {
    if (node.parent != kNone) is_referenced[node.parent] = true;
    for (const std::uint32_t level : node.lods) is_referenced[level] = true;
  }
  for (const scene::Skin& skin : scene.skins)
    for (const std::uint32_t joint : skin.joints) is_referenced[joint] = true;
  for (const scene::Clip& clip : scene.clips)
    for (const scene::Channel& c : clip.channels)
      if (c.node < count) is_referenced[c.node] = true;
  std::vector<std::vector<std::uint32_t>> out(count);
  for (std::uint32_t n = 0; n < count; ++n) {
    const scene::Node& node = scene.nodes[n];
    if (is_referenced[n] || node.parent == kNone || node.mesh == kNone || node.skin != kNone || node.camera != kNone ||
        node.light != kNone || node.matrix || !node.is_visible || node.holds_other || !node.extra.empty() ||
        !node.lods.empty() || !node.morph_weights.empty() || node.referred_as != kNone)
      continue;
    const scene::Node& parent = scene.nodes[node.parent];
    if (parent.mesh != kNone || parent.name != node.name) continue;
    std::vector<std::uint32_t>& found = out[node.parent];
    if (found.empty() || scene.nodes[found.front()].mesh == node.mesh) found.push_back(n);
  }
  for (std::vector<std::uint32_t>& found : out)
    if (found.size() < 2) found.clear();
  return out;
}

Json instances_json(GlbDocument& document, const scene::Scene& scene, const std::vector<std::uint32_t>& instances,
                    bool integer_rotations) {
  std::vector<scene::Vec3> translations, scales;
  std::vector<scene::Quat> rotations;
  for (const std::uint32_t n : instances) {
    const scene::Transform& t = scene.nodes[n].transform;
    translations.push_back(t.translation);
    rotations.push_back(t.rotation);
    scales.push_back(t.scale);
  }
  Json attributes;
  const auto all = [](const auto& values, const auto& value) {
    return std::ranges::all_of(values, [&](const auto& v) { return v == value; });
  };
  attributes["TRANSLATION"] = add_values(document, "translations", translations, "VEC3");
  if (!all(rotations, scene::Quat{})) {
    attributes["ROTATION"] =
        integer_rotations ? pack_rotations(document, "instances rotations", {&rotations[0].x, rotations.size() * 4})
                          : add_values(document, "rotations", rotations, "VEC4");
  }
  if (!all(scales, scene::Vec3{1, 1, 1})) attributes["SCALE"] = add_values(document, "scales", scales, "VEC3");
  return {{"attributes", std::move(attributes)}};
}

}  // namespace assetc::exporter
