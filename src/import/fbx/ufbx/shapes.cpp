// The channels of blend shapes, and the weights that they give their shapes.
#include <algorithm>
#include <span>

#include "import/fbx/ufbx/parts.hpp"

namespace assetc::importer::fbx {

std::vector<const ufbx_blend_channel*> channels_of(const ufbx_mesh& mesh) {
  std::vector<const ufbx_blend_channel*> channels;
  for (const ufbx_blend_deformer* deformer : items(mesh.blend_deformers)) {
    for (const ufbx_blend_channel* channel : items(deformer->channels)) channels.push_back(channel);
  }
  return channels;
}

const ufbx_blend_channel* channel_of_property(const ufbx_element& element, std::string_view property) {
  constexpr std::uint32_t kFirstWithChannels = 7200;
  if (element.scene->metadata.version >= kFirstWithChannels) return nullptr;
  const ufbx_node* node = ufbx_as_node(&element);
  const ufbx_mesh* mesh = node != nullptr ? node->mesh : ufbx_as_mesh(&element);
  if (mesh == nullptr) return nullptr;
  for (const ufbx_blend_channel* channel : channels_of(*mesh)) {
    if (view(channel->name) == property) return channel;
  }
  return nullptr;
}

double rest_weight(const ufbx_mesh& mesh, const ufbx_blend_channel& channel) {
  const auto weight_in = [&](const ufbx_element& element) -> const ufbx_prop* {
    if (channel_of_property(element, view(channel.name)) != &channel) return nullptr;
    return ufbx_find_prop_len(&element.props, channel.name.data, channel.name.length);
  };
  if (const ufbx_prop* property = weight_in(mesh.element)) return property->value_real / 100;
  for (const ufbx_node* node : items(mesh.instances)) {
    if (const ufbx_prop* property = weight_in(node->element)) return property->value_real / 100;
  }
  return channel.weight;
}

// The keys of a channel ascend by weight. Between two keys, or a key and 0, both are mixed. Beyond the last key on a
// side of 0, the mix goes on.
void shape_weights(const ufbx_blend_channel& channel, double channel_weight, float* weights) {
  const auto keys = items(channel.keyframes);
  std::fill_n(weights, keys.size(), 0.0f);
  const auto target = [&](std::ptrdiff_t key) {
    return key < 0 ? 0.0 : double{keys[static_cast<std::size_t>(key)].target_weight};
  };
  const auto split =
      std::ranges::find_if(keys, [](const ufbx_blend_keyframe& key) { return key.target_weight >= 0; }) - keys.begin();
  const std::ptrdiff_t count = std::ssize(keys), step = channel_weight > 0 ? 1 : -1;
  // -1: no shape, at the weight 0. Without a key on this side of 0, the first key on the other side is mixed with it.
  std::ptrdiff_t previous = step > 0 ? split - 1 : split < count ? split : -1;
  std::ptrdiff_t next = -1;
  for (std::ptrdiff_t i = step > 0 ? split : split - 1; i >= 0 && i < count; i += step) {
    previous = next;
    next = i;
    if (step > 0 ? target(i) > channel_weight : target(i) < channel_weight) break;
  }
  const double span = target(next) - target(previous);
  if (span == 0) return;
  const double share = (channel_weight - target(previous)) / span;
  if (previous >= 0) weights[previous] = static_cast<float>(1 - share);
  if (next >= 0) weights[next] = static_cast<float>(share);
}

}  // namespace assetc::importer::fbx
