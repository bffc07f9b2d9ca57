// Cluster levels of detail of skinned meshes: what is flat in the bind pose may bend in others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "mesh/cluster/hierarchy.hpp"
#include "mesh/cluster_cut.hpp"
#include "mesh/shapes.hpp"
#include "mesh/surface_distance.hpp"

namespace assetc::mesh::cluster {
namespace {

using scene::Mat4;
using scene::Vec3;

constexpr float kEdge = 0.01f;

// A strip along x whose joints follow each other like those of a finger. Each vertex follows two joints.
struct Strip {
  Shape shape;
  std::vector<hmesh::GpuSkinVertex> skin;
  std::uint32_t joint_count;
  float joint_length;

  Strip(std::uint32_t columns, std::uint32_t rows, std::uint32_t joints, bool is_flat)
      : shape(wavy_grid(columns, rows)), joint_count(joints) {
    joint_length = 0.01f * static_cast<float>(columns - 1) / static_cast<float>(joints);
    for (std::size_t v = 0; v < shape.positions.size(); ++v) {
      Vec3& p = shape.positions[v];
      if (is_flat) p.y = 0, shape.normals[v] = {0, 1, 0};
      const float along = std::clamp(p.x / joint_length - 0.5f, 0.0f, static_cast<float>(joints - 1) - 1e-3f);
      const auto joint = static_cast<std::uint16_t>(along);
      const float weight = along - static_cast<float>(joint);
      skin.push_back({{joint, static_cast<std::uint16_t>(joint + 1), 0, 0}, {1 - weight, weight, 0, 0}});
    }
  }
  Source source() const {
    return {.positions = shape.positions,
            .normals = shape.normals,
            .texcoords = {},
            .colors = {},
            .skin = {skin, {}},
            .indices = shape.indices,
            .materials = {}};
  }

  // Bends each joint by up to most_radians around an axis of its own.
  std::vector<Mat4> random_pose(std::mt19937& random, float most_radians) const {
    std::uniform_real_distribution<float> unit(-1, 1);
    std::vector<Mat4> pose;
    Mat4 above;
    for (std::uint32_t j = 0; j < joint_count; ++j) {
      const Vec3 axis = scene::normalize_or({0.2f * unit(random), 0.2f * unit(random), unit(random)}, {0, 0, 1});
      const float half = unit(random) * most_radians / 2;
      const Vec3 pivot{static_cast<float>(j) * joint_length, 0, 0};
      const scene::Quat turn{axis.x * std::sin(half), axis.y * std::sin(half), axis.z * std::sin(half), std::cos(half)};
      above = above * scene::to_matrix({pivot, turn, {1, 1, 1}}) *
              scene::to_matrix({pivot * -1.0f, {0, 0, 0, 1}, {1, 1, 1}});
      pose.push_back(above);
    }
    return pose;
  }
  std::vector<Vec3> posed(std::span<const Mat4> pose) const {
    std::vector<Vec3> result;
    for (std::size_t v = 0; v < skin.size(); ++v) {
      Vec3 sum{};
      for (std::size_t i = 0; i < 4; ++i) {
        const Mat4& joint = pose[skin[v].joints[i]];
        sum = sum + scene::transform_point(joint, shape.positions[v]) * skin[v].weights[i];
      }
      result.push_back(sum);
    }
    return result;
  }
};

// Compares posed cuts with the posed source. Between vertices, a triangle that bends twists a little.
void expect_poses_within_errors(const Strip& strip, float most_radians) {
  const Hierarchy h = build_hierarchy(strip.source());
  EXPECT_GT(h.weights.skin, 0);
  EXPECT_EQ(cut_at_error(h, std::numeric_limits<float>::max()).size(), 1u);
  std::vector<float> errors;
  for (const Group& g : h.groups) {
    if (std::isfinite(g.error)) errors.push_back(g.error);
  }
  std::ranges::sort(errors);
  ASSERT_FALSE(errors.empty());
  std::mt19937 random(7);
  for (int i = 0; i < 6; ++i) {
    const float error = errors[static_cast<std::size_t>(i) * (errors.size() - 1) / 5];
    const std::vector<Mat4> pose = strip.random_pose(random, most_radians);
    const std::vector<Vec3> positions = strip.posed(pose);
    const auto indices = triangles_of(h, cut_at_error(h, error));
    const SampledSurface source(positions, strip.shape.normals, strip.shape.indices);
    const SampledSurface cut(positions, strip.shape.normals, indices);
    const float allowed = error + 0.04f * kEdge;
    EXPECT_LE(cut.distances_from(source, 1500).largest, allowed) << indices.size();
    EXPECT_LE(source.distances_from(cut, 1500).largest, allowed) << indices.size();
  }
}

TEST(ClusterSkin, random_poses_stay_within_the_errors) {
  expect_poses_within_errors(Strip(160, 120, 6, true), 1.0f);
  expect_poses_within_errors(Strip(160, 120, 6, false), 1.0f);
}

// Far more than there are dimensions.
TEST(ClusterSkin, random_poses_of_many_joints_stay_within_the_errors) {
  expect_poses_within_errors(Strip(600, 30, 60, true), 0.3f);
}

// Cuts of about as many triangles, built with and without the joints, in a pose.
TEST(ClusterSkin, joints_decide_where_triangles_stay) {
  const Strip strip(160, 120, 6, false);
  std::mt19937 random(7);
  const std::vector<Vec3> positions = strip.posed(strip.random_pose(random, 1.0f));
  const SampledSurface source(positions, strip.shape.normals, strip.shape.indices);
  const auto distance = [&](const Source& from) {
    const Hierarchy h = build_hierarchy(from);
    std::vector<float> errors(h.groups.size());
    std::ranges::transform(h.groups, errors.begin(), &Group::error);
    std::ranges::sort(errors);
    for (const float error : errors) {
      const auto indices = triangles_of(h, cut_at_error(h, error));
      if (indices.size() / 3 > 2500) continue;
      return SampledSurface(positions, strip.shape.normals, indices).distances_from(source, 3000).rms;
    }
    return 0.0;
  };
  Source rigid = strip.source();
  rigid.skin = {};
  EXPECT_LT(3 * distance(strip.source()), distance(rigid));
}

TEST(ClusterSkin, one_joint_for_all_vertices_changes_nothing) {
  Strip strip(60, 50, 2, false);
  for (hmesh::GpuSkinVertex& v : strip.skin) v = {{5, 0, 0, 0}, {1, 0, 0, 0}};
  Source rigid = strip.source();
  rigid.skin = {};
  const Hierarchy with = build_hierarchy(strip.source()), without = build_hierarchy(rigid);
  EXPECT_EQ(with.vertices, without.vertices);
  EXPECT_EQ(with.triangles, without.triangles);
}

TEST(SkinSpace, keeps_the_distance_of_vertices_that_joints_move_apart) {
  const Strip strip(160, 120, 40, true);
  const SkinSpace space({strip.skin, {}}, strip.shape.positions);
  std::vector<std::uint32_t> all(strip.skin.size());
  for (std::uint32_t v = 0; v < all.size(); ++v) all[v] = v;
  const SkinSpace::Frame frame = space.frame_of(all, {}, 2);
  const auto distance = [&](std::uint32_t a, std::uint32_t b) {
    std::array<float, kSkinDimensions> from{}, to{};
    space.project(a, frame, from.data()), space.project(b, frame, to.data());
    float sum = 0;
    for (std::size_t d = 0; d < kSkinDimensions; ++d) sum += (from[d] - to[d]) * (from[d] - to[d]);
    return std::sqrt(sum);
  };
  // Two vertices that follow other joints: each has about two weights of a half.
  std::mt19937 random(3);
  double total = 0;
  constexpr int kPairs = 200;
  for (int i = 0; i < kPairs; ++i) {
    const auto a = static_cast<std::uint32_t>(random() % 50), b = 80 + static_cast<std::uint32_t>(random() % 50);
    total += static_cast<double>(distance(a, b)) / (2 * static_cast<double>(space.weight_unit()));
  }
  EXPECT_GT(total / kPairs, 0.7);
  EXPECT_LT(total / kPairs, 20);
  EXPECT_EQ(distance(5, 5), 0);
}

}  // namespace
}  // namespace assetc::mesh::cluster
