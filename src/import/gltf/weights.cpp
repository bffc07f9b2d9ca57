// Channels that move one weight of a node (the pointer /nodes/N/weights/M), joined into one channel of all its weights.
#include <algorithm>
#include <set>

#include "import/gltf/parts.hpp"

namespace assetc::importer {
namespace {

using scene::Channel;
using scene::Interpolation;

// The value of a channel of one component at a time, clamped to its first and last key. Not for splines.
float value_at(const Channel& channel, float time) {
  const std::vector<float>& times = channel.times_seconds;
  const auto after = static_cast<std::size_t>(std::ranges::upper_bound(times, time) - times.begin());
  if (after == 0) return channel.values.front();
  const float before = channel.values[after - 1];
  if (after == times.size() || channel.interpolation == Interpolation::kStep) return before;
  const float t = (time - times[after - 1]) / (times[after] - times[after - 1]);
  return before + (channel.values[after] - before) * t;
}

std::vector<float> default_weights(const scene::Scene& scene, std::uint32_t node) {
  const scene::Node& of = scene.nodes[node];
  return of.morph_weights.empty() ? scene.meshes[of.mesh].morph_weights : of.morph_weights;
}

// Whether the keys of all channels can be keys of one channel without a change of the curves.
bool can_join(std::span<const WeightChannel> all) {
  return std::ranges::all_of(all, [&](const WeightChannel& one) {
    const Channel &a = all.front().channel, &b = one.channel;
    return a.interpolation == b.interpolation &&
           (a.interpolation != Interpolation::kCubicSpline || a.times_seconds == b.times_seconds);
  });
}

// Requires channels of one node that can_join(), at most one for each weight.
Result<Channel> join(GltfContext& context, std::span<const WeightChannel> all) {
  Channel out{.node = all.front().channel.node,
              .path = scene::ChannelPath::kWeights,
              .interpolation = all.front().channel.interpolation,
              .times_seconds = {},
              .values = {}};
  for (const WeightChannel& one : all)
    out.times_seconds.insert(out.times_seconds.end(), one.channel.times_seconds.begin(),
                             one.channel.times_seconds.end());
  std::ranges::sort(out.times_seconds);
  out.times_seconds.erase(std::unique(out.times_seconds.begin(), out.times_seconds.end()), out.times_seconds.end());
  const std::vector<float> defaults = default_weights(context.out.scene, out.node);
  const bool is_spline = out.interpolation == Interpolation::kCubicSpline;
  const std::size_t parts = is_spline ? 3 : 1, width = defaults.size();
  ASSETC_CHECK(context.data.budget().take(out.times_seconds.size() * parts, width * 4, all.front().place));
  out.values.resize(out.times_seconds.size() * parts * width);
  for (std::size_t key = 0; key < out.times_seconds.size(); ++key) {
    float* const values = &out.values[key * parts * width];
    std::ranges::copy(defaults, values + (is_spline ? width : 0));  // the tangents of a constant are 0
    for (const WeightChannel& one : all) {
      if (is_spline) {
        for (std::size_t part = 0; part < parts; ++part)
          values[part * width + one.weight] = one.channel.values[key * parts + part];
      } else {
        values[one.weight] = value_at(one.channel, out.times_seconds[key]);
      }
    }
  }
  return out;
}

}  // namespace

Result<void> join_weights(GltfContext& context, std::vector<WeightChannel> channels, scene::Clip& clip) {
  std::ranges::stable_sort(channels, {}, [](const WeightChannel& c) { return std::pair(c.channel.node, c.weight); });
  std::set<std::uint32_t> moved_whole;  // nodes
  for (const Channel& c : clip.channels)
    if (c.path == scene::ChannelPath::kWeights) moved_whole.insert(c.node);
  for (std::size_t first = 0; first < channels.size();) {
    const std::uint32_t node = channels[first].channel.node;
    bool is_moved_twice = moved_whole.contains(node);
    std::size_t end = first;
    for (; end < channels.size() && channels[end].channel.node == node; ++end)
      is_moved_twice |= end > first && channels[end].weight == channels[end - 1].weight;
    const std::span all = std::span(channels).subspan(first, end - first);
    first = end;
    const auto count = static_cast<std::uint32_t>(all.size());
    if (is_moved_twice) {
      context.drop("animation channels of weights that other channels of the clip move too", all.front().place, count);
    } else if (!can_join(all)) {
      context.drop("animation channels of single weights whose interpolations or spline keys differ within a node",
                   all.front().place, count);
    } else {
      ASSETC_TRY(Channel joined, join(context, all));
      clip.channels.push_back(std::move(joined));
    }
  }
  return {};
}

}  // namespace assetc::importer
