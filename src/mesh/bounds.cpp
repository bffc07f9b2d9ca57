#include "mesh/bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "mesh/parallel.hpp"

namespace assetc::mesh {
namespace {

using scene::Vec3;

constexpr std::size_t kBoundsBlock = 1u << 15;
// Directions in which extreme points are searched: the axes and the diagonals of a cube.
constexpr std::array<Vec3, 7> kDirections{
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {-1, 1, 1}}};

struct Point {
  double x = 0, y = 0, z = 0;
};
Point to_point(Vec3 v) { return {v.x, v.y, v.z}; }
Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Point operator*(Point a, double s) { return {a.x * s, a.y * s, a.z * s}; }
double dot(Point a, Point b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Point cross(Point a, Point b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

struct Ball {
  Point center;
  double radius2 = -1;  // negative: nothing
};

// The smallest ball that has all points of on (at most four) on its surface. Points that are degenerate (three in a
// line, four in a plane) add nothing: the result is then the ball of the points before them, and the search continues
// with it.
Ball ball_through(const std::array<Point, 4>& on, std::size_t count) {
  if (count == 0) return {};
  if (count == 1) return {on[0], 0};
  const Point a = on[1] - on[0];
  Point offset = a * 0.5;
  if (count >= 3) {
    const Point b = on[2] - on[0], n = cross(a, b);
    const double n2 = dot(n, n);
    if (!(n2 > 1e-20 * dot(a, a) * dot(b, b))) return ball_through(on, 2);
    offset = (cross(b, n) * -dot(a, a) + cross(a, n) * dot(b, b)) * (-0.5 / n2);
    if (count == 4) {
      // The center lies on the line through the circle's center along n.
      const Point c = on[3] - on[0];
      const double along = dot(n, c);
      if (!(along * along > 1e-20 * n2 * dot(c, c))) return ball_through(on, 3);
      offset = offset + n * ((dot(c, c) - 2 * dot(c, offset)) / (2 * along));
    }
  }
  return {on[0] + offset, dot(offset, offset)};
}

bool inside(const Ball& ball, Point p) {
  const Point d = p - ball.center;
  return dot(d, d) <= ball.radius2 * (1 + 1e-12);
}

// Welzl's algorithm for few points: the smallest ball of points[0, count) with on[0, on_count) on its surface.
Ball least_ball(std::vector<Point>& points, std::size_t count, std::array<Point, 4>& on, std::size_t on_count) {
  Ball ball = ball_through(on, on_count);
  if (on_count == 4) return ball;
  for (std::size_t i = 0; i < count; ++i) {
    if (inside(ball, points[i])) continue;
    on[on_count] = points[i];
    ball = least_ball(points, i, on, on_count + 1);
    std::rotate(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(i),
                points.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  return ball;
}

struct Farthest {
  double distance2 = -1;
  std::size_t index = 0;
};

Farthest farthest(std::span<const Vec3> points, Point center) {
  std::vector<Farthest> of_block(block_count(points.size(), kBoundsBlock));
  for_blocks(points.size(), kBoundsBlock, [&](std::size_t begin, std::size_t end, std::size_t block) {
    // Find the largest distance first, which needs no branches, then the point at that distance.
    double largest = -1;
    const auto distance2 = [&](std::size_t i) {
      const double x = points[i].x - center.x, y = points[i].y - center.y, z = points[i].z - center.z;
      return x * x + y * y + z * z;
    };
    for (std::size_t i = begin; i < end; ++i) largest = std::max(largest, distance2(i));
    std::size_t index = begin;
    while (index < end && distance2(index) != largest) ++index;
    of_block[block] = {largest, index};
  });
  Farthest result;
  for (const Farthest& f : of_block) {
    if (f.distance2 > result.distance2) result = f;
  }
  return result;
}

// The two extreme points in each of a few directions. They already contain most of the support of the smallest sphere.
std::vector<Point> extremes(std::span<const Vec3> points) {
  struct Ends {
    std::array<float, kDirections.size()> low, high;
    std::array<std::size_t, kDirections.size()> low_index{}, high_index{};
  };
  std::vector<Ends> of_block(block_count(points.size(), kBoundsBlock));
  for_blocks(points.size(), kBoundsBlock, [&](std::size_t begin, std::size_t end, std::size_t block) {
    Ends ends;
    ends.low.fill(std::numeric_limits<float>::infinity());
    ends.high.fill(-std::numeric_limits<float>::infinity());
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t d = 0; d < kDirections.size(); ++d) {
        const float along = scene::dot(points[i], kDirections[d]);
        if (along < ends.low[d]) ends.low[d] = along, ends.low_index[d] = i;
        if (along > ends.high[d]) ends.high[d] = along, ends.high_index[d] = i;
      }
    }
    of_block[block] = ends;
  });
  std::vector<Point> result;
  for (std::size_t d = 0; d < kDirections.size(); ++d) {
    const auto low =
        std::min_element(of_block.begin(), of_block.end(), [d](auto& a, auto& b) { return a.low[d] < b.low[d]; });
    const auto high =
        std::max_element(of_block.begin(), of_block.end(), [d](auto& a, auto& b) { return a.high[d] < b.high[d]; });
    result.push_back(to_point(points[low->low_index[d]]));
    result.push_back(to_point(points[high->high_index[d]]));
  }
  return result;
}

}  // namespace

Box bounding_box(std::span<const Vec3> points) {
  std::vector<Box> of_block(block_count(points.size(), kBoundsBlock));
  const auto grow = [](Box& box, Vec3 low, Vec3 high) {
    box.low = {std::min(box.low.x, low.x), std::min(box.low.y, low.y), std::min(box.low.z, low.z)};
    box.high = {std::max(box.high.x, high.x), std::max(box.high.y, high.y), std::max(box.high.z, high.z)};
  };
  for_blocks(points.size(), kBoundsBlock, [&](std::size_t begin, std::size_t end, std::size_t block) {
    Box box{points[begin], points[begin]};
    for (std::size_t i = begin; i < end; ++i) grow(box, points[i], points[i]);
    of_block[block] = box;
  });
  Box box = of_block[0];
  for (const Box& b : of_block) grow(box, b.low, b.high);
  return box;
}

Sphere bounding_sphere(std::span<const Vec3> points) {
  // Farthest point first: the support grows by the point that its ball misses most, until the ball misses none. Each
  // round adds a point or ends. The rounds are bounded because rounding could make the loop endless.
  constexpr int kMaxRounds = 64;
  std::vector<Point> support = extremes(points);
  Point center;
  for (int round = 0; round < kMaxRounds; ++round) {
    std::array<Point, 4> on{};
    const Ball ball = least_ball(support, support.size(), on, 0);
    center = ball.center;
    const Farthest f = farthest(points, center);
    if (f.distance2 <= ball.radius2 * (1 + 1e-7)) break;
    support.push_back(to_point(points[f.index]));
  }
  Sphere sphere{{static_cast<float>(center.x), static_cast<float>(center.y), static_cast<float>(center.z)}, 0};
  const Farthest f = farthest(points, to_point(sphere.center));
  // The margin covers the exact distance and a distance computed in float, whose error is below 4 units in the last
  // place.
  const auto radius = static_cast<float>(std::sqrt(f.distance2));
  sphere.radius = radius + radius * (4 * std::numeric_limits<float>::epsilon());
  return sphere;
}

hmesh::MeshBounds bounds_of(std::span<const Vec3> points) {
  return bounds_of(bounding_box(points), bounding_sphere(points));
}

}  // namespace assetc::mesh
