#include "import/model/triangulate.hpp"

#include <algorithm>
#include <cmath>

namespace assetc::importer {
namespace {

using scene::Vec2;
using scene::Vec3;

// Twice the signed area. In double, so that a thin ear does not vanish at large coordinates.
double area2(Vec2 a, Vec2 b, Vec2 c) {
  return (double{b.x} - a.x) * (double{c.y} - a.y) - (double{b.y} - a.y) * (double{c.x} - a.x);
}

bool inside(Vec2 p, Vec2 a, Vec2 b, Vec2 c) {
  return area2(a, b, p) >= 0 && area2(b, c, p) >= 0 && area2(c, a, p) >= 0;
}

// Projects the polygon onto two of its axes, chosen by its normal (Newell's method), counter-clockwise.
std::vector<Vec2> flatten(std::span<const Vec3> corners) {
  double nx = 0, ny = 0, nz = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    // Relative to the first corner, so that a small face far from the origin keeps its precision.
    const Vec3 a = corners[i] - corners[0], b = corners[(i + 1) % corners.size()] - corners[0];
    nx += (double{a.y} - b.y) * (double{a.z} + b.z);
    ny += (double{a.z} - b.z) * (double{a.x} + b.x);
    nz += (double{a.x} - b.x) * (double{a.y} + b.y);
  }
  std::vector<Vec2> flat;
  flat.reserve(corners.size());
  const double ax = std::fabs(nx), ay = std::fabs(ny), az = std::fabs(nz);
  for (const Vec3 corner : corners) {
    const Vec3 p = corner - corners[0];
    Vec2 q;
    if (az >= ax && az >= ay) {
      q = nz >= 0 ? Vec2{p.x, p.y} : Vec2{p.y, p.x};
    } else if (ax >= ay) {
      q = nx >= 0 ? Vec2{p.y, p.z} : Vec2{p.z, p.y};
    } else {
      q = ny >= 0 ? Vec2{p.z, p.x} : Vec2{p.x, p.z};
    }
    flat.push_back(q);
  }
  return flat;
}

// A polygon from which ears are cut. Only a corner that is not convex can be inside an ear. A convex corner stays
// convex while ears are cut, so a grid has the others of the start.
class Rest {
 public:
  explicit Rest(std::vector<Vec2> flat)
      : flat_(std::move(flat)), next_(flat_.size()), previous_(flat_.size()), looks_left_(kMaxEarLooks * flat_.size()) {
    const std::size_t count = flat_.size();
    for (std::uint32_t i = 0; i < count; ++i) {
      next_[i] = static_cast<std::uint32_t>((i + 1) % count);
      previous_[i] = static_cast<std::uint32_t>((i + count - 1) % count);
    }
    low_ = high_ = flat_[0];
    for (const Vec2 p : flat_) {
      low_ = {std::min(low_.x, p.x), std::min(low_.y, p.y)};
      high_ = {std::max(high_.x, p.x), std::max(high_.y, p.y)};
    }
    constexpr std::size_t kFewCorners = 64, kMaxSide = 512;
    const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(count)));
    side_ = count < kFewCorners ? 1 : std::min(root, kMaxSide);
    cells_.resize(side_ * side_);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!is_convex(i)) cells_[column(flat_[i].x) + side_ * row(flat_[i].y)].push_back(i);
    }
  }

  std::uint32_t next(std::uint32_t corner) const { return next_[corner]; }
  std::uint32_t previous(std::uint32_t corner) const { return previous_[corner]; }
  // False if the polygon takes too long; is_ear() then answers false.
  bool can_look() const { return looks_left_ != 0; }

  bool is_ear(std::uint32_t corner) {
    if (!is_convex(corner)) return false;
    const Vec2 a = flat_[previous_[corner]], b = flat_[corner], c = flat_[next_[corner]];
    const std::size_t left = column(std::min({a.x, b.x, c.x})), right = column(std::max({a.x, b.x, c.x}));
    const std::size_t bottom = row(std::min({a.y, b.y, c.y})), top = row(std::max({a.y, b.y, c.y}));
    for (std::size_t y = bottom; y <= top; ++y) {
      for (std::size_t x = left; x <= right; ++x) {
        if (!look()) return false;
        for (const std::uint32_t other : cells_[x + side_ * y]) {
          if (!look()) return false;
          const Vec2 p = flat_[other];
          if (next_[other] == kCut || p == a || p == b || p == c) continue;
          if (inside(p, a, b, c)) return false;
        }
      }
    }
    return true;
  }

  void cut(std::uint32_t corner) {
    next_[previous_[corner]] = next_[corner];
    previous_[next_[corner]] = previous_[corner];
    next_[corner] = kCut;
  }

 private:
  static constexpr std::uint32_t kCut = 0xFFFFFFFF;

  bool look() {
    if (looks_left_ != 0) --looks_left_;
    return looks_left_ != 0;
  }
  bool is_convex(std::uint32_t corner) const {
    return area2(flat_[previous_[corner]], flat_[corner], flat_[next_[corner]]) > 0;
  }
  std::size_t step(float value, float low, float high) const {
    const double share = high > low ? (double{value} - low) / (double{high} - low) : 0;
    return std::min(static_cast<std::size_t>(share * static_cast<double>(side_)), side_ - 1);
  }
  std::size_t column(float x) const { return step(x, low_.x, high_.x); }
  std::size_t row(float y) const { return step(y, low_.y, high_.y); }

  std::vector<Vec2> flat_;
  std::vector<std::uint32_t> next_, previous_;
  std::uint64_t looks_left_;
  Vec2 low_, high_;
  std::size_t side_ = 1;
  std::vector<std::vector<std::uint32_t>> cells_;
};

}  // namespace

bool triangulate(std::span<const Vec3> corners, std::vector<std::uint32_t>& triangles) {
  const std::size_t count = corners.size();
  triangles.clear();
  if (count == 3) {
    triangles.assign({0, 1, 2});
    return true;
  }
  std::vector<Vec2> flat = flatten(corners);
  if (count == 4) {
    // Uses the usual diagonal, unless only the other one is inside.
    const bool first = area2(flat[0], flat[1], flat[2]) > 0 && area2(flat[0], flat[2], flat[3]) > 0;
    const bool second = area2(flat[1], flat[2], flat[3]) > 0 && area2(flat[1], flat[3], flat[0]) > 0;
    if (first || !second) {
      triangles.assign({0, 1, 2, 0, 2, 3});
    } else {
      triangles.assign({1, 2, 3, 1, 3, 0});
    }
    return true;
  }
  Rest rest(std::move(flat));
  std::uint32_t at = 0;
  std::size_t left = count, tried = 0;
  while (left > 3 && rest.can_look()) {
    // After a full round without an ear, the rest crosses itself or has no area, and any cut is equally good.
    const bool ear = rest.is_ear(at);
    if (!rest.can_look()) break;
    const std::uint32_t next = rest.next(at);
    if (!ear && tried < left) {
      ++tried;
    } else {
      triangles.insert(triangles.end(), {rest.previous(at), at, next});
      rest.cut(at);
      --left;
      tried = 0;
    }
    at = next;
  }
  // The last triangle, or a fan of what is left.
  const bool is_cut_well = left == 3;
  for (std::uint32_t second = rest.next(at); left > 2; --left, second = rest.next(second))
    triangles.insert(triangles.end(), {at, second, rest.next(second)});
  return is_cut_well;
}

}  // namespace assetc::importer
