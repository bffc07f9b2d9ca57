#include "animation/decompress.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "assetc/runtime/animation.hpp"

namespace assetc::animation {
namespace {

using hanim::Property;
using scene::Interpolation;

// A track whose values are known at `times`.
struct Keys {
  hanim::Target target;
  Interpolation interpolation = Interpolation::kLinear;
  std::vector<float> times;
  std::vector<float> values;
};

std::vector<float> frame_times(const hanim::CompressedClip& clip) {
  std::vector<float> times(clip.frame_count());
  for (std::uint32_t f = 0; f < times.size(); ++f) {
    times[f] = clip.has_frame_times()
                   ? clip.frame_time(f)
                   : static_cast<float>(static_cast<double>(clip.duration_seconds()) * f / (clip.frame_count() - 1));
  }
  // Times of a very short clip may be equal as floats.
  times.erase(std::ranges::unique(times).begin(), times.end());
  return times;
}

std::vector<float> floats_of(ByteSpan bytes) {
  std::vector<float> out(bytes.size() / sizeof(float));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = load<float>(bytes, i * sizeof(float));
  return out;
}

Keys keys_of(const hanim::CurveView& curve) {
  return {curve.target, static_cast<Interpolation>(curve.kind), floats_of(curve.times), floats_of(curve.values)};
}

// The tracks of the samples, by sampling the whole clip at each frame.
std::vector<Keys> sampled_keys(const hanim::CompressedClip& clip) {
  std::vector<Keys> out(clip.rotation_count() + clip.vector_count());
  if (out.empty()) return out;
  const std::vector<float> times = frame_times(clip);
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    out[i].target = clip.sampled_target(i);
    out[i].times = times;
  }
  // Objects can have any number, so poses are indexed by the place of the object in a list.
  std::vector<std::uint32_t> objects;
  const auto add_object = [&](const hanim::Target& target) {
    if (is_transform(target.property)) objects.push_back(target.object);
  };
  for (const Keys& keys : out) add_object(keys.target);
  std::ranges::sort(objects);
  objects.erase(std::ranges::unique(objects).begin(), objects.end());
  const auto place_of = [&](std::uint32_t object) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(objects, object) - objects.begin());
  };
  const std::uint32_t most = objects.empty() ? 0 : objects.back();
  std::vector<hanim::Match> places(objects.empty() ? 0 : std::size_t{most} + 1);
  for (const std::uint32_t object : objects) places[object].joint = place_of(object);
  std::vector<runtime::Transform> pose(objects.size());
  std::vector<float> properties(clip.property_float_count());
  for (const float time : times) {
    if (!objects.empty()) runtime::sample(clip, time, pose, places);
    runtime::sample_properties(clip, time, properties);
    std::size_t at = 0;
    for (std::uint32_t i = 0; i < clip.constant_count(); ++i) {
      const hanim::Target target = clip.constant_target(i);
      if (!is_transform(target.property)) at += target.components;
    }
    for (Keys& keys : out) {
      const auto append = [&](const auto& value) {
        keys.values.insert(keys.values.end(), value.begin(), value.begin() + keys.target.components);
      };
      if (!is_transform(keys.target.property)) {
        append(std::span(properties).subspan(at, keys.target.components));
        at += keys.target.components;
        continue;
      }
      const runtime::Transform& transform = pose[place_of(keys.target.object)];
      if (keys.target.property == Property::kTranslation) {
        append(transform.translation);
      } else if (keys.target.property == Property::kRotation) {
        append(transform.rotation);
      } else {
        append(transform.scale);
      }
    }
  }
  return out;
}

scene::Channel channel_of(const hanim::Target& target) {
  scene::Channel channel;
  channel.path = static_cast<scene::ChannelPath>(target.property);
  (is_of_node(channel.path) ? channel.node : channel.object) = target.object;
  return channel;
}

// The values of a track at a time between its keys; splines count as lines.
std::array<float, 3> value_at(const Keys& keys, float time) {
  const std::size_t width = keys.target.components, parts = keys.interpolation == Interpolation::kCubicSpline ? 3 : 1;
  const auto next = static_cast<std::size_t>(std::ranges::upper_bound(keys.times, time) - keys.times.begin());
  const std::size_t a = next == 0 ? 0 : next - 1, b = std::min(next, keys.times.size() - 1);
  const float t = a == b || keys.interpolation == Interpolation::kStep || time <= keys.times[a]
                      ? 0
                      : (time - keys.times[a]) / (keys.times[b] - keys.times[a]);
  std::array<float, 3> out{};
  for (std::size_t c = 0; c < width; ++c) {
    const float from = keys.values[(a * parts + parts / 2) * width + c];
    const float to = keys.values[(b * parts + parts / 2) * width + c];
    out[c] = from + (to - from) * t;
  }
  return out;
}

// One channel of all weights of a node. Tracks whose keys have other times are sampled at all times of keys.
scene::Channel weights_of(std::vector<Keys> tracks) {
  std::ranges::sort(tracks, {}, [](const Keys& keys) { return keys.target.first; });
  scene::Channel out = channel_of(tracks[0].target);
  const bool same = std::ranges::all_of(tracks, [&](const Keys& keys) {
    return keys.times == tracks[0].times && keys.interpolation == tracks[0].interpolation;
  });
  if (same) {
    out.interpolation = tracks[0].interpolation;
    out.times_seconds = tracks[0].times;
    const std::size_t values = out.times_seconds.size() * (out.interpolation == Interpolation::kCubicSpline ? 3 : 1);
    for (std::size_t k = 0; k < values; ++k) {
      for (const Keys& keys : tracks) {
        const auto from = keys.values.begin() + static_cast<std::ptrdiff_t>(k * keys.target.components);
        out.values.insert(out.values.end(), from, from + keys.target.components);
      }
    }
    return out;
  }
  for (const Keys& keys : tracks) {
    out.times_seconds.insert(out.times_seconds.end(), keys.times.begin(), keys.times.end());
    if (keys.times.size() > 1) out.interpolation = std::max(out.interpolation, keys.interpolation);
  }
  if (out.interpolation == Interpolation::kCubicSpline) out.interpolation = Interpolation::kLinear;
  std::ranges::sort(out.times_seconds);
  out.times_seconds.erase(std::ranges::unique(out.times_seconds).begin(), out.times_seconds.end());
  for (const float time : out.times_seconds) {
    for (const Keys& keys : tracks) {
      const std::array<float, 3> value = value_at(keys, time);
      out.values.insert(out.values.end(), value.begin(), value.begin() + keys.target.components);
    }
  }
  return out;
}

// A clip of constants has no key at its end. One of them gets a second key there.
void keep_duration(float duration_seconds, scene::Clip& clip) {
  float last = 0;
  for (const scene::Channel& channel : clip.channels) last = std::max(last, channel.times_seconds.back());
  const auto constant = std::ranges::find_if(
      clip.channels, [](const scene::Channel& channel) { return channel.times_seconds.size() == 1; });
  if (last >= duration_seconds || constant == clip.channels.end()) return;
  constant->times_seconds.push_back(duration_seconds);
  const std::vector<float> value = constant->values;
  constant->values.insert(constant->values.end(), value.begin(), value.end());
}

}  // namespace

scene::Clip decompress(const hanim::CompressedClip& clip) {
  std::vector<Keys> tracks;
  for (std::uint32_t i = 0; i < clip.constant_count(); ++i) {
    const std::array<float, 4> value = clip.constant_value(i);
    Keys keys{clip.constant_target(i), Interpolation::kLinear, {0}, {}};
    keys.values.assign(value.begin(), value.begin() + keys.target.components);
    tracks.push_back(std::move(keys));
  }
  std::ranges::move(sampled_keys(clip), std::back_inserter(tracks));
  for (std::uint32_t i = 0; i < clip.curve_count(); ++i) tracks.push_back(keys_of(clip.curve(i)));
  scene::Clip out;
  out.name = clip.name();
  std::map<std::uint32_t, std::vector<Keys>> weights;
  for (Keys& keys : tracks) {
    if (keys.target.property == Property::kWeights) {
      weights[keys.target.object].push_back(std::move(keys));
      continue;
    }
    scene::Channel channel = channel_of(keys.target);
    channel.interpolation = keys.interpolation;
    channel.times_seconds = std::move(keys.times);
    channel.values = std::move(keys.values);
    out.channels.push_back(std::move(channel));
  }
  for (auto& [node, parts] : weights) out.channels.push_back(weights_of(std::move(parts)));
  keep_duration(clip.duration_seconds(), out);
  return out;
}

}  // namespace assetc::animation
