#include "mesh/pose_bounds.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "mesh/joints.hpp"

namespace assetc::mesh {
namespace {

// A rod of two vertices at x = 1 and x = 3 in mesh space, moved by joint 0, whose parent is joint 1. The root doubles
// sizes and lifts by 10, as an armature with other units does.
Mesh rod() {
  Mesh m;
  m.positions = {{1, 0, 0}, {3, 0, 0}};
  const hmesh::GpuSkinVertex bound{{0, 0, 0, 0}, {1, 0, 0, 0}};
  m.skin = {bound, bound};
  m.joints = {joint_of({}, {}, 1), joint_of({}, {{0, 10, 0}, {}, {2, 2, 2}}, hmesh::kNoParent)};
  return m;
}

hanim::Clip turn() {
  hanim::Clip clip;
  clip.duration_seconds = 1;
  const float half = std::sqrt(0.5f);  // a quarter turn around z
  clip.channels.push_back(
      {0, hanim::Path::kRotation, hanim::Interpolation::kLinear, {0, 1}, {0, 0, 0, 1, 0, 0, half, half}});
  return clip;
}

TEST(PoseBounds, are_where_the_skeleton_puts_the_mesh) {
  const Mesh m = rod();
  const std::vector<hanim::Clip> clips{turn()};
  const auto bounds = pose_bounds(m, clips);
  ASSERT_EQ(bounds.size(), 2u);
  EXPECT_EQ(bounds[0], (hmesh::MeshBounds{{2, 10, 0}, {6, 10, 0}, {4, 10, 0}, bounds[0].sphere_radius}));
  EXPECT_NEAR(bounds[0].sphere_radius, 2, 1e-5);
  // The rod turns from the x axis to the y axis; the bounds include the arc between.
  EXPECT_NEAR(bounds[1].aabb_min[0], 0, 1e-5);
  EXPECT_NEAR(bounds[1].aabb_max[0], 6, 1e-5);
  EXPECT_NEAR(bounds[1].aabb_min[1], 10, 1e-5);
  EXPECT_NEAR(bounds[1].aabb_max[1], 16, 1e-5);
}

TEST(PoseBounds, of_a_jump_hold_both_of_its_ends) {
  hanim::Clip clip;
  clip.duration_seconds = 2;
  clip.channels.push_back({0,
                           hanim::Path::kTranslation,
                           hanim::Interpolation::kLinear,
                           {0, 1, 1, 2},
                           {0, 0, 0, 50, 0, 0, 0, 0, -50, 0, 0, -50}});
  const std::vector<hanim::Clip> clips{clip};
  const auto bounds = pose_bounds(rod(), clips);
  ASSERT_EQ(bounds.size(), 2u);
  EXPECT_NEAR(bounds[1].aabb_max[0], 106, 1e-3);
  EXPECT_NEAR(bounds[1].aabb_min[2], -100, 1e-3);
}

TEST(PoseBounds, are_left_out_where_a_pose_leaves_the_range_of_a_float) {
  Mesh m = rod();
  m.joints[1].scale[0] = std::numeric_limits<float>::max();
  EXPECT_TRUE(pose_bounds(m, {}).empty());
  m = rod();
  m.skin.clear();
  m.joints.clear();
  EXPECT_TRUE(pose_bounds(m, {}).empty());
}

TEST(PoseBounds, of_many_keys_take_bounded_time) {
  Mesh m = rod();
  m.joints.resize(4000, m.joints[1]);
  hanim::Clip clip = turn();
  hanim::Channel& channel = clip.channels[0];
  channel.times.clear();
  channel.values.clear();
  for (int k = 0; k < 50000; ++k) {
    channel.times.push_back(static_cast<float>(k));
    channel.values.insert(channel.values.end(), {0, 0, 0, 1});
  }
  const std::vector<hanim::Clip> clips(4, clip);
  EXPECT_EQ(pose_bounds(m, clips).size(), 5u);
}

}  // namespace
}  // namespace assetc::mesh
