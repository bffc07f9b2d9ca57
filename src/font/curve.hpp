// Lines and quadratic Bézier curves in the plane, computed with + - * / and sqrt alone: the same bits everywhere.
#pragma once

#include <cmath>
#include <vector>

namespace assetc::font {

struct Point {
  double x = 0, y = 0;
  friend Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
  friend Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
  friend Point operator*(Point a, double s) { return {a.x * s, a.y * s}; }
  bool operator==(const Point&) const = default;
};
inline double dot(Point a, Point b) { return a.x * b.x + a.y * b.y; }
inline double cross(Point a, Point b) { return a.x * b.y - a.y * b.x; }
inline double length(Point a) { return std::sqrt(dot(a, a)); }
// Has the length 1; (0, 0) stays as it is.
inline Point unit(Point a) {
  const double l = length(a);
  return l == 0 ? a : a * (1 / l);
}

struct Box {
  Point low, high;
  bool overlaps(const Box& other, double margin) const {
    return low.x <= other.high.x + margin && other.low.x <= high.x + margin && low.y <= other.high.y + margin &&
           other.low.y <= high.y + margin;
  }
  // 0 inside.
  double squared_distance(Point p) const {
    const double x = p.x < low.x ? low.x - p.x : p.x > high.x ? p.x - high.x : 0;
    const double y = p.y < low.y ? low.y - p.y : p.y > high.y ? p.y - high.y : 0;
    return x * x + y * y;
  }
};

// A curve from `start` to `end`, for t from 0 to 1. A line has its control point in its middle.
struct Curve {
  Point start, control, end;
  bool is_line = true;

  static Curve line(Point from, Point to) { return {from, (from + to) * 0.5, to, true}; }

  Point at(double t) const;
  // The tangent, not of length 1; (0, 0) only if the curve is a point.
  Point direction(double t) const;
  Curve part(double from, double to) const;
  Curve reversed() const { return {end, control, start, is_line}; }
  Box box() const;  // of the control points
  // The smallest box.
  Box tight_box() const;
};

struct Nearest {
  double t = 0;
  double squared_distance = 0;
};
// The point of the curve that is nearest to p.
Nearest nearest(const Curve& curve, Point p);

// Adds curves that differ from a cubic Bézier curve by less than `tolerance`.
void add_cubic(Point start, Point first, Point second, Point end, double tolerance, std::vector<Curve>& to);

// Answers whether points are inside of closed curves: where the winding number is not 0.
class Winding {
 public:
  explicit Winding(const std::vector<Curve>& closed);
  int at(Point p) const;

 private:
  struct Rise {  // y is monotone
    Curve curve;
    int step;  // 1 up, -1 down
  };
  std::vector<Rise> rises_;
};

}  // namespace assetc::font
