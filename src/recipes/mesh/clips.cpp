#include <algorithm>

#include "recipes/mesh/parts.hpp"
#include "scene/spline.hpp"

namespace assetc::recipes {
namespace {

using scene::ChannelPath;
using scene::Interpolation;
using scene::Quat;
using scene::Vec3;

// Converts keys relative to the node's parent to keys relative to the parent joint.
void apply_prefix(const scene::Transform& prefix, ChannelPath path, std::vector<float>& values) {
  const scene::Mat4 matrix = to_matrix(prefix);
  const std::size_t width = path == ChannelPath::kRotation ? 4 : 3;
  for (std::size_t i = 0; i + width <= values.size(); i += width) {
    float* v = &values[i];
    if (path == ChannelPath::kTranslation) {
      const Vec3 p = transform_point(matrix, {v[0], v[1], v[2]});
      v[0] = p.x, v[1] = p.y, v[2] = p.z;
    } else if (path == ChannelPath::kScale) {
      v[0] *= prefix.scale.x, v[1] *= prefix.scale.y, v[2] *= prefix.scale.z;
    } else {
      const Quat q = rotation_within(prefix, {v[0], v[1], v[2], v[3]});
      v[0] = q.x, v[1] = q.y, v[2] = q.z, v[3] = q.w;
    }
  }
}

}  // namespace

bool is_clips_alone(const scene::Scene& scene) {
  return scene.meshes.empty() && std::ranges::any_of(scene.clips, [](const scene::Clip& clip) {
           return std::ranges::any_of(clip.channels, [](const scene::Channel& c) { return is_transform(c.path); });
         });
}

std::vector<std::uint32_t> clip_nodes(const scene::Scene& scene) {
  std::vector<std::uint32_t> nodes, chain;
  std::vector<bool> listed(scene.nodes.size());
  const auto add = [&](std::uint32_t node) {
    for (std::uint32_t n = node; n != scene::kNone && !listed[n]; n = scene.nodes[n].parent) {
      listed[n] = true;
      chain.push_back(n);
    }
    nodes.insert(nodes.end(), chain.rbegin(), chain.rend());
    chain.clear();
  };
  for (const scene::Skin& skin : scene.skins) std::ranges::for_each(skin.joints, add);
  for (const scene::Clip& clip : scene.clips) {
    for (const scene::Channel& channel : clip.channels)
      if (is_transform(channel.path)) add(channel.node);
  }
  return nodes;
}

std::vector<hanim::Clip> build_clips(const MeshSource& source, const Skeleton& skeleton, MeshReport& report) {
  std::vector<hanim::Clip> clips;
  std::size_t channel_count = 0;
  for (std::size_t c = 0; c < source.scene.clips.size(); ++c) {
    const scene::Clip& from = source.scene.clips[c];
    hanim::Clip clip;
    clip.name = from.name;
    for (const scene::Channel& source_channel : from.channels) {
      const std::string place = "/animations/" + std::to_string(c);
      if (source_channel.path == ChannelPath::kWeights) {
        report.drop_flat("morph weight channels", place);
        continue;
      }
      if (!is_transform(source_channel.path)) {
        report.drop_flat("animation channels of cameras, lights and visibility", place);
        continue;
      }
      const std::uint32_t joint = skeleton.joint_of_node[source_channel.node];
      if (joint == kNoJoint) {
        report.drop_flat("animation channels of nodes that are no joints", place);
        continue;
      }
      const bool is_spline = source_channel.interpolation == Interpolation::kCubicSpline;
      scene::Channel channel = is_spline ? straighten(source_channel) : source_channel;
      hanim::Channel to;
      to.joint = joint;
      to.path = static_cast<hanim::Path>(channel.path);
      to.interpolation =
          channel.interpolation == Interpolation::kStep ? hanim::Interpolation::kStep : hanim::Interpolation::kLinear;
      to.times = std::move(channel.times_seconds);
      to.values = std::move(channel.values);
      if (skeleton.prefix[joint]) apply_prefix(*skeleton.prefix[joint], channel.path, to.values);
      clip.duration_seconds = std::max(clip.duration_seconds, to.times.back());
      clip.channels.push_back(std::move(to));
    }
    channel_count += clip.channels.size();
    clips.push_back(std::move(clip));
  }
  if (channel_count == 0) clips.clear();
  return clips;
}

}  // namespace assetc::recipes
