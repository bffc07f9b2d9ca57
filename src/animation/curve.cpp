#include "animation/curve.hpp"

#include <algorithm>
#include <cmath>

#include "base/portable_math.hpp"

namespace assetc::animation {

using scene::Interpolation;

double dot(const Value& a, const Value& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]; }

Value unit(const Value& q) {
  const double length = std::sqrt(dot(q, q));
  if (!(length > 1e-12) || !std::isfinite(length)) return {0, 0, 0, 1};
  return {q[0] / length, q[1] / length, q[2] / length, q[3] / length};
}

Value slerp(const Value& a, const Value& b, double t) {
  double cosine = dot(a, b);
  const double sign = cosine < 0 ? -1 : 1;
  cosine *= sign;
  double wa = 1 - t, wb = t;
  if (cosine < 0.99999) {  // closer than that, linear interpolation is exact to 1e-9
    const double sine = std::sqrt(std::max(0.0, 1 - cosine * cosine));
    const double angle = arc_tangent_pi(sine, cosine);
    wa = sin_pi((1 - t) * angle) / sine;
    wb = sin_pi(t * angle) / sine;
  }
  Value out;
  for (std::size_t i = 0; i < 4; ++i) out[i] = wa * a[i] + wb * sign * b[i];
  return unit(out);
}

Curve::Curve(const scene::Channel& channel, std::size_t first, std::size_t components)
    : channel_(&channel), first_(first), components_(components), width_(component_count(channel)) {}

Value Curve::key(std::size_t key, std::size_t part) const {
  const bool is_spline = channel_->interpolation == Interpolation::kCubicSpline;
  const std::size_t at = (is_spline ? key * 3 + part : key) * width_ + first_;
  Value out{};
  for (std::size_t i = 0; i < components_; ++i) out[i] = channel_->values[at + i];
  return out;
}

Value Curve::at(double time_seconds) const {
  const std::vector<float>& times = channel_->times_seconds;
  const bool is_rotation = channel_->path == scene::ChannelPath::kRotation;
  const auto next = static_cast<std::size_t>(
      std::upper_bound(times.begin(), times.end(), time_seconds, [](double t, float key) { return t < key; }) -
      times.begin());
  const std::size_t key_before = next == 0 ? 0 : next - 1;
  const Value a = key(key_before);
  if (next == 0 || next == times.size() || channel_->interpolation == Interpolation::kStep)
    return is_rotation ? unit(a) : a;
  const double span = static_cast<double>(times[next]) - times[key_before];
  const double t = (time_seconds - times[key_before]) / span;
  const Value b = key(next);
  Value out{};
  if (channel_->interpolation == Interpolation::kCubicSpline) {
    const Value leaving = key(key_before, 2), arriving = key(next, 0);
    const double t2 = t * t, t3 = t2 * t;
    for (std::size_t i = 0; i < 4; ++i) {
      out[i] = (2 * t3 - 3 * t2 + 1) * a[i] + span * (t3 - 2 * t2 + t) * leaving[i] + (3 * t2 - 2 * t3) * b[i] +
               span * (t3 - t2) * arriving[i];
    }
    return is_rotation ? unit(out) : out;
  }
  if (is_rotation) return slerp(unit(a), unit(b), t);
  for (std::size_t i = 0; i < 4; ++i) out[i] = a[i] + (b[i] - a[i]) * t;
  return out;
}

}  // namespace assetc::animation
