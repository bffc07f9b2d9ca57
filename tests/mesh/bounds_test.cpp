#include "mesh/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "mesh/shapes.hpp"

namespace assetc::mesh {
namespace {

using scene::Vec3;

void expect_holds(const Sphere& sphere, const std::vector<Vec3>& points) {
  for (Vec3 p : points) EXPECT_LE(scene::length(p - sphere.center), sphere.radius);
}

TEST(BoundingSphere, of_one_point_has_no_radius) {
  const Sphere s = bounding_sphere(std::vector<Vec3>{{1, 2, 3}});
  EXPECT_EQ(s.center, (Vec3{1, 2, 3}));
  EXPECT_EQ(s.radius, 0);
}

TEST(BoundingSphere, of_a_box_is_half_its_diagonal) {
  std::vector<Vec3> corners;
  corners.reserve(8);
  for (int i = 0; i < 8; ++i) corners.push_back({i & 1 ? 2.0f : 0.0f, i & 2 ? 3.0f : 0.0f, i & 4 ? 6.0f : 0.0f});
  const Sphere s = bounding_sphere(corners);
  EXPECT_NEAR(s.radius, 3.5f, 1e-5f);
  expect_holds(s, corners);
}

TEST(BoundingSphere, of_a_regular_tetrahedron_touches_all_four) {
  const std::vector<Vec3> points{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  const Sphere s = bounding_sphere(points);
  EXPECT_NEAR(s.radius, std::sqrt(3.0f), 1e-5f);
}

TEST(BoundingSphere, of_a_triangle_is_its_circumcircle_or_its_longest_side) {
  EXPECT_NEAR(bounding_sphere(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0.5f, 0.8660254f, 0}}).radius, 0.57735f, 1e-5f);
  EXPECT_NEAR(bounding_sphere(std::vector<Vec3>{{0, 0, 0}, {2, 0, 0}, {1, 0.1f, 0}}).radius, 1.0f, 1e-5f);
}

TEST(BoundingSphere, of_points_in_a_line_or_in_one_place_is_finite) {
  std::vector<Vec3> line;
  line.reserve(100);
  for (int i = 0; i < 100; ++i) line.push_back({static_cast<float>(i), static_cast<float>(i), 0});
  EXPECT_NEAR(bounding_sphere(line).radius, 99 * std::sqrt(0.5f), 1e-3f);
  EXPECT_EQ(bounding_sphere(std::vector<Vec3>(50, {4, 4, 4})).radius, 0);
}

TEST(BoundingSphere, of_a_sphere_is_that_sphere) {
  const Shape shape = sphere(64, 48);
  const Sphere s = bounding_sphere(shape.positions);
  EXPECT_NEAR(s.radius, 1, 1e-5f);
  EXPECT_NEAR(scene::length(s.center), 0, 1e-5f);
  expect_holds(s, shape.positions);
}

TEST(BoundingSphere, holds_random_points_and_is_no_larger_than_one_around_the_middle) {
  std::uint32_t state = 7;
  const auto random = [&] { return static_cast<float>((state = state * 1664525u + 1013904223u) >> 8) / 16777216.0f; };
  for (int round = 0; round < 50; ++round) {
    std::vector<Vec3> points;
    const float scale = std::pow(10.0f, static_cast<float>(round % 13 - 6));
    points.reserve(200);
    for (int i = 0; i < 200; ++i) points.push_back(Vec3{random() * 3 + 5, random(), random() * random()} * scale);
    const Sphere s = bounding_sphere(points);
    expect_holds(s, points);
    const Box box = bounding_box(points);
    const Vec3 middle = (box.low + box.high) * 0.5f;
    float around_middle = 0;
    for (Vec3 p : points) around_middle = std::max(around_middle, scene::length(p - middle));
    EXPECT_LE(s.radius, around_middle * 1.00001f);
  }
}

// The center is rounded to float before distances are measured from it. An optimizer must not skip the rounding.
TEST(BoundingSphere, radius_is_that_around_the_center_it_returns) {
  std::uint32_t state = 11;
  const auto random = [&] { return static_cast<float>((state = state * 1664525u + 1013904223u) >> 8) / 16777216.0f; };
  for (int round = 0; round < 100; ++round) {
    std::vector<Vec3> points;
    points.reserve(50);
    for (int i = 0; i < 50; ++i) points.push_back({random(), random() * 2, random() * 3});
    const Sphere s = bounding_sphere(points);
    const volatile double cx = s.center.x, cy = s.center.y, cz = s.center.z;
    double largest = 0;
    for (Vec3 p : points) {
      const double x = p.x - cx, y = p.y - cy, z = p.z - cz;
      largest = std::max(largest, x * x + y * y + z * z);
    }
    const float radius = static_cast<float>(std::sqrt(largest));
    EXPECT_EQ(s.radius, radius + radius * (4 * std::numeric_limits<float>::epsilon()));
  }
}

}  // namespace
}  // namespace assetc::mesh
