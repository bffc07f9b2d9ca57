#include "assetc/runtime/animation.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include "assetc/runtime/all_loaders.hpp"
#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/scene.hpp"
#include "runtime/allocations.hpp"
#include "runtime/cooked.hpp"

namespace assetc::runtime {
namespace {

using hanim::Path;
using testing::ElementsAre;
using testing::FloatNear;
using testing::Pointwise;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// A rotation about an axis, in degrees.
std::array<float, 4> turn(std::array<float, 3> axis, double degrees) {
  const double half = degrees * std::numbers::pi / 360;
  const auto sine = static_cast<float>(std::sin(half));
  return {axis[0] * sine, axis[1] * sine, axis[2] * sine, static_cast<float>(std::cos(half))};
}
std::array<float, 4> about_z(double degrees) { return turn({0, 0, 1}, degrees); }

auto near(const std::array<float, 4>& expected) { return Pointwise(FloatNear(1e-6f), expected); }

void append_to(std::vector<float>& values, std::span<const float> more) {
  values.insert(values.end(), more.begin(), more.end());
}

// The value of a curve with a new cursor.
std::array<float, 4> fresh(const Curve& curve, float time) {
  std::uint32_t cursor = 0;
  return curve.at(time, cursor);
}

TEST(Animation, steps_hold_and_lines_are_straight) {
  const std::vector<float> times{1, 2, 4}, values{0, 0, 0, 2, 4, 8, 6, 6, 6};
  const Curve step(Path::kTranslation, Interpolation::kStep, times, values);
  EXPECT_THAT(fresh(step, 1.999f), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(fresh(step, 2), ElementsAre(2, 4, 8, 0));
  const Curve line(Path::kScale, Interpolation::kLinear, times, values);
  EXPECT_THAT(fresh(line, 1.5f), ElementsAre(1, 2, 4, 0));
  EXPECT_THAT(fresh(line, 3), ElementsAre(4, 5, 7, 0));
  for (const Curve& curve : {step, line}) {
    EXPECT_THAT(fresh(curve, -3), ElementsAre(0, 0, 0, 0));
    EXPECT_THAT(fresh(curve, kNan), ElementsAre(0, 0, 0, 0));
    EXPECT_THAT(fresh(curve, 4), ElementsAre(6, 6, 6, 0));
    EXPECT_THAT(fresh(curve, kInfinity), ElementsAre(6, 6, 6, 0));
  }
}

TEST(Animation, rotations_turn_evenly_on_the_shorter_arc) {
  const std::vector<float> times{0, 1, 2};
  std::vector<float> values;
  append_to(values, about_z(0));
  append_to(values, about_z(120));
  auto other_sign = about_z(130);
  for (float& v : other_sign) v = -v;
  append_to(values, other_sign);
  const Curve curve(Path::kRotation, Interpolation::kLinear, times, values);
  EXPECT_THAT(fresh(curve, 0.25f), near(about_z(30)));
  EXPECT_THAT(fresh(curve, 0.75f), near(about_z(90)));
  EXPECT_THAT(fresh(curve, 1.5f), near(about_z(125)));
  // Half a turn is equally far in both directions: any unit quaternion is valid.
  const std::vector<float> ends{0, 0, 0, 1, 0, 0, 0, -1};
  EXPECT_THAT(fresh(Curve(Path::kRotation, Interpolation::kLinear, std::span(times).first(2), ends), 0.5f),
              near({0, 0, 0, 1}));
  // A key that is not unit, one of length zero, and one whose length is not a float.
  const std::vector<float> long_ones{0, 0, 0, 3, 0, 0, 0, 0, 1e30f, 1e30f, 0, 0};
  const Curve odd(Path::kRotation, Interpolation::kStep, times, long_ones);
  for (const float time : times) EXPECT_THAT(fresh(odd, time), ElementsAre(0, 0, 0, 1));
}

TEST(Animation, splines_have_tangents_per_second_and_unit_rotations) {
  // From 0 to 10 in 2 s, with a slope of 5 a second at the start and of -1 at the end: at t = 1/4 by Hermite's
  // polynomials.
  const std::vector<float> times{1, 3};
  const std::vector<float> values{9, 9, 9, 0, 0, 0, 5, 0, 0, -1, 0, 0, 10, 0, 0, 9, 9, 9};
  const Curve curve(Path::kTranslation, Interpolation::kCubicSpline, times, values);
  EXPECT_THAT(fresh(curve, 1), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(fresh(curve, 3), ElementsAre(10, 0, 0, 0));
  EXPECT_FLOAT_EQ(fresh(curve, 1.5f)[0], 2 * 5 * 0.140625f + 10 * 0.15625f - 2 * -0.046875f);
  std::vector<float> turns{0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0};
  const std::array<float, 4> q = fresh(Curve(Path::kRotation, Interpolation::kCubicSpline, times, turns), 2);
  EXPECT_NEAR(q[2] * q[2] + q[3] * q[3], 1, 1e-6);
  EXPECT_NEAR(q[2] / q[3], (2 * 4 * 0.125f + 0.5f) / 0.5f, 1e-5);
}

TEST(Animation, of_keys_at_one_time_the_last_counts) {
  const std::vector<float> times{0, 1, 1, 1, 2}, values{0, 0, 0, 1, 0, 0, 2, 0, 0, 5, 0, 0, 6, 0, 0};
  const Curve curve(Path::kTranslation, Interpolation::kLinear, times, values);
  EXPECT_EQ(fresh(curve, 0.5f)[0], 0.5f);
  EXPECT_EQ(fresh(curve, 1)[0], 5);
  EXPECT_EQ(fresh(curve, 1.5f)[0], 5.5f);
}

TEST(Animation, a_cursor_changes_nothing_but_the_search) {
  std::vector<float> times, values;
  for (int i = 0; i < 300; ++i) {
    times.push_back(static_cast<float>(i) * 0.1f + static_cast<float>(i % 7) * 0.01f);
    append_to(values, std::array{static_cast<float>(i * i % 31), 0.0f, 0.0f});
  }
  const Curve curve(Path::kTranslation, Interpolation::kLinear, times, values);
  std::uint32_t forward = 0, everywhere = 0, broken = 0, noise = 1;
  for (int i = -10; i < 1300; ++i) {
    const float time = static_cast<float>(i) * 0.025f;
    const std::array<float, 4> expected = fresh(curve, time);
    ASSERT_EQ(curve.at(time, forward), expected) << time;
    noise = noise * 1664525 + 1013904223;
    const float anywhere = static_cast<float>(noise >> 8) * 0x1p-24f * 32;
    ASSERT_EQ(curve.at(anywhere, everywhere), fresh(curve, anywhere)) << anywhere;
    broken = noise;
    ASSERT_EQ(curve.at(time, broken), expected) << time;
    ASSERT_LT(broken, times.size());
  }
}

TEST(Animation, times_are_clamped_or_come_around) {
  EXPECT_EQ(time_in_clip(2.5f, 2, Playback::kClamp), 2);
  EXPECT_EQ(time_in_clip(-1, 2, Playback::kClamp), 0);
  EXPECT_EQ(time_in_clip(2.5f, 2, Playback::kLoop), 0.5f);
  EXPECT_EQ(time_in_clip(2, 2, Playback::kLoop), 0);
  EXPECT_EQ(time_in_clip(-0.5f, 2, Playback::kLoop), 1.5f);
  EXPECT_EQ(time_in_clip(-1e-30f, 2, Playback::kLoop), 0);
  for (const float odd : {kNan, kInfinity, -kInfinity}) EXPECT_EQ(time_in_clip(odd, 2, Playback::kLoop), 0);
  for (const float odd : {kNan, 0.0f, -1.0f}) EXPECT_EQ(time_in_clip(1, odd, Playback::kClamp), 0);
}

// The parent of joint 1 is joint 2, whose parent is joint 0.
std::vector<hmesh::GpuJoint> arm() {
  std::vector<hmesh::GpuJoint> joints(3);
  const std::array<std::int32_t, 3> parents{hmesh::kNoParent, 2, 0};
  for (std::size_t j = 0; j < joints.size(); ++j) {
    joints[j].parent = parents[j];
    joints[j].rotation[3] = 1;
    joints[j].translation[0] = j == 0 ? 0.0f : 1.0f;
    for (float& s : joints[j].scale) s = 1;
    for (const std::size_t i : {0, 5, 10, 15}) joints[j].inverse_bind[i] = 1;
  }
  joints[2].inverse_bind[12] = -1;
  joints[1].inverse_bind[12] = -2;
  return joints;
}

// Two joints bend; one of them has a name that the mesh does not have.
ByteVector wave() {
  std::vector<float> turns;
  append_to(turns, about_z(0));
  append_to(turns, about_z(90));
  return hanim::write(std::vector<hanim::Clip>{
                          {"wave",
                           2,
                           {{2, Path::kRotation, hanim::Interpolation::kLinear, {0, 2}, turns},
                            {9, Path::kScale, hanim::Interpolation::kLinear, {0}, {7, 7, 7}},
                            {0, Path::kTranslation, hanim::Interpolation::kStep, {0, 1}, {0, 0, 0, 0, 0, 5}}}}})
      .value();
}

std::array<float, 3> moved(const Matrix& m, std::array<float, 3> p) {
  std::array<float, 3> out{};
  for (std::size_t r = 0; r < 3; ++r) out[r] = m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r];
  return out;
}

TEST(Animation, clips_of_another_file_move_joints_of_their_names) {
  const std::vector<hanim::Joint> joints{
      {"root", -1, {.translation = {0, 0, 7}, .scale = {2, 2, 2}}}, {"hand", 0, {}}, {"arm", 0, {}}};
  const ByteVector file = hanim::write(std::vector<hanim::Clip>{{"wave",
                                                                 1,
                                                                 {{1, Path::kTranslation, {}, {0}, {1, 2, 3}},
                                                                  {2, Path::kScale, {}, {0}, {4, 5, 6}},
                                                                  {0, Path::kTranslation, {}, {0}, {9, 9, 9}}}}},
                                       joints)
                              .value();
  const auto clips = hanim::View::open(file);
  ASSERT_TRUE(clips);
  const std::vector<std::string_view> mesh{"body", "arm", "hand"};
  std::vector<Transform> pose(3);
  const std::vector<hanim::Match> matches = hanim::match_joints(clips->joints(), mesh);
  const std::size_t before = allocations;
  sample(clips->clips()[0], 0, {}, pose, matches);
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(pose[0], Transform{});
  EXPECT_THAT(pose[1].scale, ElementsAre(8, 10, 12));
  EXPECT_THAT(pose[2].translation, ElementsAre(2, 4, 13));
  // A mesh with none of these joints stays at rest.
  std::vector<Transform> other(3);
  sample(clips->clips()[0], 0, {}, other, hanim::match_joints(clips->joints(), std::vector<std::string_view>{"wheel"}));
  for (const Transform& t : other) EXPECT_EQ(t, Transform{});
}

TEST(Animation, a_clip_bends_an_arm_whose_parents_come_later) {
  const std::vector<hmesh::GpuJoint> joints = arm();
  const Hierarchy skeleton(joints);
  EXPECT_THAT(skeleton.order(), ElementsAre(0, 2, 1));
  std::vector<Transform> pose(skeleton.rest().begin(), skeleton.rest().end());
  std::vector<Matrix> model(3), skin(3);
  skeleton.model_matrices(pose, model);
  skinning_matrices(joints, {}, model, skin);
  for (const Matrix& m : skin) EXPECT_EQ(m, to_matrix({}));

  // At an offset of one byte: keys need no alignment.
  ByteVector file = wave();
  file.insert(file.begin(), std::byte{});
  const auto clips = hanim::View::open(ByteSpan(file).subspan(1));
  ASSERT_TRUE(clips);
  std::vector<std::uint32_t> cursors(3);
  const std::size_t before = allocations;
  sample(clips->clips()[0], 2, cursors, pose);
  blend(skeleton.rest(), pose, 1, pose);
  skeleton.model_matrices(pose, model);
  skinning_matrices(joints, {}, model, skin);
  EXPECT_EQ(allocations, before);
  EXPECT_THAT(moved(model[1], {0, 0, 0}), Pointwise(FloatNear(1e-6f), {1.0f, 1.0f, 5.0f}));
  EXPECT_THAT(moved(skin[1], {3, 0, 0}), Pointwise(FloatNear(1e-6f), {1.0f, 2.0f, 5.0f}));

  std::vector<Transform> again(skeleton.rest().begin(), skeleton.rest().end());
  sample(clips->clips()[0], 2, {}, again);
  EXPECT_EQ(again, pose);
  const std::vector<Transform> whole = pose;
  sample(clips->clips()[0], 0, cursors, std::span(pose).first(1));
  EXPECT_EQ(pose[2], whole[2]);
  EXPECT_EQ(pose[0], Transform{});
}

TEST(Animation, poses_are_blended_by_weight_and_mask) {
  const std::vector<Transform> a(3);
  const std::vector<Transform> b(3, {{2, 4, 6}, about_z(60), {3, 3, 3}});
  std::vector<Transform> out(3);
  for (const RotationBlend how : {RotationBlend::kNlerp, RotationBlend::kSlerp}) {
    blend(a, b, 0.5f, out, {}, how);
    EXPECT_THAT(out[1].translation, ElementsAre(1, 2, 3));
    EXPECT_THAT(out[1].rotation, near(about_z(30)));
    EXPECT_THAT(out[1].scale, ElementsAre(2, 2, 2));
  }
  blend(a, b, 0.25f, out, {}, RotationBlend::kSlerp);
  EXPECT_THAT(out[0].rotation, near(about_z(15)));
  blend(a, b, 0.5f, out, std::array{0.0f, 0.5f, 1.0f});
  EXPECT_EQ(out[0], a[0]);
  EXPECT_THAT(out[1].translation, ElementsAre(0.5f, 1, 1.5f));
  EXPECT_THAT(out[2].translation, ElementsAre(1, 2, 3));

  // q and -q are the same rotation.
  std::vector<Transform> same = b;
  for (Transform& t : same) {
    for (float& v : t.rotation) v = -v;
  }
  blend(b, same, 0.5f, same);
  EXPECT_THAT(same[0].rotation, near(about_z(60)));
}

TEST(Animation, cooked_clips_move_the_nodes_of_their_model) {
  // Node 1 of the model is the root; joints 0 and 1 are its nodes 2 and 0.
  std::vector<aas1::ModelNode> nodes(3);
  for (aas1::ModelNode& node : nodes) {
    node.parent = node.detail_of = aas1::ModelNode::kNone;
    node.rotation[3] = 1;
    for (float& s : node.scale) s = 1;
  }
  nodes[0].parent = 2;
  nodes[2].parent = 1;
  nodes[0].translation[1] = 1;
  std::vector<hmesh::GpuJoint> joints = arm();
  joints.pop_back();
  joints[1].parent = 0;
  const std::vector<hanim::Clip> walk{
      {"walk", 1, {{1, Path::kTranslation, hanim::Interpolation::kLinear, {0, 1}, {0, 0, 0, 8, 0, 0}}}}};

  Files files;
  Cooked cooked;
  cooked.add(uuid(1), {AssetType::kModel, "Demo/Model", aas1::write_model(nodes, {}).value(), {}, {}});
  cooked.add(uuid(2), {AssetType::kSkeleton,
                       "Demo/Skeleton",
                       aas1::write_skeleton(joints, {}, std::vector<std::uint32_t>{2, 0}).value(),
                       {},
                       {}});
  cooked.add(
      uuid(3),
      {AssetType::kAnimation,
       "Demo/Walk",
       aas1::write_payload(aas1::Type::kAnimation, aas1::kEncodingHanim, hanim::write(walk).value(), uuid(1)).value(),
       {},
       {}});
  cooked.put(files);
  Catalog catalog;
  ASSERT_TRUE(catalog.mount(files.source(), Layout::kCooked, "cooked"));
  Manager manager(std::move(catalog), {.io_thread = false});
  add_loaders(manager, {});
  const auto animation = manager.load<AnimationData>(*manager.catalog().find(uuid(3)));
  const auto skeleton = manager.load<SkeletonData>(*manager.catalog().find(uuid(2)));
  ASSERT_TRUE(animation.is_ready() && skeleton.is_ready());
  const auto model = manager.load<SceneData>(animation.get()->model);
  ASSERT_TRUE(model.is_ready());

  const Hierarchy tree(model.get()->model()->nodes());
  std::vector<Transform> pose(tree.rest().begin(), tree.rest().end());
  std::vector<Matrix> matrices(tree.size()), skin(2);
  sample(animation.get()->clips.clips()[0], 0.25f, {}, pose);
  tree.model_matrices(pose, matrices);
  skinning_matrices(skeleton.get()->view.joints(), skeleton.get()->view.nodes(), matrices, skin);
  EXPECT_THAT(moved(skin[0], {0, 0, 0}), ElementsAre(2, 0, 0));
  EXPECT_THAT(moved(skin[1], {2, 0, 0}), ElementsAre(2, 1, 0));
  skinning_matrices(skeleton.get()->view.joints(), skeleton.get()->view.nodes(), std::span(matrices).first(1), skin);
  EXPECT_EQ(skin[0], to_matrix({}));
}

}  // namespace
}  // namespace assetc::runtime
