// Cluster levels of detail of meshes with morph targets: what is flat without weights may bulge with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "mesh/cluster/hierarchy.hpp"
#include "mesh/cluster_cut.hpp"
#include "mesh/shapes.hpp"
#include "mesh/surface_distance.hpp"

namespace assetc::mesh::cluster {
namespace {

using scene::Vec3;

constexpr float kFaceEdge = 0.01f;

// A grid whose targets make bulges and waves at random places, each in a direction of its own.
struct Face {
  Shape shape;
  std::vector<scene::MorphTarget> targets;
  std::vector<float> largest;

  Face(std::uint32_t columns, std::uint32_t rows, std::uint32_t target_count, bool is_flat)
      : shape(wavy_grid(columns, rows)), largest(target_count, 1.0f) {
    if (is_flat) {
      for (std::size_t v = 0; v < shape.positions.size(); ++v) shape.positions[v].y = 0, shape.normals[v] = {0, 1, 0};
    }
    std::mt19937 random(11);
    std::uniform_real_distribution<float> unit(-1, 1);
    const float width = kFaceEdge * static_cast<float>(columns), height = kFaceEdge * static_cast<float>(rows);
    for (std::uint32_t t = 0; t < target_count; ++t) {
      const Vec3 center{width * (unit(random) + 1) / 2, 0, height * (unit(random) + 1) / 2};
      const float radius = 0.3f + 0.15f * unit(random), frequency = 20 + 12 * unit(random);
      const Vec3 direction = scene::normalize_or({0.5f * unit(random), 1, 0.5f * unit(random)}, {0, 1, 0}) *
                             (0.05f + 0.03f * unit(random));
      scene::MorphTarget& target = targets.emplace_back();
      for (std::uint32_t v = 0; v < shape.positions.size(); ++v) {
        const float x = shape.positions[v].x - center.x, z = shape.positions[v].z - center.z;
        const float near = 1 - (x * x + z * z) / (radius * radius);
        if (near <= 0) continue;
        target.vertices.push_back(v);
        target.positions.push_back(direction * (near * near * (1 + 0.3f * std::sin(frequency * (x + z)))));
      }
    }
  }
  Source source() const {
    return {.positions = shape.positions,
            .normals = shape.normals,
            .texcoords = {},
            .colors = {},
            .skin = {},
            .shapes = {targets, largest},
            .indices = shape.indices,
            .materials = {}};
  }
  std::vector<Vec3> at(std::span<const float> weights) const {
    std::vector<Vec3> result = shape.positions;
    for (std::size_t t = 0; t < targets.size(); ++t) {
      for (std::size_t i = 0; i < targets[t].vertices.size(); ++i)
        result[targets[t].vertices[i]] = result[targets[t].vertices[i]] + targets[t].positions[i] * weights[t];
    }
    return result;
  }
};

std::vector<float> finite_errors(const Hierarchy& h) {
  std::vector<float> errors;
  for (const Group& g : h.groups) {
    if (std::isfinite(g.error)) errors.push_back(g.error);
  }
  std::ranges::sort(errors);
  return errors;
}

// Compares cuts with the source at random weights, each target alone, and all at once.
void expect_weights_within_errors(const Face& face) {
  const Hierarchy h = build_hierarchy(face.source());
  EXPECT_EQ(cut_at_error(h, std::numeric_limits<float>::max()).size(), 1u);
  const std::vector<float> errors = finite_errors(h);
  ASSERT_FALSE(errors.empty());
  std::mt19937 random(7);
  std::uniform_real_distribution<float> unit(0, 1);
  const std::size_t count = face.targets.size();
  for (std::size_t i = 0; i < 8; ++i) {
    const float error = errors[i * (errors.size() - 1) / 7];
    std::vector<float> weights(count);
    if (i % 4 == 0) {
      weights[i % count] = 1;
    } else if (i % 4 == 1) {
      weights.assign(count, 1.0f);
    } else {
      for (float& weight : weights) weight = unit(random);
    }
    const std::vector<Vec3> positions = face.at(weights);
    const auto indices = triangles_of(h, cut_at_error(h, error));
    const SampledSurface source(positions, face.shape.normals, face.shape.indices);
    const SampledSurface cut(positions, face.shape.normals, indices);
    const float allowed = error + 0.02f * kFaceEdge;
    EXPECT_LE(cut.distances_from(source, 1500).largest, allowed) << indices.size();
    EXPECT_LE(source.distances_from(cut, 1500).largest, allowed) << indices.size();
  }
}

TEST(ClusterShapes, random_weights_stay_within_the_errors) {
  for (const std::uint32_t targets : {1u, 2u, 4u}) {
    expect_weights_within_errors(Face(120, 90, targets, true));
    expect_weights_within_errors(Face(120, 90, targets, false));
  }
}

// Far more than there are dimensions; at some places most of them add up.
TEST(ClusterShapes, random_weights_of_many_targets_stay_within_the_errors) {
  expect_weights_within_errors(Face(120, 90, 52, true));
  expect_weights_within_errors(Face(120, 90, 52, false));
}

TEST(ClusterShapes, targets_that_add_up_stay_within_the_errors) {
  Face face(120, 90, 1, true);
  face.targets.resize(20, face.targets[0]);
  face.largest.resize(20, 1.0f);
  expect_weights_within_errors(face);
}

// Cuts of about as many triangles, built with and without the targets, at random weights.
TEST(ClusterShapes, targets_decide_where_triangles_stay) {
  const Face face(120, 90, 8, false);
  std::mt19937 random(3);
  std::uniform_real_distribution<float> unit(0, 1);
  std::vector<float> weights(8);
  for (float& weight : weights) weight = unit(random);
  const std::vector<Vec3> positions = face.at(weights);
  const SampledSurface source(positions, face.shape.normals, face.shape.indices);
  const auto distance = [&](const Source& from) {
    const Hierarchy h = build_hierarchy(from);
    for (const float error : finite_errors(h)) {
      const auto indices = triangles_of(h, cut_at_error(h, error));
      if (indices.size() / 3 > 2500) continue;
      return SampledSurface(positions, face.shape.normals, indices).distances_from(source, 3000).rms;
    }
    return 0.0;
  };
  Source plain = face.source();
  plain.shapes = {};
  EXPECT_LT(1.5 * distance(face.source()), distance(plain));
}

TEST(ClusterShapes, targets_that_move_nothing_change_nothing) {
  Face face(60, 50, 3, false);
  Source plain = face.source();
  plain.shapes = {};
  for (scene::MorphTarget& target : face.targets) target = {};
  const Hierarchy with = build_hierarchy(face.source()), without = build_hierarchy(plain);
  EXPECT_EQ(with.vertices, without.vertices);
  EXPECT_EQ(with.triangles, without.triangles);
}

// A weight may be larger than 1, and then counts as much more.
TEST(ClusterShapes, errors_count_the_largest_weights) {
  Face face(80, 60, 2, true);
  const auto root_error = [&] { return finite_errors(build_hierarchy(face.source())).back(); };
  const float usual = root_error();
  face.largest = {4, 4};
  EXPECT_GT(root_error(), 2 * usual);
}

// Two numbers for each vertex, moved by one target or by many.
TEST(ShapeSpace, keeps_the_distance_of_vertices_that_targets_move_apart) {
  for (const std::uint32_t count : {1u, 3u, 60u}) {
    std::vector<scene::MorphTarget> targets(count);
    std::mt19937 random(5);
    std::uniform_real_distribution<float> unit(-1, 1);
    for (scene::MorphTarget& target : targets) {
      for (std::uint32_t v = 0; v < 100; ++v) {
        target.vertices.push_back(v);
        target.positions.push_back({unit(random), unit(random), unit(random)});
      }
    }
    const std::vector<float> largest(count, 1.0f);
    const ShapeSpace space({targets, largest}, {}, false, 101);
    EXPECT_FALSE(space.is_empty());
    EXPECT_TRUE(space.is_still(std::array<std::uint32_t, 1>{100}));
    EXPECT_FALSE(space.is_still(std::array<std::uint32_t, 2>{100, 7}));
    for (std::uint32_t v = 0; v + 1 < 100; v += 2) {
      std::array<float, kSkinDimensions> a{}, b{};
      space.add(v, 2, a.data()), space.add(v + 1, 2, b.data());
      double found = 0, expected = 0;
      for (std::size_t d = 0; d < kSkinDimensions; ++d) found += (a[d] - b[d]) * (a[d] - b[d]);
      Vec3 sum;
      for (const scene::MorphTarget& target : targets) {
        const Vec3 difference = target.positions[v] - target.positions[v + 1];
        sum = sum + difference;
        expected += 4 * scene::dot(difference, difference);
      }
      if (count > 1) expected += 4 * scene::dot(sum, sum);
      EXPECT_NEAR(std::sqrt(found / expected), 1, count > 4 ? 0.6 : 1e-4) << count;
    }
  }
}

}  // namespace
}  // namespace assetc::mesh::cluster
