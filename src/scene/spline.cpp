#include "scene/spline.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace assetc::scene {
namespace {

using Value = std::array<float, 4>;

float dot(const Value& a, const Value& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]; }

class Spline {
 public:
  explicit Spline(const Channel& channel)
      : channel_(channel), width_(channel.path == ChannelPath::kRotation ? 4 : 3), tolerance_(tolerance()) {}

  std::size_t width() const { return width_; }

  // The spline's value between key and the next; u is from 0 to 1.
  Value at(std::size_t key, float u) const {
    const Value a = part(key, 1), b = part(key + 1, 1), leaving = part(key, 2), arriving = part(key + 1, 0);
    const float span = span_of(key), u2 = u * u, u3 = u2 * u;
    Value out{};
    for (std::size_t i = 0; i < width_; ++i) {
      out[i] = (2 * u3 - 3 * u2 + 1) * a[i] + span * (u3 - 2 * u2 + u) * leaving[i] + (3 * u2 - 2 * u3) * b[i] +
               span * (u3 - u2) * arriving[i];
    }
    return unit(out);
  }

  // The number of linear pieces between key and the next: a power of 2.
  std::uint32_t pieces(std::size_t key) const {
    std::uint32_t n = 1;
    while (n < kMaxSplinePieces && !is_near(key, n)) n *= 2;
    while (n > 1 && !is_sound(key, n)) n /= 2;
    return n;
  }

  float time(std::size_t key, std::uint32_t piece, std::uint32_t of) const {
    return channel_.times_seconds[key] + span_of(key) * (static_cast<float>(piece) / static_cast<float>(of));
  }
  Value key(std::size_t index) const { return unit(part(index, 1)); }

 private:
  float span_of(std::size_t key) const { return channel_.times_seconds[key + 1] - channel_.times_seconds[key]; }

  // 0: the in-tangent, 1: the value, 2: the out-tangent.
  Value part(std::size_t key, std::size_t which) const {
    Value out{};
    std::copy_n(channel_.values.begin() + static_cast<std::ptrdiff_t>((3 * key + which) * width_), width_, out.begin());
    return out;
  }

  Value unit(Value v) const {
    if (width_ == 3) return v;
    const float length = std::sqrt(dot(v, v));
    if (!(length > 0)) return {0, 0, 0, 1};
    for (float& c : v) c /= length;
    return v;
  }

  // Uses the hull of the control points, which contains the spline.
  float tolerance() const {
    if (width_ == 4) return kSplineTolerance / 2;
    float reach = 0;
    Value low = part(0, 1), high = low;
    const auto add = [&](const Value& v) {
      for (std::size_t i = 0; i < width_; ++i) {
        low[i] = std::min(low[i], v[i]), high[i] = std::max(high[i], v[i]);
        reach = std::max(reach, high[i] - low[i]);
      }
    };
    for (std::size_t k = 0; k < channel_.times_seconds.size(); ++k) {
      const Value value = part(k, 1);
      add(value);
      if (k + 1 == channel_.times_seconds.size()) break;
      const Value next = part(k + 1, 1), leaving = part(k, 2), arriving = part(k + 1, 0);
      Value after{}, before{};
      for (std::size_t i = 0; i < width_; ++i) {
        after[i] = value[i] + span_of(k) * leaving[i] / 3;
        before[i] = next[i] - span_of(k) * arriving[i] / 3;
      }
      add(after);
      add(before);
    }
    return reach * kSplineTolerance;
  }

  bool is_near(std::size_t key, std::uint32_t n) const {
    for (std::uint32_t piece = 0; piece < n; ++piece) {
      const float start = static_cast<float>(piece) / static_cast<float>(n), length = 1 / static_cast<float>(n);
      const Value a = at(key, start);
      Value b = at(key, start + length);
      if (width_ == 4 && dot(a, b) < 0) {
        for (float& c : b) c = -c;
      }
      for (const float fraction : {0.25f, 0.5f, 0.75f}) {
        Value straight{};
        for (std::size_t i = 0; i < width_; ++i) straight[i] = a[i] + (b[i] - a[i]) * fraction;
        straight = unit(straight);
        Value curved = at(key, start + length * fraction);
        if (width_ == 4 && dot(straight, curved) < 0) {
          for (float& c : curved) c = -c;
        }
        for (std::size_t i = 0; i < width_; ++i) {
          if (!(std::fabs(straight[i] - curved[i]) <= tolerance_)) return false;
        }
      }
    }
    return true;
  }

  // Whether times ascend and values are finite. Spans may be too short for floats, and tangents too long.
  bool is_sound(std::size_t key, std::uint32_t n) const {
    for (std::uint32_t piece = 1; piece < n; ++piece) {
      if (!(time(key, piece - 1, n) < time(key, piece, n)) || !(time(key, piece, n) < channel_.times_seconds[key + 1]))
        return false;
      if (!std::ranges::all_of(at(key, static_cast<float>(piece) / static_cast<float>(n)),
                               [](float v) { return std::isfinite(v); }))
        return false;
    }
    return true;
  }

  const Channel& channel_;
  std::size_t width_;
  float tolerance_;
};

}  // namespace

Channel straighten(const Channel& spline) {
  Channel out{spline.node, spline.path, Interpolation::kLinear, {}, {}};
  if (spline.times_seconds.empty()) return out;
  const Spline from(spline);
  const auto add = [&](float time, const Value& value) {
    out.times_seconds.push_back(time);
    out.values.insert(out.values.end(), value.begin(), value.begin() + static_cast<std::ptrdiff_t>(from.width()));
  };
  for (std::size_t key = 0; key < spline.times_seconds.size(); ++key) {
    add(spline.times_seconds[key], from.key(key));
    if (key + 1 == spline.times_seconds.size()) break;
    const std::uint32_t pieces = from.pieces(key);
    for (std::uint32_t piece = 1; piece < pieces; ++piece)
      add(from.time(key, piece, pieces), from.at(key, static_cast<float>(piece) / static_cast<float>(pieces)));
  }
  return out;
}

}  // namespace assetc::scene
