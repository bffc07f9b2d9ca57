// A channel as a function of time, in double.
#pragma once

#include <array>
#include <cstddef>

#include "scene/scene.hpp"

namespace assetc::animation {

using Value = std::array<double, 4>;

double dot(const Value& a, const Value& b);
// No rotation if q has no length.
Value unit(const Value& q);
// Between unit quaternions on the shorter arc, with the same bits on every machine.
Value slerp(const Value& a, const Value& b, double t);

// Up to four components of a channel, from the first one given. The channel must outlive the curve.
class Curve {
 public:
  Curve(const scene::Channel& channel, std::size_t first, std::size_t components);

  std::size_t components() const { return components_; }
  const scene::Channel& channel() const { return *channel_; }
  std::size_t first() const { return first_; }
  // Clamped to the first and last key. A unit quaternion for a rotation.
  Value at(double time_seconds) const;
  // The value of a key; part 0 is the in-tangent, 1 the value, 2 the out-tangent of a spline. Without splines, 1.
  Value key(std::size_t key, std::size_t part = 1) const;

 private:
  const scene::Channel* channel_;
  std::size_t first_, components_, width_;
};

}  // namespace assetc::animation
