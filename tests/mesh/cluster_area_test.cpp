// Cluster levels of detail of leaves: what is left grows, so that the area stays.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "mesh/cluster/hierarchy.hpp"
#include "mesh/cluster/thin.hpp"
#include "mesh/cluster_cut.hpp"
#include "mesh/shapes.hpp"
#include "mesh/surface_distance.hpp"

namespace assetc::mesh::cluster {
namespace {

using scene::Vec3;

// Leaves of two triangles in a ball, none connected to another.
Shape crown(std::uint32_t count) {
  Shape s;
  std::mt19937 random(3);
  std::uniform_real_distribution<float> unit(-1, 1);
  const auto direction = [&] { return scene::normalize_or({unit(random), unit(random), unit(random)}, {1, 0, 0}); };
  for (std::uint32_t i = 0; i < count; ++i) {
    Vec3 at{unit(random), unit(random), unit(random)};
    while (scene::dot(at, at) > 1) at = {unit(random), unit(random), unit(random)};
    const Vec3 u = direction() * 0.02f, v = scene::normalize_or(scene::cross(u, direction()), {0, 1, 0}) * 0.02f;
    const Vec3 n = scene::normalize_or(scene::cross(u, v), {0, 1, 0});
    const auto first = static_cast<std::uint32_t>(s.positions.size());
    for (const Vec3 p : {at - u - v, at + u - v, at + u + v, at - u + v}) s.positions.push_back(p);
    s.normals.insert(s.normals.end(), 4, n);
    s.texcoords.insert(s.texcoords.end(), {{0, 0}, {1, 0}, {1, 1}, {0, 1}});
    for (const std::uint32_t corner : {0, 1, 2, 0, 2, 3}) s.indices.push_back(first + corner);
  }
  return s;
}

Source source_of(const Shape& s) {
  return {.positions = s.positions,
          .normals = s.normals,
          .texcoords = s.texcoords,
          .colors = {},
          .skin = {},
          .indices = s.indices,
          .materials = {}};
}

double area_of(std::span<const Vec3> positions, std::span<const std::uint32_t> indices) {
  double area = 0;
  for (std::size_t i = 0; i < indices.size(); i += 3) {
    const Vec3 a = positions[indices[i]], b = positions[indices[i + 1]], c = positions[indices[i + 2]];
    area += static_cast<double>(scene::length(scene::cross(b - a, c - a))) / 2;
  }
  return area;
}

std::vector<float> errors_of(const Hierarchy& h) {
  std::vector<float> errors;
  for (const Group& g : h.groups) {
    if (std::isfinite(g.error)) errors.push_back(g.error);
  }
  std::ranges::sort(errors);
  return errors;
}

TEST(ClusterArea, leaves_keep_it_while_their_number_falls) {
  const Shape s = crown(20000);
  const double whole = area_of(s.positions, s.indices);
  for (const bool keeps : {true, false}) {
    const Hierarchy h = build_hierarchy(source_of(s), {.keeps_area = keeps});
    const std::vector<Vec3> positions = positions_of(h, s.positions);
    EXPECT_EQ(h.made.empty(), !keeps);
    for (const float error : errors_of(h)) {
      const auto indices = triangles_of(h, cut_at_error(h, error));

      if (indices.size() * 50 < s.indices.size()) break;
      if (keeps) {
        EXPECT_NEAR(area_of(positions, indices) / whole, 1, 0.03) << indices.size() / 3;
      }
    }
  }
}

TEST(ClusterArea, cuts_stay_within_their_errors) {
  const Shape s = crown(4000);
  const Hierarchy h = build_hierarchy(source_of(s));
  const std::vector<Vec3> positions = positions_of(h, s.positions);
  std::vector<Vec3> normals = s.normals;
  for (const MadeVertex& made : h.made) normals.push_back(s.normals[made.origin]);
  const SampledSurface source(s.positions, s.normals, s.indices);
  const std::vector<float> errors = errors_of(h);
  for (std::size_t i = 0; i < errors.size(); i += errors.size() / 6 + 1) {
    const auto indices = triangles_of(h, cut_at_error(h, errors[i]));
    const SampledSurface cut(positions, normals, indices);
    EXPECT_LE(cut.distances_from(source, 1500).largest, errors[i] + 1e-6f) << indices.size();
    EXPECT_LE(source.distances_from(cut, 1500).largest, errors[i] + 1e-6f) << indices.size();
  }
}

TEST(ClusterArea, spheres_hold_the_leaves_that_grew) {
  const Shape s = crown(4000);
  const Hierarchy h = build_hierarchy(source_of(s));
  const std::vector<Vec3> positions = positions_of(h, s.positions);
  EXPECT_EQ(cut_at_error(h, std::numeric_limits<float>::max()).size(), 1u);
  for (const Cluster& c : h.clusters) {
    const Group& group = h.groups[c.group];
    for (std::uint32_t v = c.first_vertex; v < c.first_vertex + c.vertex_count; ++v) {
      ASSERT_LT(h.vertices[v], positions.size());
      EXPECT_LE(scene::length(positions[h.vertices[v]] - group.sphere.center), group.sphere.radius * 1.00001f);
    }
    if (c.refined == kNone) continue;
    const Sphere inner = h.groups[c.refined].sphere;
    EXPECT_LE(scene::length(inner.center - group.sphere.center) + inner.radius, group.sphere.radius);
    EXPECT_GE(group.error, h.groups[c.refined].error);
  }
}

TEST(ClusterArea, only_meshes_that_are_mostly_small_open_pieces_grow) {
  const auto is = [](const Shape& s) {
    std::vector<std::uint32_t> points(s.positions.size());
    for (std::uint32_t v = 0; v < points.size(); ++v) points[v] = v;
    return is_foliage(points, static_cast<std::uint32_t>(points.size()), s.indices);
  };
  EXPECT_TRUE(is(crown(64)));
  EXPECT_FALSE(is(crown(63)));
  EXPECT_FALSE(is(wavy_grid(20, 20)));
  EXPECT_FALSE(is(sphere(40, 20)));
  // A crown on a trunk that has more triangles than the leaves.
  Shape tree = crown(100);
  const Shape trunk = wavy_grid(20, 20);
  const auto first = static_cast<std::uint32_t>(tree.positions.size());
  tree.positions.insert(tree.positions.end(), trunk.positions.begin(), trunk.positions.end());
  for (const std::uint32_t i : trunk.indices) tree.indices.push_back(first + i);
  EXPECT_FALSE(is(tree));
  // Closed pieces: tetrahedra.
  Shape pebbles;
  for (std::uint32_t i = 0; i < 100; ++i) {
    for (const Vec3 p : {Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}})
      pebbles.positions.push_back(p + Vec3{static_cast<float>(2 * i), 0, 0});
    for (const std::uint32_t c : {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2}) pebbles.indices.push_back(4 * i + c);
  }
  EXPECT_FALSE(is(pebbles));
}

TEST(ClusterArea, the_number_of_threads_does_not_matter) {
  const Shape s = crown(5000);
  const Hierarchy a = build_hierarchy(source_of(s)), b = build_hierarchy(source_of(s));
  EXPECT_EQ(a.vertices, b.vertices);
  ASSERT_EQ(a.made.size(), b.made.size());
  for (std::size_t i = 0; i < a.made.size(); ++i) EXPECT_EQ(a.made[i].position, b.made[i].position);
}

}  // namespace
}  // namespace assetc::mesh::cluster
