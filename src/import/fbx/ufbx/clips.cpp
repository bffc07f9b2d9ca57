// Converts animation stacks to clips. ufbx samples curves that bend between their keys, and mixes layers.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <span>

#include "import/fbx/ufbx/parts.hpp"
#include "import/model/finite.hpp"
#include "scene/pose.hpp"

namespace assetc::importer::fbx {
namespace {

using scene::Channel;
using scene::ChannelPath;
using scene::Interpolation;
using scene::kNone;
using scene::Quat;
using scene::Vec3;

constexpr double kSamplesPerSecond = 60;
constexpr std::size_t kMaxSamples = 1 << 15;  // between two keys: nine minutes; ufbx halves the rate beyond

template <class List>
auto keys_of(const List& list) {
  return std::span(list.data, list.count);
}

// The times of a stack that its clip has, in seconds. Takes of one file often share their curves, so keys outside are
// those of other takes.
struct Range {
  double begin = 0, end = 0;
};

std::vector<ufbx_anim_curve*> curves_of(const ufbx_anim_stack& stack) {
  std::vector<ufbx_anim_curve*> curves;
  for (const ufbx_anim_layer* layer : keys_of(stack.anim->layers)) {
    for (const ufbx_anim_prop& property : keys_of(layer->anim_props)) {
      for (ufbx_anim_curve* curve : property.anim_value->curves) {
        if (curve != nullptr && curve->keyframes.count != 0) curves.push_back(curve);
      }
    }
  }
  return curves;
}

// A stack without a length has the times of its keys.
Range range_of(const ufbx_anim_stack& stack, std::span<ufbx_anim_curve* const> curves) {
  Range range{stack.time_begin, stack.time_end};
  if (range.begin < range.end) return range;
  range.end = range.begin;
  for (const ufbx_anim_curve* curve : curves) {
    if (stack.time_begin == 0) range.begin = std::min(range.begin, curve->min_time);
    range.end = std::max(range.end, curve->max_time);
  }
  return range;
}

template <class Key>
std::vector<float> times_of(std::span<const Key> keys) {
  std::vector<float> times;
  times.reserve(keys.size());
  for (const Key& key : keys) times.push_back(static_cast<float>(key.time));
  scene::separate_keys(times);
  return times;
}

double value_at(std::span<const ufbx_baked_vec3> keys, double time) {
  const auto after = std::ranges::upper_bound(keys, time, {}, &ufbx_baked_vec3::time);
  if (after == keys.begin()) return keys.front().value.x;
  const ufbx_baked_vec3& before = *std::prev(after);
  if (after == keys.end()) return before.value.x;
  const double span = after->time - before.time;
  const double share = span > 0 ? (time - before.time) / span : 0;
  return before.value.x + (after->value.x - before.value.x) * share;
}

Channel channel_of(ChannelPath path, std::uint32_t node, std::uint32_t object = kNone) {
  Channel channel;
  channel.path = path;
  channel.node = node;
  channel.object = object;
  return channel;
}

class ClipReader {
 public:
  ClipReader(Context& context, const ufbx_anim_stack& stack, const ufbx_baked_anim& baked, const Range& range)
      : context_(context), stack_(stack), baked_(baked), range_(range) {
    clip_.name = view(stack.name);
    clip_.extra = extra_of(stack.props);
  }

  Result<scene::Clip> read() {
    read_nodes();
    for (const ufbx_baked_element& element : keys_of(baked_.elements)) read_element(element);
    read_weights();
    for (const Channel& channel : clip_.channels) {
      if (!all_finite(channel.times_seconds) || !all_finite(channel.values)) {
        const std::string place = channel.node != kNone ? quoted("node", context_.out.scene.nodes[channel.node].name)
                                                        : quoted("clip", clip_.name);
        return fail_at(ErrorCode::kInvalidData, place, "a key of " + quoted("clip", clip_.name) + " is not finite");
      }
    }
    return std::move(clip_);
  }

 private:
  // A component that keeps its rest value gets no channel.
  void read_nodes() {
    std::map<std::uint32_t, const ufbx_node*> sources;  // by node
    const auto add_source = [&](const ufbx_node* node) {
      if (const std::uint32_t number = context_.nodes[node->typed_id].node; number != kNone) sources[number] = node;
    };
    for (const ufbx_baked_node& source : keys_of(baked_.nodes)) {
      const ufbx_node* node = context_.source.nodes.data[source.typed_id];
      add_source(node);
      if (node->is_scale_helper) add_source(node->parent);
    }
    for (const auto& [number, node] : sources) {
      const scene::Transform& rest = context_.out.scene.nodes[number].transform;
      const auto transform = [&, of = node](double time) { return local_transform(*stack_.anim, *of, time); };
      const ufbx_baked_node* baked = baked_of(*node);
      const std::vector<ufbx_baked_vec3> scaled = scaled_translations(*node);
      const auto translations = !scaled.empty()    ? std::span<const ufbx_baked_vec3>(scaled)
                                : baked == nullptr ? std::span<const ufbx_baked_vec3>()
                                                   : keys_of(baked->translation_keys);
      add_vectors(number, ChannelPath::kTranslation,
                  in_range(translations, [&](double time) { return transform(time).translation; }), rest.translation);
      if (baked == nullptr) continue;
      add_rotations(number, context_.nodes[node->typed_id].turn,
                    in_range(std::span<const ufbx_baked_quat>(keys_of(baked->rotation_keys)),
                             [&](double time) { return transform(time).rotation; }),
                    rest.rotation);
      add_vectors(number, ChannelPath::kScale,
                  in_range(std::span<const ufbx_baked_vec3>(keys_of(baked->scale_keys)),
                           [&](double time) { return transform(time).scale; }),
                  rest.scale);
    }
  }

  // Null if ufbx did not sample the node.
  const ufbx_baked_node* baked_of(const ufbx_node& node) const {
    const auto all = keys_of(baked_.nodes);
    const auto found = std::ranges::lower_bound(all, node.typed_id, {}, &ufbx_baked_node::typed_id);
    return found == all.end() || found->typed_id != node.typed_id ? nullptr : &*found;
  }

  // The keys within the range, with times from its begin. If there are keys beyond an end, evaluate() gives the value
  // at that end.
  template <class Key, class Evaluate>
  std::vector<Key> in_range(std::span<const Key> keys, const Evaluate& evaluate) const {
    constexpr double kTick = 1e-9;  // keys are at least 2e-11 s apart, in practice 1e-3 s
    std::vector<Key> inside;
    const auto add = [&](double time) {
      Key key{};
      key.time = time;
      key.value = evaluate(time);
      inside.push_back(key);
    };
    const auto low = std::ranges::lower_bound(keys, range_.begin - kTick, {}, &Key::time);
    const auto high = std::ranges::upper_bound(keys, range_.end + kTick, {}, &Key::time);
    if (low != keys.begin() && (low == high || low->time > range_.begin + kTick)) add(range_.begin);
    inside.insert(inside.end(), low, high);
    if (high != keys.end() && (inside.empty() || inside.back().time < range_.end - kTick)) add(range_.end);
    for (Key& key : inside) key.time = std::max(key.time - range_.begin, 0.0);
    return inside;
  }

  // The translations of a node that a scale helper moves: its own, whose scaling pivot does, or that of its parent.
  // Empty for other nodes.
  std::vector<ufbx_baked_vec3> scaled_translations(const ufbx_node& node) const {
    std::vector<ufbx_baked_vec3> keys;
    bool is_moved = false;
    const ufbx_node* parent = node.is_scale_helper ? nullptr : node.parent;
    for (const ufbx_node* helper : {node.scale_helper, parent == nullptr ? nullptr : parent->scale_helper}) {
      if (helper == nullptr) continue;
      is_moved = true;
      if (const ufbx_baked_node* baked = baked_of(*helper); baked != nullptr)
        keys.insert(keys.end(), baked->scale_keys.data, baked->scale_keys.data + baked->scale_keys.count);
    }
    if (const ufbx_baked_node* baked = baked_of(node); baked != nullptr) {
      keys.insert(keys.end(), baked->translation_keys.data,
                  baked->translation_keys.data + baked->translation_keys.count);
      // The scaling pivot turns with the node.
      for (const ufbx_baked_quat& key : keys_of(baked->rotation_keys)) {
        if (node.scale_helper != nullptr) keys.push_back({key.time, {}, key.flags});
      }
    }
    if (!is_moved) return {};
    std::ranges::stable_sort(keys, {}, &ufbx_baked_vec3::time);
    const auto again = std::ranges::unique(keys, {}, &ufbx_baked_vec3::time);
    keys.erase(again.begin(), again.end());
    for (ufbx_baked_vec3& key : keys) key.value = local_transform(*stack_.anim, node, key.time).translation;
    return keys;
  }

  void add_vectors(std::uint32_t node, ChannelPath path, std::span<const ufbx_baked_vec3> keys, Vec3 rest) {
    Channel channel = channel_of(path, node);
    bool moves = false;
    for (const ufbx_baked_vec3& key : keys) {
      const Vec3 v = to_vec3(key.value);
      moves = moves || !(length(v - rest) <= 1e-6f * (1 + length(rest)));
      channel.values.insert(channel.values.end(), {v.x, v.y, v.z});
    }
    add(std::move(channel), keys, moves);
  }

  void add_rotations(std::uint32_t node, const Quat& turn, std::span<const ufbx_baked_quat> keys, Quat rest) {
    Channel channel = channel_of(ChannelPath::kRotation, node);
    bool moves = false;
    Quat last = rest;
    for (const ufbx_baked_quat& key : keys) {
      Quat q = to_quat(key.value) * turn;
      const auto dot4 = [&](Quat a) { return a.x * q.x + a.y * q.y + a.z * q.z + a.w * q.w; };
      moves = moves || !(std::fabs(dot4(rest)) > 1 - 1e-7f);
      if (dot4(last) < 0) q = {-q.x, -q.y, -q.z, -q.w};
      last = q;
      channel.values.insert(channel.values.end(), {q.x, q.y, q.z, q.w});
    }
    add(std::move(channel), keys, moves);
  }

  template <class Key>
  void add(Channel channel, std::span<const Key> keys, bool moves) {
    if (!moves || keys.empty()) return;
    channel.times_seconds = times_of(keys);
    clip_.channels.push_back(std::move(channel));
  }

  void read_element(const ufbx_baked_element& baked) {
    const ufbx_element& element = *context_.source.elements.data[baked.element_id];
    for (const ufbx_baked_prop& property : keys_of(baked.props)) {
      const std::string_view name = view(property.name);
      std::vector<ufbx_baked_vec3> keys =
          in_range(std::span<const ufbx_baked_vec3>(keys_of(property.keys)), [&](double time) {
            return ufbx_evaluate_prop_len(stack_.anim, &element, name.data(), name.size(), time).value_vec3;
          });
      if (keys.empty()) continue;
      if (const ufbx_blend_channel* legacy = channel_of_property(element, name)) {
        weights_of_[legacy] = std::move(keys);
      } else if (const ufbx_node* node = ufbx_as_node(&element)) {
        if (name == "Visibility") read_visibility(*node, keys);
      } else if (const ufbx_blend_channel* channel = ufbx_as_blend_channel(&element)) {
        if (name == "DeformPercent") weights_of_[channel] = std::move(keys);
      } else if (const ufbx_camera* camera = ufbx_as_camera(&element)) {
        read_camera(*camera, name, keys);
      } else if (const ufbx_light* light = ufbx_as_light(&element)) {
        read_light(*light, name, keys);
      } else if (element.type == UFBX_ELEMENT_MATERIAL || element.type == UFBX_ELEMENT_TEXTURE) {
        context_.drop("animated materials", quoted("clip", clip_.name));
      }
    }
  }

  void read_visibility(const ufbx_node& source, std::span<const ufbx_baked_vec3> keys) {
    Channel channel = channel_of(ChannelPath::kVisible, context_.nodes[source.typed_id].node);
    channel.interpolation = Interpolation::kStep;
    if (channel.node == kNone) return;
    const std::vector<float> times = times_of(keys);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const float value = keys[i].value.x != 0 ? 1 : 0;
      if (!channel.values.empty() && channel.values.back() == value) continue;
      channel.times_seconds.push_back(times[i]);
      channel.values.push_back(value);
    }
    if (channel.values.size() == 1 &&
        (channel.values.front() != 0) == context_.out.scene.nodes[channel.node].is_visible)
      return;
    clip_.channels.push_back(std::move(channel));
  }

  template <class Convert>
  void read_object(ChannelPath path, std::uint32_t object, std::span<const ufbx_baked_vec3> keys,
                   const Convert& convert) {
    Channel channel = channel_of(path, kNone, object);
    for (const ufbx_baked_vec3& key : keys) convert(channel.values, key.value);
    add(std::move(channel), keys, true);
  }

  void read_camera(const ufbx_camera& camera, std::string_view name, std::span<const ufbx_baked_vec3> keys) {
    const auto meters = [&](std::vector<float>& values, const ufbx_vec3& v) {
      values.push_back(static_cast<float>(v.x * context_.source.metadata.geometry_scale));
    };
    if (moves_y_fov(camera, name)) {
      read_object(ChannelPath::kCameraYFov, camera.typed_id, keys, [&](std::vector<float>& values, const ufbx_vec3& v) {
        values.push_back(y_fov_radians(camera, name, v.x));
      });
    } else if (name == "NearPlane") {
      read_object(ChannelPath::kCameraNear, camera.typed_id, keys, meters);
    } else if (name == "FarPlane") {
      read_object(ChannelPath::kCameraFar, camera.typed_id, keys, meters);
    } else if (name == "OrthoZoom") {
      context_.drop("animated sizes of orthographic cameras", quoted("clip", clip_.name));
    }
  }

  void read_light(const ufbx_light& light, std::string_view name, std::span<const ufbx_baked_vec3> keys) {
    const auto scaled = [](double factor) {
      return [factor](std::vector<float>& values, const ufbx_vec3& v) {
        values.push_back(static_cast<float>(std::max(v.x * factor, 0.0)));
      };
    };
    if (name == "Color") {
      read_object(ChannelPath::kLightColor, light.typed_id, keys, [](std::vector<float>& values, const ufbx_vec3& v) {
        const Vec3 c = to_vec3(v);
        values.insert(values.end(), {c.x, c.y, c.z});
      });
    } else if (name == "Intensity") {
      read_object(ChannelPath::kLightIntensity, light.typed_id, keys, scaled(0.01));
    } else if (light.type == UFBX_LIGHT_SPOT && (name == "InnerAngle" || name == "OuterAngle")) {
      read_object(name == "InnerAngle" ? ChannelPath::kLightInnerCone : ChannelPath::kLightOuterCone, light.typed_id,
                  keys, scaled(kRadians / 2));
    }
  }

  // Every node with a mesh whose blend channels move gets their weights. Between two keys a channel is linear, but the
  // weights of its shapes bend where it passes a shape.
  void read_weights() {
    if (weights_of_.empty()) return;
    for (const ufbx_mesh* mesh : keys_of(context_.source.meshes)) {
      const std::vector<const ufbx_blend_channel*> channels = channels_of(*mesh);
      std::vector<double> times;
      for (const ufbx_blend_channel* channel : channels) {
        if (const auto found = weights_of_.find(channel); found != weights_of_.end())
          add_times(*channel, found->second, times);
      }
      if (times.empty()) continue;
      std::ranges::sort(times);
      const auto again = std::ranges::unique(times);
      times.erase(again.begin(), again.end());
      Channel made = channel_of(ChannelPath::kWeights, kNone);
      std::vector<float> weights;
      for (const double time : times) {
        made.times_seconds.push_back(static_cast<float>(time));
        for (const ufbx_blend_channel* channel : channels) {
          const auto found = weights_of_.find(channel);
          const double value =
              found == weights_of_.end() ? rest_weight(*mesh, *channel) : value_at(found->second, time) / 100;
          weights.resize(channel->keyframes.count);
          shape_weights(*channel, value, weights.data());
          made.values.insert(made.values.end(), weights.begin(), weights.end());
        }
      }
      if (made.values.empty()) continue;
      scene::separate_keys(made.times_seconds);
      for (const ufbx_node* node : keys_of(mesh->instances)) {
        made.node = context_.nodes[node->typed_id].node;
        if (made.node != kNone) clip_.channels.push_back(made);
      }
    }
  }

  static void add_times(const ufbx_blend_channel& channel, std::span<const ufbx_baked_vec3> keys,
                        std::vector<double>& times) {
    for (const ufbx_baked_vec3& key : keys) times.push_back(key.time);
    const auto add_passing = [&](double weight) {
      for (std::size_t i = 1; i < keys.size(); ++i) {
        const double from = keys[i - 1].value.x / 100, to = keys[i].value.x / 100;
        if (!(std::min(from, to) < weight && weight < std::max(from, to))) continue;
        times.push_back(keys[i - 1].time + (keys[i].time - keys[i - 1].time) * (weight - from) / (to - from));
      }
    };
    const auto shapes = keys_of(channel.keyframes);
    if (shapes.size() < 2) return;
    add_passing(0);
    for (const ufbx_blend_keyframe& shape : shapes) add_passing(shape.target_weight);
  }

  Context& context_;
  const ufbx_anim_stack& stack_;
  const ufbx_baked_anim& baked_;
  Range range_;
  scene::Clip clip_;
  std::map<const ufbx_blend_channel*, std::vector<ufbx_baked_vec3>> weights_of_;
};

}  // namespace

Result<void> read_clips(Context& context) {
  for (const ufbx_anim_stack* stack : std::span(context.source.anim_stacks.data, context.source.anim_stacks.count)) {
    const std::string place = quoted("clip", view(stack->name));
    const std::vector<ufbx_anim_curve*> curves = curves_of(*stack);
    const Range range = range_of(*stack, curves);
    ExtrapolatedCurves extrapolated;
    for (ufbx_anim_curve* curve : curves) {
      if (auto extended = extrapolated.extend(*curve, range.begin, range.end); !extended) {
        Error error = std::move(extended).error();
        error.place = place;
        return std::unexpected(std::move(error));
      }
    }
    ufbx_bake_opts options{};
    options.resample_rate = kSamplesPerSecond;
    options.max_keyframe_segments = kMaxSamples;
    options.key_reduction_enabled = true;
    options.key_reduction_rotation = true;
    ufbx_error error{};
    const std::unique_ptr<ufbx_baked_anim, void (*)(ufbx_baked_anim*)> baked(
        ufbx_bake_anim(&context.source, stack->anim, &options, &error), ufbx_free_baked_anim);
    if (!baked) {
      if (error.type == UFBX_ERROR_OUT_OF_MEMORY) fail_for_memory();
      return fail_at(ErrorCode::kInvalidData, place, "ufbx cannot sample it: " + std::string(view(error.description)),
                     "bake it at the export");
    }
    ASSETC_TRY(scene::Clip clip, ClipReader(context, *stack, *baked, range).read());
    if (!clip.channels.empty()) context.out.scene.clips.push_back(std::move(clip));
  }
  return {};
}

}  // namespace assetc::importer::fbx
