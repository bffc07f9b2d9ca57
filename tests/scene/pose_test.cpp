#include "scene/pose.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace assetc::scene {
namespace {

Scene bent_arm() {
  Scene scene;
  scene.nodes.resize(2);
  scene.nodes[1].parent = 0;
  scene.nodes[1].transform.translation = {0, 1, 0};
  Mat4 unbind;
  unbind.m[13] = -1;  // joint 1 sits at y = 1
  scene.skins.push_back({"arm", {0, 1}, {Mat4{}, unbind}});
  Channel turn{
      1, ChannelPath::kRotation, Interpolation::kLinear, {0, 2}, {0, 0, 0, 1, 0, 0, 1, 0}};  // half a turn about Z
  scene.clips.push_back({"bend", {turn}});
  return scene;
}

TEST(Pose, rotations_take_the_arc_and_clamp_at_the_ends) {
  const Scene scene = bent_arm();
  const auto quarter = pose_nodes(scene, scene.clips[0], 1)[1].transform.rotation;
  EXPECT_NEAR(quarter.z, 0.70710678f, 1e-5f);
  EXPECT_NEAR(quarter.w, 0.70710678f, 1e-5f);
  EXPECT_EQ(pose_nodes(scene, scene.clips[0], -5)[1].transform.rotation, (Quat{0, 0, 0, 1}));
  EXPECT_EQ(pose_nodes(scene, scene.clips[0], 9)[1].transform.rotation, (Quat{0, 0, 1, 0}));
}

TEST(Pose, a_cubic_spline_passes_through_its_keys) {
  Scene scene;
  scene.nodes.resize(1);
  const Channel c{0,
                  ChannelPath::kTranslation,
                  Interpolation::kCubicSpline,
                  {0, 1},
                  {9, 9, 9, 1, 2, 3, 0, 0, 0, 0, 0, 0, 5, 6, 7, 9, 9, 9}};
  const Clip clip{"", {c}};
  EXPECT_EQ(pose_nodes(scene, clip, 0)[0].transform.translation, (Vec3{1, 2, 3}));
  EXPECT_EQ(pose_nodes(scene, clip, 0.5f)[0].transform.translation, (Vec3{3, 4, 5}));
  EXPECT_EQ(pose_nodes(scene, clip, 1)[0].transform.translation, (Vec3{5, 6, 7}));
}

TEST(Pose, keys_of_one_time_are_moved_apart_and_jump_all_the_same) {
  std::vector<float> times{0, 0, 1, 1, 1, 3};
  EXPECT_EQ(separate_keys(times), 3u);
  EXPECT_TRUE(std::ranges::adjacent_find(times, std::greater_equal{}) == times.end());
  EXPECT_EQ(times[0], 0);
  EXPECT_EQ(times[2], 1);
  EXPECT_FLOAT_EQ(times[4], 1);
  EXPECT_EQ(times[5], 3);
  EXPECT_EQ(separate_keys(times), 0u);
  Scene scene;
  scene.nodes.resize(1);
  const Channel c{0,
                  ChannelPath::kTranslation,
                  Interpolation::kLinear,
                  times,
                  {0, 0, 0, 1, 0, 0, 2, 0, 0, 7, 0, 0, 8, 0, 0, 10, 0, 0}};
  EXPECT_EQ(pose_nodes(scene, {"", {c}}, 2)[0].transform.translation, (Vec3{9, 0, 0}));
  EXPECT_NEAR(pose_nodes(scene, {"", {c}}, 0.999f)[0].transform.translation.x, 2, 0.01f);
}

TEST(Pose, skinning_moves_what_the_joint_holds_and_nothing_else) {
  Scene scene = bent_arm();
  Primitive p;
  p.positions = {{0, 2, 0}, {0, 0.5f, 0}, {7, 7, 7}};
  p.influences.resize(1);
  p.influences[0].joints = {{{1, 0, 0, 0}}, {{0, 0, 0, 0}}, {{900, 0, 0, 0}}};
  p.influences[0].weights = {{1, 0, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, 0}};
  scene.nodes = pose_nodes(scene, scene.clips[0], 2);
  std::vector<Vec3> positions, normals;
  skin_vertices(p, scene.skins[0], world_matrices(scene), positions, normals);
  EXPECT_NEAR(positions[0].y, 0, 1e-5f) << "one above the elbow, turned by half a turn";
  EXPECT_NEAR(positions[1].y, 0.5f, 1e-5f);
  EXPECT_EQ(positions[2], (Vec3{7, 7, 7})) << "a joint out of range has no influence";
}

}  // namespace
}  // namespace assetc::scene
