#include "font/outline.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "font/cuts.hpp"

namespace assetc::font {
namespace {

constexpr double kCubicTolerance = 1.0 / 1024;  // texels
constexpr double kCornerSine = 0.14112000806;   // of 8.1 degrees: a sharper turn is a corner
constexpr double kSideDistance = 1.0 / 64;      // texels from an edge at which its sides are looked at

std::vector<Curve> curves_of(const scene::FontGlyph& glyph, double scale) {
  const auto scaled = [scale](scene::OutlinePoint p) { return Point{p.x * scale, p.y * scale}; };
  std::vector<Curve> curves;
  for (const scene::Contour& contour : glyph.contours) {
    const Point first = scaled(contour.start);
    Point from = first;
    const auto add_line = [&](Point to) {
      if (!(from == to)) curves.push_back(Curve::line(from, to));
    };
    for (const scene::OutlineSegment& segment : contour.segments) {
      const Point to = scaled(segment.end);
      const Point c0 = scaled(segment.control[0]), c1 = scaled(segment.control[1]);
      if (segment.degree == 2 && cross(c0 - from, to - from) != 0) {
        curves.push_back({from, c0, to, false});
      } else if (segment.degree == 3 && !(from == to && c0 == from && c1 == from)) {
        add_cubic(from, c0, c1, to, kCubicTolerance, curves);
      } else {
        add_line(to);
      }
      from = to;
    }
    add_line(first);
  }
  return curves;
}

// The parts of the curves with the inside on one side only, turned so that it is their left.
std::vector<Curve> border_of(const std::vector<Curve>& curves, const Winding& winding) {
  std::vector<Curve> border;
  for (const Curve& curve : curves) {
    const Point middle = curve.at(0.5);
    const Point along = unit(curve.direction(0.5));
    const Point left = Point{-along.y, along.x} * kSideDistance;
    const bool is_left_inside = winding.at(middle + left) != 0, is_right_inside = winding.at(middle - left) != 0;
    if (is_left_inside != is_right_inside) border.push_back(is_left_inside ? curve : curve.reversed());
  }
  return border;
}

using Chain = std::vector<Curve>;

// Joins curves at their ends. A chain that does not close ends at a gap of the source.
std::vector<Chain> chains_of(const std::vector<Curve>& curves) {
  constexpr double kReach = 4 * kJoinDistance;
  std::vector<Chain> chains;
  std::vector<bool> is_used(curves.size());
  for (std::size_t first = 0; first < curves.size(); ++first) {
    if (is_used[first]) continue;
    Chain& chain = chains.emplace_back();
    for (std::size_t next = first; next < curves.size();) {
      is_used[next] = true;
      chain.push_back(curves[next]);
      const Point end = chain.back().end;
      const auto distance = [end](Point p) { return dot(p - end, p - end); };
      double best = kReach * kReach;
      const std::size_t previous = next;
      next = curves.size();
      if (distance(chain.front().start) < best) best = distance(chain.front().start);  // closes
      for (std::size_t i = 0; i < curves.size() && best > 0; ++i) {
        const std::size_t candidate = (previous + 1 + i) % curves.size();  // most often the next one
        if (is_used[candidate] || distance(curves[candidate].start) >= best) continue;
        best = distance(curves[candidate].start);
        next = candidate;
      }
      if (next < curves.size()) chain.back().end = curves[next].start;
    }
    if (const Point gap = chain.back().end - chain.front().start; dot(gap, gap) < kReach * kReach)
      chain.back().end = chain.front().start;
    for (Curve& curve : chain) {
      if (curve.is_line) curve = Curve::line(curve.start, curve.end);
    }
  }
  return chains;
}

bool is_corner(const Curve& before, const Curve& after) {
  if (!(before.end == after.start)) return true;
  const Point in = unit(before.direction(1)), out = unit(after.direction(0));
  return dot(in, out) <= 0 || std::abs(cross(in, out)) > kCornerSine;
}

constexpr std::array<std::uint8_t, 3> kColors{kGreen | kBlue, kRed | kBlue, kRed | kGreen};

// Gives the channels of a chain's edges.
void color(const Chain& chain, std::vector<Edge>& edges) {
  std::vector<std::size_t> corners;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    if (is_corner(chain[(i + chain.size() - 1) % chain.size()], chain[i])) corners.push_back(i);
  }
  if (corners.empty()) {
    for (const Curve& curve : chain) edges.push_back({curve, kWhite});
    return;
  }
  if (corners.size() == 1) {
    // A drop: the two sides of its corner differ, with white between them.
    Chain turned;
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const Curve& curve = chain[(corners[0] + i) % chain.size()];
      if (chain.size() >= 3) {
        turned.push_back(curve);
        continue;
      }
      for (const double from : {0.0, 1.0, 2.0}) turned.push_back(curve.part(from / 3, (from + 1) / 3));
    }
    constexpr std::array<std::uint8_t, 3> kDrop{kColors[0], kWhite, kColors[1]};
    for (std::size_t i = 0; i < turned.size(); ++i) edges.push_back({turned[i], kDrop[i * 3 / turned.size()]});
    return;
  }
  const std::size_t count = corners.size();
  for (std::size_t c = 0; c < count; ++c) {
    // The last edge meets the first, whose color must be another too.
    const std::size_t color = c + 1 == count && count % 3 == 1 ? 1 : c % 3;
    const std::size_t until = c + 1 == count ? corners[0] + chain.size() : corners[c + 1];
    for (std::size_t i = corners[c]; i < until; ++i) edges.push_back({chain[i % chain.size()], kColors[color]});
  }
}

}  // namespace

Box Outline::box() const {
  Box box = edges.front().curve.tight_box();
  for (const Edge& edge : edges) {
    const Box b = edge.curve.tight_box();
    box.low = {std::min(box.low.x, b.low.x), std::min(box.low.y, b.low.y)};
    box.high = {std::max(box.high.x, b.high.x), std::max(box.high.y, b.high.y)};
  }
  return box;
}

Outline prepare_outline(const scene::FontGlyph& glyph, double scale) {
  Outline outline;
  outline.contours = curves_of(glyph, scale);
  const Winding winding(outline.contours);
  const std::vector<Curve> border = border_of(cut_at_crossings(outline.contours), winding);
  for (const Chain& chain : chains_of(border)) color(chain, outline.edges);
  return outline;
}

}  // namespace assetc::font
