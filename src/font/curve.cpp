#include "font/curve.hpp"

#include <algorithm>
#include <array>

namespace assetc::font {
namespace {

// The parameter at which one coordinate of a curve has its extreme, or 0 if that is not between its ends.
double turning_point(double start, double control, double end) {
  const double bend = start - 2 * control + end;
  const double t = bend == 0 ? 0 : (start - control) / bend;
  return t > 0 && t < 1 ? t : 0;
}

// c[3] t^3 + c[2] t^2 + c[1] t + c[0]
struct Cubic {
  std::array<double, 4> c;
  double at(double t) const { return ((c[3] * t + c[2]) * t + c[1]) * t + c[0]; }
  double slope(double t) const { return (3 * c[3] * t + 2 * c[2]) * t + c[1]; }

  // The parameters between 0 and 1 at which the slope is 0, ascending.
  int extremes(std::array<double, 2>& out) const {
    const double a = 3 * c[3], b = c[2], d = c[1];  // a t^2 + 2 b t + d
    const double root = b * b - a * d;
    if (root < 0) return 0;
    const double q = -(b + (b < 0 ? -std::sqrt(root) : std::sqrt(root)));
    int count = 0;
    const auto keep = [&](double t) {
      if (t > 0 && t < 1) out[static_cast<std::size_t>(count++)] = t;
    };
    if (a != 0) keep(q / a);
    if (q != 0) keep(d / q);
    if (count == 2 && out[0] > out[1]) std::swap(out[0], out[1]);
    return count;
  }

  // The root in an interval at whose ends the signs differ: Newton's method, with bisection where that leaves it.
  double root(double low, double high) const {
    constexpr int kMaxSteps = 60;
    constexpr double kPrecision = 1e-12;
    double t = (low + high) / 2;
    const bool is_rising = at(high) > 0;
    for (int i = 0; i < kMaxSteps && high - low > kPrecision; ++i) {
      const double value = at(t);
      ((value > 0) == is_rising ? high : low) = t;
      const double s = slope(t);
      const double next = s == 0 ? low : t - value / s;
      const double previous = t;
      t = next > low && next < high ? next : (low + high) / 2;
      if (std::abs(t - previous) < kPrecision) break;
    }
    return t;
  }
};

}  // namespace

Point Curve::at(double t) const {
  if (t == 0) return start;
  if (t == 1) return end;
  if (is_line) return start + (end - start) * t;
  const double s = 1 - t;
  return start * (s * s) + control * (2 * s * t) + end * (t * t);
}

Point Curve::direction(double t) const {
  if (is_line) return end - start;
  const Point d = (control - start) * (1 - t) + (end - control) * t;
  return d == Point{} ? end - start : d;
}

Curve Curve::part(double from, double to) const {
  const Point a = at(from), b = at(to);
  if (is_line) return line(a, b);
  // The blossom of the curve.
  const double s = 1 - from;
  const Point middle = start * (s * (1 - to)) + control * (s * to + from * (1 - to)) + end * (from * to);
  return {a, middle, b, false};
}

Box Curve::box() const {
  return {{std::min({start.x, control.x, end.x}), std::min({start.y, control.y, end.y})},
          {std::max({start.x, control.x, end.x}), std::max({start.y, control.y, end.y})}};
}

Box Curve::tight_box() const {
  Box box{{std::min(start.x, end.x), std::min(start.y, end.y)}, {std::max(start.x, end.x), std::max(start.y, end.y)}};
  if (is_line) return box;
  for (const double t : {turning_point(start.x, control.x, end.x), turning_point(start.y, control.y, end.y)}) {
    const Point p = at(t);
    box.low = {std::min(box.low.x, p.x), std::min(box.low.y, p.y)};
    box.high = {std::max(box.high.x, p.x), std::max(box.high.y, p.y)};
  }
  return box;
}

Nearest nearest(const Curve& curve, Point p) {
  if (curve.is_line) {
    const Point along = curve.end - curve.start;
    const double squared = dot(along, along);
    const double t = squared == 0 ? 0 : std::clamp(dot(p - curve.start, along) / squared, 0.0, 1.0);
    const Point d = curve.at(t) - p;
    return {t, dot(d, d)};
  }
  // The distance has extremes where (B(t) - p) * B'(t) = 0.
  const Point q = curve.start - p;
  const Point a = curve.control - curve.start;
  const Point b = curve.start - curve.control * 2 + curve.end;
  const Cubic slope{{dot(q, a), dot(q, b) + 2 * dot(a, a), 3 * dot(a, b), dot(b, b)}};
  Nearest best{0, dot(q, q)};
  const auto try_at = [&](double t) {
    const Point d = curve.at(t) - p;
    const double squared = dot(d, d);
    if (squared < best.squared_distance) best = {t, squared};
  };
  std::array<double, 2> turns{};
  const int turn_count = slope.extremes(turns);
  double low = 0, low_value = slope.at(0);
  for (int i = 0; i <= turn_count; ++i) {
    const double high = i < turn_count ? turns[static_cast<std::size_t>(i)] : 1;
    const double high_value = slope.at(high);
    if (low_value < 0 && high_value > 0) try_at(slope.root(low, high));  // a minimum
    low = high;
    low_value = high_value;
  }
  try_at(1);
  return best;
}

void add_cubic(Point start, Point first, Point second, Point end, double tolerance, std::vector<Curve>& to) {
  // The best quadratic curve differs by sqrt(3) / 36 of the third difference; n parts divide that by n^3.
  constexpr double kFactor = 0.0481125224324688;
  constexpr int kMaxParts = 64;
  const double error = kFactor * length(end - second * 3 + first * 3 - start);
  int parts = 1;
  while (parts < kMaxParts && error > tolerance * parts * parts * parts) ++parts;
  const auto point = [&](double t) {
    const double s = 1 - t;
    return start * (s * s * s) + first * (3 * s * s * t) + second * (3 * s * t * t) + end * (t * t * t);
  };
  const auto slope = [&](double t) {
    const double s = 1 - t;
    return (first - start) * (3 * s * s) + (second - first) * (6 * s * t) + (end - second) * (3 * t * t);
  };
  Point from = start;
  for (int i = 0; i < parts; ++i) {
    const double t0 = static_cast<double>(i) / parts, t1 = static_cast<double>(i + 1) / parts;
    const Point until = i + 1 == parts ? end : point(t1);
    // The control points of this part, in the middle of the two that a cubic has.
    const Point c0 = from + slope(t0) * ((t1 - t0) / 3), c1 = until - slope(t1) * ((t1 - t0) / 3);
    to.push_back({from, ((c0 + c1) * 3 - from - until) * 0.25, until, false});
    from = until;
  }
}

Winding::Winding(const std::vector<Curve>& closed) {
  for (const Curve& curve : closed) {
    const double t = curve.is_line ? 0 : turning_point(curve.start.y, curve.control.y, curve.end.y);
    const auto add = [&](Curve part) {
      if (part.start.y == part.end.y) return;
      // Rounding of the turning point must not make the part turn.
      part.control.y =
          std::clamp(part.control.y, std::min(part.start.y, part.end.y), std::max(part.start.y, part.end.y));
      rises_.push_back({part, part.end.y > part.start.y ? 1 : -1});
    };
    if (t == 0) {
      add(curve);
    } else {
      add(curve.part(0, t));
      add(curve.part(t, 1));
    }
  }
}

int Winding::at(Point p) const {
  int winding = 0;
  for (const Rise& rise : rises_) {
    const Curve& c = rise.curve;
    if ((c.start.y <= p.y) == (c.end.y <= p.y)) continue;
    double t = (p.y - c.start.y) / (c.end.y - c.start.y);
    if (!c.is_line) {
      // b t^2 + 2 a t + q = 0 has one root between 0 and 1.
      const double a = c.control.y - c.start.y, b = c.start.y - 2 * c.control.y + c.end.y, q = c.start.y - p.y;
      const double root = std::sqrt(std::max(0.0, a * a - b * q));
      const double divisor = a + (rise.step > 0 ? root : -root);
      t = divisor == 0 ? 0 : std::clamp(-q / divisor, 0.0, 1.0);
    }
    if (c.at(t).x > p.x) winding += rise.step;
  }
  return winding;
}

}  // namespace assetc::font
