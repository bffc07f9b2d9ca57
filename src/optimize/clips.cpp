#include "optimize/clips.hpp"

#include <meshoptimizer.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "animation/compress.hpp"
#include "animation/tracks.hpp"
#include "base/plural.hpp"
#include "parallel/parallel.hpp"
#include "recipes/mesh/parts.hpp"

namespace assetc::optimize {
namespace {

using animation::Affine;
using animation::Value;
using scene::Channel;
using scene::ChannelPath;
using scene::Interpolation;
using scene::kNone;

constexpr double kWeightError = 1.0 / 2048;
constexpr std::uint32_t kFewestBits = 12, kMostBits = 16;  // of rotations
constexpr int kMostAttempts = 6;                           // each with half the error of a channel
constexpr std::size_t kMostSpan = 1024;                    // keys that one removal may span
constexpr std::size_t kFewer = 8;                          // times as many keys that others of the same times have
constexpr std::size_t kMostTimes = 20000;                  // at which the poses of a clip are compared

// The distance that a unit of error of a channel moves a point below each node: 1 for a translation in the node's own
// space, the lever of a rotation.
struct Lever {
  double scale_above = 1;  // largest scale of the space of the parent
  double distance = 0;     // to the farthest point below, in the space of the scene, at rest
};

std::vector<Lever> levers_of(const scene::Scene& scene, std::span<const animation::Node> nodes, double radius) {
  const std::vector<scene::Mat4> world = scene::world_matrices(scene);
  std::vector<Lever> out(scene.nodes.size());
  const auto origin = [&](std::size_t n) { return scene::Vec3{world[n].m[12], world[n].m[13], world[n].m[14]}; };
  for (std::size_t n = 0; n < scene.nodes.size(); ++n) {
    const double own = std::max(radius, double{nodes[n].reach});
    // A node counts for all nodes above it. Chains are short: longer ones count for the nearest only.
    std::size_t above = n;
    for (int depth = 0; depth < 256; ++depth) {
      const double distance = double{scene::length(origin(n) - origin(above))} + own;
      if (std::isfinite(distance)) out[above].distance = std::max(out[above].distance, distance);
      if (scene.nodes[above].parent == kNone) break;
      above = scene.nodes[above].parent;
    }
    if (const std::uint32_t parent = scene.nodes[n].parent; parent != kNone) {
      double scale = 0;
      for (const scene::Vec3 axis : {scene::Vec3{1, 0, 0}, scene::Vec3{0, 1, 0}, scene::Vec3{0, 0, 1}})
        scale = std::max(scale, double{scene::length(scene::transform_direction(world[parent], axis))});
      out[n].scale_above = scale > 0 && std::isfinite(scale) ? scale : 1;
    }
  }
  return out;
}

// A channel of which keys are removed. Requires values for each key.
struct Thinned {
  const Channel* channel;
  std::size_t width;  // of a value
  double tolerance;   // an angle for a rotation

  const float* value(std::size_t key) const { return channel->values.data() + key * width; }
  Value rotation(std::size_t key) const {
    const float* v = value(key);
    return animation::unit({v[0], v[1], v[2], v[3]});
  }
  // The difference of key k from the value at t between keys a and b.
  double error_between(std::size_t a, std::size_t b, std::size_t k, double t) const {
    if (channel->path == ChannelPath::kRotation) {
      const Value want = rotation(k), found = animation::slerp(rotation(a), rotation(b), t);
      double gap = 0, sum = 0;
      for (std::size_t c = 0; c < 4; ++c) {
        gap += (want[c] - found[c]) * (want[c] - found[c]);
        sum += (want[c] + found[c]) * (want[c] + found[c]);
      }
      return 2 * std::sqrt(std::min(gap, sum));  // the chord of half the angle
    }
    double sum = 0;
    for (std::size_t c = 0; c < width; ++c) {
      const double found = value(a)[c] + (double{value(b)[c]} - value(a)[c]) * t;
      const double gap = value(k)[c] - found;
      sum = channel->path == ChannelPath::kWeights ? std::max(sum, gap * gap) : sum + gap * gap;
    }
    return std::sqrt(sum);
  }
};

// Removes keys of channels with the same times and interpolation, so that they still share their times.
class Thinner {
 public:
  explicit Thinner(std::vector<Thinned> channels)
      : channels_(std::move(channels)),
        times_(channels_.front().channel->times_seconds),
        is_step_(channels_.front().channel->interpolation == Interpolation::kStep) {}

  // The keys that stay, ascending.
  std::vector<std::size_t> run() const {
    std::vector<std::size_t> kept{0};
    for (std::size_t at = 0; at + 1 < times_.size();) {
      at = is_step_ ? next_step(at) : farthest(at);
      kept.push_back(at);
    }
    return kept;
  }

 private:
  std::size_t next_step(std::size_t at) const {
    std::size_t next = at + 1;
    const auto is_same = [&](const Thinned& c) {
      return std::equal(c.value(at), c.value(at) + c.width, c.value(next));
    };
    while (next + 1 < times_.size() && std::ranges::all_of(channels_, is_same)) ++next;
    return next;
  }
  // The last key for which all keys between are interpolated closely enough.
  std::size_t farthest(std::size_t at) const {
    const std::size_t last = std::min(times_.size() - 1, at + kMostSpan);
    std::size_t good = at + 1, bad = last + 1;
    for (std::size_t step = 2; at + step <= last; step *= 2) {
      if (!is_line(at, at + step)) {
        bad = at + step;
        break;
      }
      good = at + step;
    }
    if (bad > last && is_line(at, last)) return last;
    while (good + 1 < bad) {
      const std::size_t middle = good + (bad - good) / 2;
      (is_line(at, middle) ? good : bad) = middle;
    }
    return good;
  }
  bool is_line(std::size_t a, std::size_t b) const {
    const double begin = times_[a], length = times_[b] - begin;
    if (!(length > 0)) return b == a + 1;
    for (const Thinned& c : channels_)
      for (std::size_t k = a + 1; k < b; ++k)
        if (!(c.error_between(a, b, k, (times_[k] - begin) / length) <= c.tolerance)) return false;
    return true;
  }

  std::vector<Thinned> channels_;
  const std::vector<float>& times_;
  bool is_step_;
};

bool is_thinnable(const scene::Scene& scene, const Channel& c) {
  if (c.node >= scene.nodes.size() || c.times_seconds.size() < 3) return false;
  if (c.interpolation == Interpolation::kCubicSpline) return false;
  if (!scene::is_transform(c.path) && c.path != ChannelPath::kWeights) return false;
  const std::size_t width = scene::component_count(c);
  return width != 0 && c.values.size() == c.times_seconds.size() * width;
}

// Rounds values to multiples of a power of two, so that they move by less than the tolerance.
void round_values(double tolerance, std::vector<float>& values) {
  if (!(tolerance > 0) || !std::isfinite(tolerance)) return;
  const double step = std::exp2(std::floor(std::log2(tolerance / 2)));
  for (float& v : values) v = static_cast<float>(std::round(double{v} / step) * step) + 0.0f;
}

// The channel with some of its keys, rounded if it is no rotation.
Channel with_keys(const Thinned& from, const std::vector<std::size_t>& kept) {
  const Channel& c = *from.channel;
  Channel out = c;
  out.times_seconds.clear(), out.values.clear();
  for (const std::size_t key : kept) {
    out.times_seconds.push_back(c.times_seconds[key]);
    out.values.insert(out.values.end(), from.value(key), from.value(key) + from.width);
  }
  if (c.path != ChannelPath::kRotation) round_values(from.tolerance, out.values);
  return out;
}

// The clip with rotations as a reader gets them from the quaternion filter with so many bits.
scene::Clip with_rotations(const scene::Clip& clip, std::uint32_t bits) {
  scene::Clip out = clip;
  for (Channel& c : out.channels) {
    if (c.path != ChannelPath::kRotation || c.values.size() % 4 != 0 || c.values.empty()) continue;
    std::vector<std::int16_t> codes(c.values.size());
    meshopt_encodeFilterQuat(codes.data(), codes.size() / 4, 8, static_cast<int>(bits), c.values.data());
    meshopt_decodeFilterQuat(codes.data(), codes.size() / 4, 8);
    std::ranges::transform(codes, c.values.begin(), [](std::int16_t code) { return static_cast<float>(code) / 32767; });
  }
  return out;
}

// All times of keys, and the middles between them; fewer of very many.
std::vector<double> times_of(const scene::Clip& clip) {
  std::set<float> keys;
  for (const Channel& c : clip.channels) keys.insert(c.times_seconds.begin(), c.times_seconds.end());
  std::vector<double> out;
  double last = 0;
  for (const float time : keys) {
    if (!out.empty()) out.push_back((last + time) / 2);
    out.push_back(last = time);
  }
  if (out.size() <= kMostTimes) return out;
  std::vector<double> fewer;
  fewer.reserve(kMostTimes);
  for (std::size_t i = 0; i < kMostTimes; ++i) fewer.push_back(out[i * out.size() / kMostTimes]);
  return fewer;
}

class ClipThinner {
 public:
  ClipThinner(const scene::Scene& scene, std::span<const animation::Node> nodes, const std::vector<Lever>& levers,
              const animation::Bound& bound)
      : scene_(scene), nodes_(nodes), levers_(levers), bound_(bound) {}

  struct Made {
    scene::Clip clip;
    std::uint32_t rotation_bits = kMostBits;
  };

  // The clip with fewer keys; the clip itself if that cannot keep the error.
  Made run(const scene::Clip& clip) const {
    const std::vector<double> times = times_of(clip);
    // Channels by times and interpolation.
    std::map<std::pair<std::vector<float>, Interpolation>, std::vector<std::size_t>> groups;
    for (std::size_t c = 0; c < clip.channels.size(); ++c) {
      const Channel& channel = clip.channels[c];
      if (is_thinnable(scene_, channel)) groups[{channel.times_seconds, channel.interpolation}].push_back(c);
    }
    double share = 0.5;
    for (int attempt = 0; attempt < kMostAttempts; ++attempt, share /= 2) {
      scene::Clip made = clip;
      for (const auto& [shared, members] : groups) thin(clip, members, share, made);
      if (is_close(clip, made, times)) return with_bits(clip, std::move(made), times);
    }
    return with_bits(clip, clip, times);
  }

 private:
  Made with_bits(const scene::Clip& clip, scene::Clip made, std::span<const double> times) const {
    std::uint32_t bits = kFewestBits;
    while (bits < kMostBits && !is_close(clip, with_rotations(made, bits), times)) ++bits;
    return {std::move(made), bits};
  }
  Thinned thinned(const Channel& c, double share) const {
    const Lever& lever = levers_[c.node];
    const double tolerance = c.path == ChannelPath::kWeights       ? kWeightError
                             : c.path == ChannelPath::kTranslation ? bound_.error * share / lever.scale_above
                                                                   : bound_.error * share / lever.distance;
    return {&c, scene::component_count(c), tolerance};
  }

  // Channels with far fewer keys than the others get times of their own: most of all those that do not move, which need
  // two keys, whose times they share.
  void thin(const scene::Clip& clip, const std::vector<std::size_t>& members, double share, scene::Clip& made) const {
    std::vector<Thinned> together;
    std::vector<std::size_t> numbers;
    for (const std::size_t c : members) {
      const Thinned channel = thinned(clip.channels[c], share);
      const std::vector<std::size_t> kept = Thinner({channel}).run();
      if (kept.size() * kFewer <= channel.channel->times_seconds.size()) {
        made.channels[c] = with_keys(channel, kept);
      } else {
        together.push_back(channel);
        numbers.push_back(c);
      }
    }
    const std::vector<std::size_t> kept = together.empty() ? std::vector<std::size_t>() : Thinner(together).run();
    for (std::size_t i = 0; i < numbers.size(); ++i) made.channels[numbers[i]] = with_keys(together[i], kept);
  }

  bool is_close(const scene::Clip& clip, const scene::Clip& made, std::span<const double> times) const {
    const std::vector<animation::Track> tracks = animation::tracks_of(clip), fewer = animation::tracks_of(made);
    const animation::Skeleton skeleton(nodes_, tracks), other(nodes_, fewer);
    std::vector<Affine> want(skeleton.joints().size()), found(other.joints().size());
    for (const double time : times) {
      skeleton.pose(animation::values_at(tracks, time), want);
      other.pose(animation::values_at(fewer, time), found);
      if (!(animation::pose_error(skeleton, want, found, bound_.radius) <= bound_.error)) return false;
    }
    return true;
  }

  const scene::Scene& scene_;
  std::span<const animation::Node> nodes_;
  const std::vector<Lever>& levers_;
  const animation::Bound& bound_;
};

std::size_t key_count(const std::vector<scene::Clip>& clips) {
  std::size_t count = 0;
  for (const scene::Clip& clip : clips)
    for (const Channel& c : clip.channels) count += c.times_seconds.size();
  return count;
}

}  // namespace

std::uint32_t reduce_clips(scene::Scene& scene, double error_meters, std::vector<Error>& notes) {
  if (scene.clips.empty()) return kMostBits;
  const std::vector<animation::Node> nodes = recipes::animation_nodes(scene);
  animation::Options options;
  options.error = error_meters;
  const animation::Bound bound = animation::bound_of(scene.clips, nodes, options);
  const std::vector<Lever> levers = levers_of(scene, nodes, bound.radius);
  std::vector<ClipThinner::Made> results(scene.clips.size());
  const ClipThinner thinner(scene, nodes, levers, bound);
  parallel_for(results.size(), [&](std::size_t c) { results[c] = thinner.run(scene.clips[c]); });
  std::vector<scene::Clip> made;
  std::uint32_t rotation_bits = kFewestBits;
  for (ClipThinner::Made& result : results) {
    made.push_back(std::move(result.clip));
    rotation_bits = std::max(rotation_bits, result.rotation_bits);
  }
  const std::size_t before = key_count(scene.clips), after = key_count(made);
  scene.clips = std::move(made);
  if (after < before) {
    notes.push_back({ErrorCode::kUnsupported,
                     {},
                     {},
                     "left out " + plural(before - after, "key") + " of " + counted(before, "key") +
                         " that samplers interpolate within the error",
                     {}});
  }
  return rotation_bits;
}

}  // namespace assetc::optimize
