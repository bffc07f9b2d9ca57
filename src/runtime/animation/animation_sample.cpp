// Samples curves and clips at a time.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "assetc/runtime/animation.hpp"
#include "runtime/animation/quaternion.hpp"

namespace assetc::runtime {
namespace {

// The number of keys after a cursor that are checked one by one before bisection.
constexpr std::uint32_t kNearKeys = 4;

Interpolation interpolation_of(hanim::Interpolation from) {
  return from == hanim::Interpolation::kStep ? Interpolation::kStep : Interpolation::kLinear;
}

using Value = std::array<float, 4>;

Value lerp(const Value& a, const Value& b, float t) {
  Value out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = a[i] + (b[i] - a[i]) * t;
  return out;
}

// Hermite spline. Tangents are per second; span is the time between the keys in seconds.
Value cubic(const Value& a, const Value& out_tangent, const Value& in_tangent, const Value& b, float span, float t) {
  const float t2 = t * t, t3 = t2 * t;
  Value out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = (2 * t3 - 3 * t2 + 1) * a[i] + span * (t3 - 2 * t2 + t) * out_tangent[i] + (3 * t2 - 2 * t3) * b[i] +
             span * (t3 - t2) * in_tangent[i];
  }
  return out;
}

}  // namespace

Curve::Curve(const hanim::ChannelView& channel)
    : path_(channel.path()),
      components_(channel.components()),
      interpolation_(interpolation_of(channel.interpolation())),
      key_count_(channel.key_count()),
      time_stride_(sizeof(float) * (1u + channel.components())),
      value_stride_(time_stride_),
      times_(channel.key_bytes()),
      values_(channel.key_bytes().subspan(sizeof(float))) {}

Curve::Curve(const hanim::CurveView& curve)
    : path_(curve.target.property == hanim::Property::kRotation ? hanim::Path::kRotation : hanim::Path::kTranslation),
      components_(curve.target.components),
      interpolation_(static_cast<Interpolation>(curve.kind)),
      key_count_(curve.key_count),
      time_stride_(sizeof(float)),
      value_stride_(sizeof(float) * components_ * (curve.kind == hanim::CurveKind::kCubicSpline ? 3u : 1u)),
      times_(curve.times),
      values_(curve.values) {
  static_assert(static_cast<int>(Interpolation::kCubicSpline) == static_cast<int>(hanim::CurveKind::kCubicSpline));
}

Curve::Curve(hanim::Path path, Interpolation interpolation, std::span<const float> times_seconds,
             std::span<const float> values)
    : path_(path),
      components_(hanim::component_count(path)),
      interpolation_(interpolation),
      key_count_(static_cast<std::uint32_t>(times_seconds.size())),
      time_stride_(sizeof(float)),
      value_stride_(sizeof(float) * hanim::component_count(path) *
                    (interpolation == Interpolation::kCubicSpline ? 3u : 1u)),
      times_(std::as_bytes(times_seconds)),
      values_(std::as_bytes(values)) {
  assert(key_count_ > 0 && values_.size() >= key_count_ * value_stride_);
}

std::array<float, 4> Curve::value(std::uint32_t key, std::uint32_t which) const {
  Value out{};
  const std::size_t size = sizeof(float) * components_;
  std::memcpy(out.data(), values_.data() + key * value_stride_ + which * size, size);
  return out;
}

// Returns the last key that is not after the time; 0 if all keys are later.
std::uint32_t Curve::key_at(float time_seconds, std::uint32_t hint) const {
  std::uint32_t low = 0, high = key_count_;  // the result is in [low, high)
  if (hint < key_count_ && time(hint) <= time_seconds) {
    low = hint;
    for (std::uint32_t i = 0; i < kNearKeys; ++i) {
      if (low + 1 == high || !(time(low + 1) <= time_seconds)) return low;
      ++low;
    }
  } else if (hint < key_count_) {
    high = std::max(hint, 1u);
  }
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (time(middle) <= time_seconds ? low : high) = middle;
  }
  return low;
}

std::array<float, 4> Curve::at(float time_seconds, std::uint32_t& cursor) const {
  const std::uint32_t key = cursor = key_at(time_seconds, cursor);
  const bool is_spline = interpolation_ == Interpolation::kCubicSpline, is_rotation = path_ == hanim::Path::kRotation;
  const Value a = value(key, is_spline ? 1 : 0);
  const float since = time_seconds - time(key);
  if (interpolation_ == Interpolation::kStep || key + 1 == key_count_ || !(since > 0)) return is_rotation ? unit(a) : a;
  const float span = time(key + 1) - time(key), t = since / span;
  if (is_spline) {
    const Value between = cubic(a, value(key, 2), value(key + 1, 0), value(key + 1, 1), span, t);
    return is_rotation ? unit(between) : between;
  }
  const Value b = value(key + 1);
  return is_rotation ? slerp(a, b, t) : lerp(a, b, t);
}

float time_in_clip(float time_seconds, float duration_seconds, Playback playback) {
  if (!std::isfinite(time_seconds) || !(duration_seconds > 0)) return 0;
  if (playback == Playback::kClamp) return std::clamp(time_seconds, 0.0f, duration_seconds);
  const float time = std::fmod(time_seconds, duration_seconds);
  if (time >= 0) return time;
  const float from_end = time + duration_seconds;  // just below 0, this rounds up to the duration
  return from_end < duration_seconds ? from_end : 0;
}

void sample(const hanim::ClipView& clip, float time_seconds, std::span<std::uint32_t> cursors,
            std::span<Transform> pose, std::span<const hanim::Match> joints) {
  assert(cursors.empty() || cursors.size() >= clip.channels.size());
  for (std::size_t c = 0; c < clip.channels.size(); ++c) {
    const hanim::ChannelView& channel = clip.channels[c];
    const hanim::Match* match = nullptr;
    if (!joints.empty()) {
      if (channel.joint() >= joints.size()) continue;
      match = &joints[channel.joint()];
    }
    const std::uint32_t joint = match == nullptr ? channel.joint() : match->joint;
    if (joint >= pose.size()) continue;
    std::uint32_t none = channel.key_count();
    Value v = Curve(channel).at(time_seconds, cursors.empty() ? none : cursors[c]);
    if (match != nullptr && match->has_above) {
      v = hanim::value_below(match->above, channel.path(), v);
      if (channel.path() == hanim::Path::kRotation) v = unit(v);
    }
    Transform& transform = pose[joint];
    switch (channel.path()) {
      case hanim::Path::kTranslation:
        transform.translation = {v[0], v[1], v[2]};
        break;
      case hanim::Path::kRotation:
        transform.rotation = v;
        break;
      case hanim::Path::kScale:
        transform.scale = {v[0], v[1], v[2]};
        break;
    }
  }
}

}  // namespace assetc::runtime
