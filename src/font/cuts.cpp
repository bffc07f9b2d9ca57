#include "font/cuts.hpp"

#include <algorithm>
#include <utility>

namespace assetc::font {
namespace {

struct Cut {
  double t;
  Point at;
};

struct Span {
  double from, to;
};

// Finds the crossings of two curves by halving them until they are nearly straight.
class Crossings {
 public:
  Crossings(const Curve& a, const Curve& b, std::vector<std::pair<double, double>>& found)
      : a_(a), b_(b), found_(found) {}

  void find() { find(a_, {0, 1}, b_, {0, 1}); }

 private:
  static constexpr double kFlat = 1.0 / 4096;
  static constexpr std::size_t kMaxFound = 16;
  static constexpr int kMaxSteps = 4096;  // curves that lie on each other would take many

  static bool is_flat(const Curve& c) {
    if (c.is_line) return true;
    const Point bend = c.start - c.control * 2 + c.end;
    return dot(bend, bend) < 16 * kFlat * kFlat;  // the distance from the chord is a quarter of the bend
  }

  void find(const Curve& a, Span at, const Curve& b, Span bt) {
    if (++steps_ > kMaxSteps || found_.size() >= kMaxFound || !a.box().overlaps(b.box(), 0)) return;
    const bool is_a_flat = is_flat(a), is_b_flat = is_flat(b);
    if (is_a_flat && is_b_flat) return cross_lines(a, at, b, bt);
    if (!is_a_flat) {
      const double middle = (at.from + at.to) / 2;
      find(a.part(0, 0.5), {at.from, middle}, b, bt);
      find(a.part(0.5, 1), {middle, at.to}, b, bt);
    } else {
      const double middle = (bt.from + bt.to) / 2;
      find(a, at, b.part(0, 0.5), {bt.from, middle});
      find(a, at, b.part(0.5, 1), {middle, bt.to});
    }
  }

  void cross_lines(const Curve& a, Span at, const Curve& b, Span bt) {
    const Point da = a.end - a.start, db = b.end - b.start, offset = b.start - a.start;
    const double area = cross(da, db);
    if (area == 0) return;
    const double s = cross(offset, db) / area, u = cross(offset, da) / area;
    if (s < 0 || s > 1 || u < 0 || u > 1) return;
    found_.emplace_back(at.from + (at.to - at.from) * s, bt.from + (bt.to - bt.from) * u);
  }

  const Curve& a_;
  const Curve& b_;
  std::vector<std::pair<double, double>>& found_;
  int steps_ = 0;
};

bool is_near(Point a, Point b) {
  const Point d = a - b;
  return dot(d, d) < kJoinDistance * kJoinDistance;
}

bool is_end(const Curve& curve, Point p) { return is_near(curve.start, p) || is_near(curve.end, p); }

class Cutter {
 public:
  explicit Cutter(const std::vector<Curve>& curves) : curves_(curves), cuts_(curves.size()) {
    boxes_.reserve(curves.size());
    for (const Curve& curve : curves) boxes_.push_back(curve.box());
  }

  std::vector<Curve> cut() {
    for (std::size_t a = 0; a < curves_.size(); ++a) {
      for (std::size_t b = a + 1; b < curves_.size(); ++b) {
        if (boxes_[a].overlaps(boxes_[b], kJoinDistance)) cut_pair(a, b);
      }
    }
    std::vector<Curve> out;
    for (std::size_t i = 0; i < curves_.size(); ++i) apply(curves_[i], cuts_[i], out);
    return out;
  }

 private:
  void cut_pair(std::size_t a, std::size_t b) {
    touch(a, b);
    touch(b, a);
    found_.clear();
    Crossings(curves_[a], curves_[b], found_).find();
    for (const auto& [s, t] : found_) {
      const Point at = (curves_[a].at(s) + curves_[b].at(t)) * 0.5;
      if (!is_end(curves_[a], at) && !is_end(curves_[b], at)) {
        cuts_[a].push_back({s, at});
        cuts_[b].push_back({t, at});
      }
    }
  }

  // Cuts the second curve where an end of the first lies on it.
  void touch(std::size_t ends_of, std::size_t at) {
    const Curve& curve = curves_[at];
    for (const Point end : {curves_[ends_of].start, curves_[ends_of].end}) {
      if (is_end(curve, end) || boxes_[at].squared_distance(end) > kJoinDistance * kJoinDistance) continue;
      const Nearest found = nearest(curve, end);
      if (found.squared_distance < kJoinDistance * kJoinDistance) cuts_[at].push_back({found.t, end});
    }
  }

  static void apply(const Curve& curve, std::vector<Cut>& cuts, std::vector<Curve>& out) {
    std::ranges::sort(cuts, {}, &Cut::t);
    double from = 0;
    Point start = curve.start;
    const auto add = [&](double to, Point end) {
      if (to <= from || is_near(start, end)) return false;
      Curve part = from == 0 && to == 1 ? curve : curve.part(from, to);
      part.start = start;
      part.end = end;
      if (part.is_line) part = Curve::line(start, end);
      out.push_back(part);
      from = to;
      start = end;
      return true;
    };
    for (const Cut& cut : cuts) add(cut.t, cut.at);
    if (!add(1, curve.end) && from > 0) {
      out.back().end = curve.end;
      if (out.back().is_line) out.back() = Curve::line(out.back().start, curve.end);
    }
    if (from == 0 && !(curve.start == curve.end)) out.push_back(curve);  // short, but its ends are those of neighbors
  }

  const std::vector<Curve>& curves_;
  std::vector<Box> boxes_;
  std::vector<std::vector<Cut>> cuts_;
  std::vector<std::pair<double, double>> found_;
};

}  // namespace

std::vector<Curve> cut_at_crossings(const std::vector<Curve>& curves) { return Cutter(curves).cut(); }

}  // namespace assetc::font
