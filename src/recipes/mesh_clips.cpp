#include <algorithm>

#include "base/plural.hpp"
#include "recipes/mesh_parts.hpp"

namespace assetc::recipes {
namespace {

using scene::ChannelPath;
using scene::Interpolation;
using scene::Quat;
using scene::Vec3;

// Keys relative to the node's parent become keys relative to the parent joint.
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
      const Quat q = prefix.rotation * Quat{v[0], v[1], v[2], v[3]};
      v[0] = q.x, v[1] = q.y, v[2] = q.z, v[3] = q.w;
    }
  }
}

}  // namespace

std::vector<hanim::Clip> build_clips(const MeshSource& source, const Skeleton& skeleton, MeshReport& report) {
  std::vector<hanim::Clip> clips;
  std::size_t channel_count = 0;
  std::uint32_t cubic = 0;
  std::string first_cubic;
  for (std::size_t c = 0; c < source.scene.clips.size(); ++c) {
    const scene::Clip& from = source.scene.clips[c];
    hanim::Clip clip;
    clip.name = from.name;
    for (const scene::Channel& channel : from.channels) {
      const std::string place = "/animations/" + std::to_string(c);
      if (channel.path == ChannelPath::kWeights) {
        report.drop("morph weight channels", place);
        continue;
      }
      const std::uint32_t joint = skeleton.joint_of_node[channel.node];
      if (joint == kNoJoint) {
        report.drop("animation channels of nodes that are no joints", place);
        continue;
      }
      hanim::Channel to;
      to.joint = joint;
      to.path = static_cast<hanim::Path>(channel.path);
      to.interpolation =
          channel.interpolation == Interpolation::kStep ? hanim::Interpolation::kStep : hanim::Interpolation::kLinear;
      to.times = channel.times_seconds;
      if (channel.interpolation == Interpolation::kCubicSpline) {
        if (cubic++ == 0) first_cubic = place;
        const std::size_t width = hanim::component_count(to.path);
        to.values.reserve(to.times.size() * width);
        for (std::size_t k = 0; k < to.times.size(); ++k) {
          const auto value = channel.values.begin() + static_cast<std::ptrdiff_t>((3 * k + 1) * width);
          to.values.insert(to.values.end(), value, value + static_cast<std::ptrdiff_t>(width));
        }
      } else {
        to.values = channel.values;
      }
      if (skeleton.prefix[joint]) apply_prefix(*skeleton.prefix[joint], channel.path, to.values);
      clip.duration_seconds = std::max(clip.duration_seconds, to.times.back());
      clip.channels.push_back(std::move(to));
    }
    channel_count += clip.channels.size();
    clips.push_back(std::move(clip));
  }
  if (cubic != 0) {
    report.warn(first_cubic, plural(cubic, "CUBICSPLINE channel") + " became LINEAR between the same keys",
                "bake the animation with more keys if it looks angular");
  }
  if (channel_count == 0) clips.clear();
  return clips;
}

}  // namespace assetc::recipes
