#include "animation/tracks.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "formats/hanim/layout.hpp"

namespace assetc::animation {

using hanim::Property;
using scene::ChannelPath;

namespace {

double distance(const Value& a, const Value& b) {
  double sum = 0;
  for (std::size_t c = 0; c < 4; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return std::sqrt(sum);
}

}  // namespace

std::vector<Track> tracks_of(const scene::Clip& clip) {
  static_assert(static_cast<int>(Property::kLightOuterCone) == static_cast<int>(ChannelPath::kLightOuterCone));
  std::map<std::pair<ChannelPath, std::uint32_t>, std::size_t> last;
  for (std::size_t c = 0; c < clip.channels.size(); ++c) {
    const scene::Channel& channel = clip.channels[c];
    last[{channel.path, is_of_node(channel.path) ? channel.node : channel.object}] = c;
  }
  std::vector<Track> tracks;
  for (std::size_t c = 0; c < clip.channels.size(); ++c) {
    const scene::Channel& channel = clip.channels[c];
    const std::uint32_t object = is_of_node(channel.path) ? channel.node : channel.object;
    if (last[{channel.path, object}] != c || channel.times_seconds.empty()) continue;
    const std::size_t width = component_count(channel);
    const std::size_t most = channel.path == ChannelPath::kRotation ? 4 : 3;
    for (std::size_t first = 0; first < width; first += most) {
      const std::size_t components = std::min(most, width - first);
      tracks.push_back({{static_cast<Property>(channel.path), static_cast<std::uint8_t>(components), object,
                         static_cast<std::uint32_t>(first)},
                        Curve(channel, first, components)});
    }
  }
  return tracks;
}

float duration_of(const scene::Clip& clip) {
  float duration = 0;
  for (const scene::Channel& c : clip.channels)
    if (!c.times_seconds.empty()) duration = std::max(duration, c.times_seconds.back());
  return duration;
}

std::vector<Value> values_at(std::span<const Track> tracks, double time) {
  std::vector<Value> values;
  values.reserve(tracks.size());
  for (const Track& track : tracks) values.push_back(track.curve.at(time));
  return values;
}

Value between(const Track& track, const Value& a, const Value& b, double t) {
  const bool is_rotation = track.target.property == Property::kRotation;
  const double cosine = is_rotation ? dot(a, b) : 0, sign = cosine < 0 ? -1 : 1;
  const double u = is_rotation ? hanim::layout::even_time(t, std::fabs(cosine)) : t;
  Value out;
  for (std::size_t c = 0; c < 4; ++c) out[c] = a[c] + (sign * b[c] - a[c]) * u;
  return is_rotation ? unit(out) : out;
}

double local_error(const Track& track, const Value& found, const Value& want) {
  if (track.target.property != Property::kRotation) return distance(found, want);
  Value other = found;
  if (dot(found, want) < 0) {
    for (double& c : other) c = -c;
  }
  return 2 * distance(other, want);
}

Affine operator*(const Affine& a, const Affine& b) {
  Affine out;
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t r = 0; r < 3; ++r)
      out.m[3 * c + r] = a.m[r] * b.m[3 * c] + a.m[3 + r] * b.m[3 * c + 1] + a.m[6 + r] * b.m[3 * c + 2];
    out.t[c] = a.m[c] * b.t[0] + a.m[3 + c] * b.t[1] + a.m[6 + c] * b.t[2] + a.t[c];
  }
  return out;
}

Skeleton::Skeleton(std::span<const Node> nodes, std::span<const Track> tracks)
    : joint_of_track_(tracks.size(), kNoTrack) {
  // 0 unknown, 1 moves, 2 does not, by itself or by a node above.
  std::vector<std::uint8_t> state(nodes.size()), is_needed(nodes.size());
  for (const Track& track : tracks) {
    if (!is_transform(track.target.property) || track.target.object >= nodes.size()) continue;
    state[track.target.object] = 1;
    for (std::uint32_t n = track.target.object; n != scene::kNone && is_needed[n] == 0; n = nodes[n].parent)
      is_needed[n] = 1;
  }
  std::vector<std::uint32_t> chain, place(nodes.size(), scene::kNone);
  for (std::uint32_t start = 0; start < nodes.size(); ++start) {
    std::uint32_t n = start;
    for (; n != scene::kNone && state[n] == 0; n = nodes[n].parent) chain.push_back(n);
    const std::uint8_t answer = n == scene::kNone ? 2 : state[n];
    for (const std::uint32_t c : chain) state[c] = answer;
    chain.clear();
  }
  for (std::uint32_t start = 0; start < nodes.size(); ++start) {
    if (state[start] != 1 && is_needed[start] == 0) continue;
    for (std::uint32_t n = start; n != scene::kNone && place[n] == scene::kNone; n = nodes[n].parent)
      chain.push_back(n);
    for (; !chain.empty(); chain.pop_back()) {
      const std::uint32_t n = chain.back();
      const scene::Transform& rest = nodes[n].rest;
      Joint joint;
      joint.node = n;
      joint.parent = nodes[n].parent == scene::kNone ? scene::kNone : place[nodes[n].parent];
      joint.translation = {rest.translation.x, rest.translation.y, rest.translation.z, 0};
      joint.rotation = unit({rest.rotation.x, rest.rotation.y, rest.rotation.z, rest.rotation.w});
      joint.scale = {rest.scale.x, rest.scale.y, rest.scale.z, 0};
      joint.reach = nodes[n].reach;
      joint.moves = state[n] == 1;
      place[n] = static_cast<std::uint32_t>(joints_.size());
      joints_.push_back(joint);
    }
  }
  for (std::uint32_t t = 0; t < tracks.size(); ++t) {
    if (!is_transform(tracks[t].target.property) || tracks[t].target.object >= nodes.size()) continue;
    joint_of_track_[t] = place[tracks[t].target.object];
    joints_[joint_of_track_[t]].tracks[static_cast<std::size_t>(tracks[t].target.property)] = t;
  }
}

Affine Skeleton::local(std::size_t j, std::span<const Value> values) const {
  const Joint& joint = joints_[j];
  const auto value = [&](std::size_t i, const Value& rest) -> const Value& {
    return joint.tracks[i] == kNoTrack ? rest : values[joint.tracks[i]];
  };
  const Value &t = value(0, joint.translation), &s = value(2, joint.scale);
  const auto& [x, y, z, w] = value(1, joint.rotation);
  return {{(1 - 2 * (y * y + z * z)) * s[0], 2 * (x * y + z * w) * s[0], 2 * (x * z - y * w) * s[0],
           2 * (x * y - z * w) * s[1], (1 - 2 * (x * x + z * z)) * s[1], 2 * (y * z + x * w) * s[1],
           2 * (x * z + y * w) * s[2], 2 * (y * z - x * w) * s[2], (1 - 2 * (x * x + y * y)) * s[2]},
          {t[0], t[1], t[2]}};
}

void Skeleton::pose(std::span<const Value> values, std::span<Affine> out) const {
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const Affine own = local(j, values);
    out[j] = joints_[j].parent == scene::kNone ? own : out[joints_[j].parent] * own;
  }
}

std::vector<std::vector<std::uint32_t>> Skeleton::subtrees() const {
  constexpr std::size_t kMost = 1'000'000;
  std::size_t total = 0;
  std::vector<std::vector<std::uint32_t>> trees(joints_.size());
  for (std::uint32_t j = 0; j < joints_.size(); ++j) {
    for (std::uint32_t n = j; n != scene::kNone; n = joints_[n].parent) {
      if (++total > kMost) return {};
      trees[n].push_back(j);
    }
  }
  return trees;
}

double joint_error(const Skeleton::Joint& joint, const Affine& from, const Affine& to, double radius) {
  if (!joint.moves) return 0;
  double most = 0;
  const double distance = std::max(radius, joint.reach);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double* a = &from.m[3 * axis];
    const double* b = &to.m[3 * axis];
    const double length2 = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    const double scale = length2 > 1e-24 ? distance / std::sqrt(length2) : 0;
    for (const double way : {scale, -scale}) {
      double sum = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        const double d = (b[c] - a[c]) * way + to.t[c] - from.t[c];
        sum += d * d;
      }
      most = std::max(most, sum);
    }
  }
  return std::sqrt(most);
}

double pose_error(const Skeleton& skeleton, std::span<const Affine> from, std::span<const Affine> to, double radius) {
  double most = 0;
  for (std::size_t j = 0; j < from.size(); ++j)
    most = std::max(most, joint_error(skeleton.joints()[j], from[j], to[j], radius));
  return most;
}

}  // namespace assetc::animation
