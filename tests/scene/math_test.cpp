#include "scene/math.hpp"

#include <gtest/gtest.h>

#include "scene/scene.hpp"

namespace assetc::scene {
namespace {

void expect_near(Vec3 a, Vec3 b) {
  EXPECT_NEAR(a.x, b.x, 1e-5f);
  EXPECT_NEAR(a.y, b.y, 1e-5f);
  EXPECT_NEAR(a.z, b.z, 1e-5f);
}

const Transform kTurned{{1, 2, 3}, {0, 0.70710678f, 0, 0.70710678f}, {2, 3, 4}};

TEST(Math, a_matrix_applies_scale_then_rotation_then_translation) {
  // A quarter turn about +Y maps +X to -Z.
  expect_near(transform_point(to_matrix(kTurned), {1, 0, 0}), {1, 2, 1});
}

TEST(Math, decompose_is_the_inverse_of_to_matrix) {
  const Transform t = decompose(to_matrix(kTurned));
  expect_near(t.translation, kTurned.translation);
  expect_near(t.scale, kTurned.scale);
  EXPECT_NEAR(std::abs(t.rotation.y), kTurned.rotation.y, 1e-5f);
}

TEST(Math, decompose_keeps_a_mirror_as_a_negative_x_scale) {
  const Transform mirror{{}, {}, {-1, 1, 1}};
  EXPECT_LT(decompose(to_matrix(mirror)).scale.x, 0);
}

TEST(Math, normals_stay_perpendicular_under_uneven_and_mirrored_scale) {
  for (const Vec3 scale : {Vec3{1, 4, 1}, Vec3{-1, 4, 1}}) {
    const Mat4 m = to_matrix({{}, {}, scale});
    const Vec3 along = transform_direction(m, {1, -1, 0});
    const Vec3 normal = transform_normal(m, {1, 1, 0});
    EXPECT_NEAR(dot(along, normal), 0, 1e-5f);
    EXPECT_GT(dot(normal, transform_direction(m, {1, 1, 0})), 0) << "a mirrored normal still points outwards";
  }
}

TEST(Math, a_product_of_rotations_turns_by_the_second_first) {
  const float h = std::sqrt(0.5f);
  const Quat about_x{h, 0, 0, h}, about_y{0, h, 0, h};
  const auto turn = [](Quat q, Vec3 v) { return transform_point(to_matrix(Transform{{}, q, {1, 1, 1}}), v); };
  for (const Vec3 v : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0.5f, -2, 3}}) {
    expect_near(turn(about_x * about_y, v), turn(about_x, turn(about_y, v)));
    expect_near(turn(about_y * about_x, v), turn(about_y, turn(about_x, v)));
  }
}

TEST(Scene, world_matrices_work_when_a_parent_stands_after_its_child) {
  Scene scene;
  scene.nodes.resize(3);
  scene.nodes[0].parent = 2;
  scene.nodes[0].transform.translation = {1, 0, 0};
  scene.nodes[2].parent = 1;
  scene.nodes[2].transform.translation = {0, 1, 0};
  scene.nodes[1].transform.translation = {0, 0, 1};
  expect_near(transform_point(world_matrices(scene)[0], {}), {1, 1, 1});
}

}  // namespace
}  // namespace assetc::scene
