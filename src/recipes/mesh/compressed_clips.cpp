// Clips as .hanim version 2.
#include <algorithm>
#include <cmath>

#include "animation/compress.hpp"
#include "recipes/mesh/parts.hpp"

namespace assetc::recipes {
namespace {

using scene::ChannelPath;
using scene::Quat;
using scene::Vec3;

// Converts keys relative to the node's parent to keys relative to the parent joint. Tangents are differences, so a
// translation does not move them.
void apply_prefix(const scene::Transform& prefix, scene::Channel& channel) {
  const scene::Mat4 matrix = to_matrix(prefix);
  const bool is_spline = channel.interpolation == scene::Interpolation::kCubicSpline;
  const std::size_t width = component_count(channel);
  for (std::size_t i = 0; i + width <= channel.values.size(); i += width) {
    float* v = &channel.values[i];
    const bool is_tangent = is_spline && i / width % 3 != 1;
    if (channel.path == ChannelPath::kTranslation) {
      const Vec3 from{v[0], v[1], v[2]};
      const Vec3 p = is_tangent ? transform_direction(matrix, from) : transform_point(matrix, from);
      v[0] = p.x, v[1] = p.y, v[2] = p.z;
    } else if (channel.path == ChannelPath::kScale) {
      v[0] *= prefix.scale.x, v[1] *= prefix.scale.y, v[2] *= prefix.scale.z;
    } else if (channel.path == ChannelPath::kRotation) {
      const Quat q = rotation_within(prefix, {v[0], v[1], v[2], v[3]});
      v[0] = q.x, v[1] = q.y, v[2] = q.z, v[3] = q.w;
    }
  }
}

// The clips with their channels that move joints, and in a scene also cameras and lights.
std::vector<scene::Clip> joint_clips(const MeshSource& source, const Skeleton& skeleton, bool is_scene,
                                     MeshReport& report) {
  std::vector<scene::Clip> clips;
  for (std::size_t c = 0; c < source.scene.clips.size(); ++c) {
    const std::string place = "/animations/" + std::to_string(c);
    scene::Clip& clip = clips.emplace_back();
    clip.name = source.scene.clips[c].name;
    for (const scene::Channel& from : source.scene.clips[c].channels) {
      if (!is_scene && !is_transform(from.path)) {
        report.drop(from.path == ChannelPath::kWeights ? "morph weight channels"
                                                       : "animation channels of cameras, lights and visibility",
                    place);
        continue;
      }
      scene::Channel channel = from;
      if (is_of_node(from.path)) {
        channel.node = skeleton.joint_of_node[from.node];
        if (channel.node == kNoJoint) {
          report.drop("animation channels of nodes that are no joints", place);
          continue;
        }
        if (skeleton.prefix[channel.node] && is_transform(from.path))
          apply_prefix(*skeleton.prefix[channel.node], channel);
      }
      clip.channels.push_back(std::move(channel));
    }
  }
  return clips;
}

animation::Options options_of(const AnimationSettings& settings) {
  animation::Options options;
  options.error = settings.error_meters;
  options.radius = settings.radius_meters;
  options.exact_splines = settings.splines == SplineFormat::kExact;
  return options;
}

// The distance from the origin to the farthest vertex.
float radius_of(const scene::Mesh& mesh) {
  float most = 0;
  for (const scene::Primitive& primitive : mesh.primitives)
    for (const Vec3& p : primitive.positions) most = std::max(most, length(p));
  return std::isfinite(most) ? most : 0;
}

}  // namespace

bool needs_compression(const scene::Clip& clip) {
  return std::ranges::any_of(clip.channels, [](const scene::Channel& c) { return !is_transform(c.path); });
}

std::vector<animation::Node> animation_nodes(const scene::Scene& scene) {
  std::vector<animation::Node> nodes;
  std::vector<float> radii;
  nodes.reserve(scene.nodes.size());
  radii.reserve(scene.meshes.size());
  for (const scene::Mesh& mesh : scene.meshes) radii.push_back(radius_of(mesh));
  const std::vector<scene::Mat4> world = world_matrices(scene);
  for (std::size_t n = 0; n < scene.nodes.size(); ++n) {
    const scene::Node& node = scene.nodes[n];
    animation::Node& out = nodes.emplace_back();
    out.parent = node.parent;
    out.rest = node.transform;
    if (node.mesh == scene::kNone || node.skin != scene::kNone) continue;
    float scale = 0;
    for (const Vec3 axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}})
      scale = std::max(scale, length(transform_direction(world[n], axis)));
    if (std::isfinite(scale)) out.reach = radii[node.mesh] * scale;
  }
  return nodes;
}

Result<ByteVector> write_compressed_clips(const MeshSource& source, const Skeleton& skeleton,
                                          std::span<const animation::Node> nodes, bool is_scene,
                                          const AnimationSettings& settings, MeshReport& report,
                                          std::span<const hanim::Joint> joints) {
  animation::Options options = options_of(settings);
  options.keeps_rest = !joints.empty();
  options.of_scene = is_scene;
  return animation::write_hanim(joint_clips(source, skeleton, is_scene, report), nodes, options, joints);
}

Result<ByteVector> write_compressed_clip(const scene::Clip& clip, std::span<const animation::Node> nodes,
                                         const AnimationSettings& settings) {
  animation::Options options = options_of(settings);
  options.of_scene = true;
  return animation::write_hanim(std::span(&clip, 1), nodes, options);
}

}  // namespace assetc::recipes
