#include <cmath>
#include <map>

#include "base/plural.hpp"
#include "import/gltf_parts.hpp"
#include "scene/pose.hpp"

namespace assetc::importer {
namespace {

Result<std::vector<float>> read_times(GltfContext& context, const Value& sampler) {
  ASSETC_TRY(const std::uint32_t index, sampler.get_index("input", context.data.accessor_count(), "accessors"));
  ASSETC_TRY(const Accessor accessor, context.data.accessor(index));
  const std::string place = sampler.pointer() + "/input";
  if (accessor.component != Component::kF32 || accessor.components() != 1) {
    return fail_at(ErrorCode::kInvalidData, place, "found " + accessor.type_name() + ", expected SCALAR of float");
  }
  ASSETC_CHECK(context.data.budget().take(accessor.count, 4, place));
  std::vector<float> times(static_cast<std::size_t>(accessor.count));
  ASSETC_CHECK(read_floats(accessor, 1, times));
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!(times[i] >= 0) || !std::isfinite(times[i]) || (i > 0 && times[i] < times[i - 1])) {
      return fail_at(ErrorCode::kInvalidData, place,
                     "key " + std::to_string(i) + " is at " + std::to_string(times[i]) +
                         " s, expected times of 0 or more that ascend");
    }
  }
  if (const std::uint32_t moved = scene::separate_keys(times); moved != 0) {
    context.warn(WarningKind::kRepairedAnimation, ErrorCode::kInvalidData, place,
                 std::to_string(moved) + (moved == 1 ? " key has" : " keys have") +
                     " the same time as the key before, expected ascending times; " +
                     (moved == 1 ? "it is" : "they are") + " moved to the next possible time");
  }
  return times;
}

// Reads the values of the keys. A cubic spline has three per key: the value and two tangents.
Result<std::vector<float>> read_values(GltfContext& context, const Value& sampler, const scene::Channel& channel) {
  ASSETC_TRY(const std::uint32_t index, sampler.get_index("output", context.data.accessor_count(), "accessors"));
  ASSETC_TRY(const Accessor accessor, context.data.accessor(index));
  const std::string place = sampler.pointer() + "/output";
  const std::uint64_t keys =
      channel.times_seconds.size() * (channel.interpolation == scene::Interpolation::kCubicSpline ? 3u : 1u);
  if (channel.path == scene::ChannelPath::kWeights) {
    if (accessor.components() != 1 || keys == 0 || accessor.count % keys != 0) {
      return fail_at(ErrorCode::kInvalidData, place,
                     "found " + counted(accessor.count, "element") + " of " + accessor.type_name() +
                         ", expected SCALAR, a multiple of " + std::to_string(keys));
    }
  } else {
    const std::size_t width = channel.path == scene::ChannelPath::kRotation ? 4 : 3;
    if (accessor.columns != 1 || accessor.rows != width || accessor.count < keys) {
      return fail_at(ErrorCode::kInvalidData, place,
                     "found " + counted(accessor.count, "element") + " of " + accessor.type_name() + ", expected " +
                         std::to_string(keys) + " of VEC" + std::to_string(width));
    }
  }
  ASSETC_CHECK(context.data.budget().take(accessor.count, accessor.components() * 4, place));
  std::vector<float> values(static_cast<std::size_t>(accessor.count) * accessor.components());
  ASSETC_CHECK(read_floats(accessor, accessor.components(), values));
  if (channel.path != scene::ChannelPath::kWeights)
    values.resize(static_cast<std::size_t>(keys) * accessor.components());
  for (float v : values) {
    if (!std::isfinite(v)) return fail_at(ErrorCode::kInvalidData, place, "a key holds a value that is not finite");
  }
  return values;
}

Result<void> read_channel(GltfContext& context, const Value& json, const Value& samplers, scene::Clip& clip) {
  ASSETC_TRY(const Value target, json.get("target"));
  ASSETC_TRY(const std::uint32_t sampler_index,
             json.get_index("sampler", samplers.size(), "samplers of this animation"));
  const Value sampler = samplers.item(sampler_index);
  scene::Channel channel;
  ASSETC_TRY(channel.node, target.index_or_none("node", context.out.scene.nodes.size(), "nodes"));
  ASSETC_TRY(const std::string path, target.string_or("path", ""));
  static const std::map<std::string, scene::ChannelPath, std::less<>> kPaths{
      {"translation", scene::ChannelPath::kTranslation},
      {"rotation", scene::ChannelPath::kRotation},
      {"scale", scene::ChannelPath::kScale},
      {"weights", scene::ChannelPath::kWeights}};
  const auto known = kPaths.find(path);
  if (channel.node == scene::kNone || known == kPaths.end()) {
    context.drop("animation channels without a node to move", json.pointer());
    return {};
  }
  channel.path = known->second;
  ASSETC_TRY(const std::string interpolation, sampler.string_or("interpolation", "LINEAR"));
  if (interpolation == "STEP") {
    channel.interpolation = scene::Interpolation::kStep;
  } else if (interpolation == "CUBICSPLINE") {
    channel.interpolation = scene::Interpolation::kCubicSpline;
  } else if (interpolation != "LINEAR") {
    return fail_at(ErrorCode::kInvalidData, sampler.pointer() + "/interpolation",
                   "found \"" + interpolation + "\", expected LINEAR, STEP or CUBICSPLINE");
  }
  ASSETC_TRY(channel.times_seconds, read_times(context, sampler));
  if (channel.times_seconds.empty()) {
    context.drop("animation channels without keys", json.pointer());
    return {};
  }
  ASSETC_TRY(channel.values, read_values(context, sampler, channel));
  clip.channels.push_back(std::move(channel));
  return {};
}

}  // namespace

Result<void> read_clips(GltfContext& context) {
  ASSETC_TRY(const Value animations, context.root.array_or_empty("animations"));
  for (std::size_t i = 0; i < animations.size(); ++i) {
    const Value json = animations.item(i);
    scene::Clip clip;
    ASSETC_TRY(clip.name, json.string_or("name", ""));
    ASSETC_TRY(const Value channels, json.array_or_empty("channels"));
    ASSETC_TRY(const Value samplers, json.array_or_empty("samplers"));
    for (std::size_t k = 0; k < channels.size(); ++k)
      ASSETC_CHECK(read_channel(context, channels.item(k), samplers, clip));
    context.out.scene.clips.push_back(std::move(clip));
  }
  return {};
}

}  // namespace assetc::importer
