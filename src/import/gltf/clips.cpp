#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "base/plural.hpp"
#include "import/gltf/parts.hpp"
#include "import/model/repair.hpp"
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
    if (!std::isfinite(times[i]) || (i > 0 && times[i] < times[i - 1])) {
      return fail_at(
          ErrorCode::kInvalidData, place,
          "key " + std::to_string(i) + " is at " + std::to_string(times[i]) + " s, expected finite times that ascend");
    }
  }
  repair_times(times, place, context.out.warnings);
  return times;
}

// The number of morph targets of a node's mesh.
std::size_t target_count(const scene::Scene& scene, std::uint32_t node) {
  const std::uint32_t mesh = scene.nodes[node].mesh;
  return mesh == scene::kNone ? 0 : scene.meshes[mesh].morph_weights.size();
}

// Reads the values of the keys. A cubic spline has three per key: the value and two tangents.
Result<std::vector<float>> read_values(GltfContext& context, const Value& sampler, const scene::Channel& channel,
                                       bool is_one_weight) {
  ASSETC_TRY(const std::uint32_t index, sampler.get_index("output", context.data.accessor_count(), "accessors"));
  ASSETC_TRY(const Accessor accessor, context.data.accessor(index));
  const std::string place = sampler.pointer() + "/output";
  const std::uint64_t keys =
      channel.times_seconds.size() * (channel.interpolation == scene::Interpolation::kCubicSpline ? 3u : 1u);
  if (channel.path == scene::ChannelPath::kWeights && !is_one_weight) {
    if (accessor.components() != 1 || keys == 0 || accessor.count % keys != 0) {
      return fail_at(ErrorCode::kInvalidData, place,
                     "found " + counted(accessor.count, "element") + " of " + accessor.type_name() +
                         ", expected SCALAR, a multiple of " + std::to_string(keys));
    }
    const std::size_t targets = target_count(context.out.scene, channel.node);
    if (targets != 0 && accessor.count != keys * targets) {
      return fail_at(ErrorCode::kInvalidData, place,
                     "found " + counted(accessor.count / keys, "weight") + " for each key, expected " +
                         std::to_string(targets) + ", the number of morph targets of mesh " +
                         std::to_string(context.out.scene.nodes[channel.node].mesh));
    }
  } else {
    const std::size_t width = is_one_weight ? 1 : component_count(channel);
    if (accessor.columns != 1 || accessor.rows != width || accessor.count < keys) {
      return fail_at(ErrorCode::kInvalidData, place,
                     "found " + counted(accessor.count, "element") + " of " + accessor.type_name() + ", expected " +
                         std::to_string(keys) + " of " + (width == 1 ? "SCALAR" : "VEC" + std::to_string(width)));
    }
  }
  ASSETC_CHECK(context.data.budget().take(accessor.count, accessor.components() * 4, place));
  std::vector<float> values(static_cast<std::size_t>(accessor.count) * accessor.components());
  ASSETC_CHECK(read_floats(accessor, accessor.components(), values));
  if (channel.path != scene::ChannelPath::kWeights || is_one_weight)
    values.resize(static_cast<std::size_t>(keys) * accessor.components());
  for (float v : values) {
    if (!std::isfinite(v)) return fail_at(ErrorCode::kInvalidData, place, "a key holds a value that is not finite");
  }
  return values;
}

// A property that a JSON pointer of KHR_animation_pointer can name: before and after the index of the object.
struct Pointer {
  std::string_view before, after;
  scene::ChannelPath path;
};
constexpr std::string_view kNodes = "/nodes/", kCameras = "/cameras/",
                           kLights = "/extensions/KHR_lights_punctual/lights/";
constexpr Pointer kPointers[] = {
    {kNodes, "/translation", scene::ChannelPath::kTranslation},
    {kNodes, "/rotation", scene::ChannelPath::kRotation},
    {kNodes, "/scale", scene::ChannelPath::kScale},
    {kNodes, "/weights", scene::ChannelPath::kWeights},  // "/weights/M" too, see split_weight()
    {kNodes, "/extensions/KHR_node_visibility/visible", scene::ChannelPath::kVisible},
    {kCameras, "/perspective/yfov", scene::ChannelPath::kCameraYFov},
    {kCameras, "/perspective/aspectRatio", scene::ChannelPath::kCameraAspectRatio},
    {kCameras, "/perspective/znear", scene::ChannelPath::kCameraNear},
    {kCameras, "/perspective/zfar", scene::ChannelPath::kCameraFar},
    {kCameras, "/orthographic/xmag", scene::ChannelPath::kCameraXMagnification},
    {kCameras, "/orthographic/ymag", scene::ChannelPath::kCameraYMagnification},
    {kCameras, "/orthographic/znear", scene::ChannelPath::kCameraNear},
    {kCameras, "/orthographic/zfar", scene::ChannelPath::kCameraFar},
    {kLights, "/color", scene::ChannelPath::kLightColor},
    {kLights, "/intensity", scene::ChannelPath::kLightIntensity},
    {kLights, "/range", scene::ChannelPath::kLightRange},
    {kLights, "/spot/innerConeAngle", scene::ChannelPath::kLightInnerCone},
    {kLights, "/spot/outerConeAngle", scene::ChannelPath::kLightOuterCone},
};

// The number of cameras, or of lights of KHR_lights_punctual, that the document has.
Result<std::size_t> object_count(const GltfContext& context, std::string_view of) {
  if (of == kNodes) return context.out.scene.nodes.size();
  if (of == kCameras) {
    ASSETC_TRY(const Value cameras, context.root.array_or_empty("cameras"));
    return cameras.size();
  }
  const auto extension = context.root.extension("KHR_lights_punctual");
  if (!extension) return std::size_t{0};
  ASSETC_TRY(const Value lights, extension->array_or_empty("lights"));
  return lights.size();
}

constexpr std::string_view kPointerPlace = "/extensions/KHR_animation_pointer/pointer";

// What a channel moves.
struct Target {
  scene::Channel channel;               // path, and node or object
  std::optional<std::uint32_t> weight;  // only this weight
};

// If a pointer ends with the index of a weight, removes the index and returns it.
std::optional<std::uint32_t> split_weight(std::string_view& pointer) {
  const std::size_t slash = pointer.rfind('/');
  if (slash == std::string_view::npos || !pointer.substr(0, slash).ends_with("/weights")) return {};
  const std::string_view digits = pointer.substr(slash + 1);
  std::uint32_t weight = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), weight);
  if (digits.empty() || end != digits.data() + digits.size()) return {};
  pointer = pointer.substr(0, slash);
  return error == std::errc() ? weight : scene::kNone;
}

// Reads a target from a JSON pointer. False if it names nothing that clips move.
Result<bool> read_pointer(const GltfContext& context, const Value& json, std::string_view whole_pointer, Target& out) {
  std::string_view pointer = whole_pointer;
  out.weight = split_weight(pointer);
  for (const Pointer& known : kPointers) {
    if (!pointer.starts_with(known.before) || !pointer.ends_with(known.after)) continue;
    if (pointer.size() <= known.before.size() + known.after.size()) continue;
    const std::string_view digits =
        pointer.substr(known.before.size(), pointer.size() - known.before.size() - known.after.size());
    std::uint32_t index = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (end != digits.data() + digits.size()) continue;  // another property
    ASSETC_TRY(const std::size_t count, object_count(context, known.before));
    if (error != std::errc() || index >= count) {
      return fail_at(ErrorCode::kInvalidData, json.pointer() + std::string(kPointerPlace),
                     "found \"" + std::string(whole_pointer) + "\", expected an index below " + std::to_string(count));
    }
    out.channel.path = known.path;
    (is_of_node(known.path) ? out.channel.node : out.channel.object) = index;
    if (!out.weight) return true;
    if (const std::size_t targets = target_count(context.out.scene, index); *out.weight >= targets) {
      return fail_at(ErrorCode::kInvalidData, json.pointer() + std::string(kPointerPlace),
                     "found \"" + std::string(whole_pointer) + "\", expected a weight of the node's " +
                         counted(targets, "morph target"));
    }
    return true;
  }
  return false;
}

// Reads the target of a channel. False if assetc knows no such property.
Result<bool> read_target(GltfContext& context, const Value& json, Target& out) {
  ASSETC_TRY(const std::string path, json.string_or("path", ""));
  if (path == "pointer") {
    const auto extension = json.extension("KHR_animation_pointer");
    if (!extension) return false;
    ASSETC_TRY(const std::string pointer, extension->string_or("pointer", ""));
    return read_pointer(context, json, pointer, out);
  }
  scene::Channel& channel = out.channel;
  ASSETC_TRY(channel.node, json.index_or_none("node", context.out.scene.nodes.size(), "nodes"));
  static const std::map<std::string, scene::ChannelPath, std::less<>> kPaths{
      {"translation", scene::ChannelPath::kTranslation},
      {"rotation", scene::ChannelPath::kRotation},
      {"scale", scene::ChannelPath::kScale},
      {"weights", scene::ChannelPath::kWeights}};
  const auto known = kPaths.find(path);
  if (channel.node == scene::kNone || known == kPaths.end()) return false;
  channel.path = known->second;
  return true;
}

// weights: gets the channels of single weights, which are not yet part of the clip.
Result<void> read_channel(GltfContext& context, const Value& json, const Value& samplers, scene::Clip& clip,
                          std::vector<WeightChannel>& weights) {
  ASSETC_TRY(const Value target_json, json.get("target"));
  ASSETC_TRY(const std::uint32_t sampler_index,
             json.get_index("sampler", samplers.size(), "samplers of this animation"));
  const Value sampler = samplers.item(sampler_index);
  Target target;
  scene::Channel& channel = target.channel;
  ASSETC_TRY(const bool is_known, read_target(context, target_json, target));
  if (!is_known) {
    context.drop(target_json.extension("KHR_animation_pointer")
                     ? "animation channels of properties that clips cannot move"
                     : "animation channels without a node to move",
                 json.pointer());
    return {};
  }
  ASSETC_TRY(const std::string interpolation, sampler.string_or("interpolation", "LINEAR"));
  if (interpolation == "STEP") {
    channel.interpolation = scene::Interpolation::kStep;
  } else if (interpolation == "CUBICSPLINE") {
    channel.interpolation = scene::Interpolation::kCubicSpline;
  } else if (interpolation != "LINEAR") {
    return fail_at(ErrorCode::kInvalidData, sampler.pointer() + "/interpolation",
                   "found \"" + interpolation + "\", expected LINEAR, STEP or CUBICSPLINE");
  }
  if (channel.path == scene::ChannelPath::kVisible) channel.interpolation = scene::Interpolation::kStep;
  ASSETC_TRY(channel.times_seconds, read_times(context, sampler));
  if (channel.times_seconds.empty()) {
    context.drop("animation channels without keys", json.pointer());
    return {};
  }
  ASSETC_TRY(channel.values, read_values(context, sampler, channel, target.weight.has_value()));
  if (target.weight) {
    weights.push_back({*target.weight, std::move(channel), json.pointer()});
  } else {
    clip.channels.push_back(std::move(channel));
  }
  return {};
}

// glTF allows no negative times, but tools write them. Moves a clip with negative times so that it starts at 0.
Result<void> move_to_zero(GltfContext& context, scene::Clip& clip, const std::string& place) {
  float first = 0, last = 0;
  for (const scene::Channel& channel : clip.channels) {
    first = std::min(first, channel.times_seconds.front());
    last = std::max(last, channel.times_seconds.back());
  }
  if (first == 0) return {};
  if (!std::isfinite(last - first)) {
    return fail_at(ErrorCode::kInvalidData, place,
                   "the keys go from " + std::to_string(first) + " to " + std::to_string(last) +
                       " s, expected times of 0 or more");
  }
  for (scene::Channel& channel : clip.channels) {
    for (float& time : channel.times_seconds) time -= first;
    scene::separate_keys(channel.times_seconds);
  }
  context.warn(WarningKind::kRepairedAnimation, ErrorCode::kInvalidData, place,
               "the first key is at " + std::to_string(first) +
                   " s, expected times of 0 or more; all keys of the clip are moved so that it starts at 0");
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
    std::vector<WeightChannel> weights;
    for (std::size_t k = 0; k < channels.size(); ++k)
      ASSETC_CHECK(read_channel(context, channels.item(k), samplers, clip, weights));
    ASSETC_CHECK(join_weights(context, std::move(weights), clip));
    ASSETC_CHECK(move_to_zero(context, clip, json.pointer()));
    context.out.scene.clips.push_back(std::move(clip));
  }
  return {};
}

}  // namespace assetc::importer
