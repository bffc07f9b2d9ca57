#include "scene/spline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "scene/pose.hpp"

namespace assetc::scene {
namespace {

// The transform that a channel gives a node, computed by the scene's sampler.
Transform posed(const Channel& channel, float time) {
  Scene scene;
  scene.nodes.resize(1);
  return pose_nodes(scene, {"", {channel}}, time)[0].transform;
}

TEST(Spline, straight_pieces_stay_near_the_curve) {
  const Channel wave{0,
                     ChannelPath::kTranslation,
                     Interpolation::kCubicSpline,
                     {0.5f, 1, 3},
                     {0, 0, 0, 0, 0, 0, 8, 0, 0, 8, 0, 0, 1, 2, 3, -4, 0, 1, 0, 0, 0, 2, 2, 2, 0, 0, 0}};
  const Channel straight = straighten(wave);
  EXPECT_EQ(straight.interpolation, Interpolation::kLinear);
  EXPECT_GT(straight.times_seconds.size(), 10u);
  EXPECT_LE(straight.times_seconds.size(), 1 + 2 * std::size_t{kMaxSplinePieces});
  EXPECT_TRUE(std::ranges::adjacent_find(straight.times_seconds, std::greater_equal{}) == straight.times_seconds.end());
  for (const float time : wave.times_seconds) {
    EXPECT_EQ(std::ranges::count(straight.times_seconds, time), 1);
    EXPECT_EQ(posed(straight, time).translation, posed(wave, time).translation);
  }
  // It moves by less than 8 in all: the bound is 8 / 2048, plus the deviation between the examined points.
  for (int i = 0; i <= 400; ++i) {
    const float time = 0.4f + static_cast<float>(i) * 0.007f;
    const Vec3 off = posed(straight, time).translation - posed(wave, time).translation;
    ASSERT_LT(length(off), 0.006f) << time;
  }
}

TEST(Spline, rotations_stay_near_the_curve_and_unit) {
  const Channel turn{
      0, ChannelPath::kRotation, Interpolation::kCubicSpline, {0, 2}, {0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0.5f, 0,
                                                                       0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0,    0}};
  const Channel straight = straighten(turn);
  for (int i = 0; i <= 200; ++i) {
    const float time = static_cast<float>(i) * 0.01f;
    const Quat a = posed(straight, time).rotation, b = posed(turn, time).rotation;
    // The chord between unit quaternions is half of the angle between the rotations, in radians.
    const float chord = std::sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z) +
                                  (a.w - b.w) * (a.w - b.w));
    ASSERT_LT(chord, 0.06f / 2 * 3.14159265f / 180) << time;
  }
  for (std::size_t k = 0; k < straight.times_seconds.size(); ++k) {
    const float* q = &straight.values[4 * k];
    EXPECT_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-6);
  }
}

TEST(Spline, a_straight_line_and_a_single_key_stay_what_they_are) {
  const Channel line{0,
                     ChannelPath::kScale,
                     Interpolation::kCubicSpline,
                     {0, 2},
                     {1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1}};
  EXPECT_EQ(straighten(line).times_seconds, line.times_seconds);
  EXPECT_EQ(straighten(line).values, (std::vector<float>{0, 0, 0, 2, 2, 2}));
  const Channel one{0, ChannelPath::kScale, Interpolation::kCubicSpline, {1}, {9, 9, 9, 3, 4, 5, 9, 9, 9}};
  EXPECT_EQ(straighten(one).values, (std::vector<float>{3, 4, 5}));
}

TEST(Spline, hostile_keys_become_numbers_at_times_that_ascend) {
  constexpr float kHuge = std::numeric_limits<float>::max();
  const float next = std::nextafter(std::nextafter(1.0f, 2.0f), 2.0f);
  const Channel odd{
      0,
      ChannelPath::kTranslation,
      Interpolation::kCubicSpline,
      {1, next, 5},
      {0, 0, 0, 0, 0, 0, 0, 9, -9, 7, 7, 7, 1, 1, 1, kHuge, kHuge, kHuge, -kHuge, 0, 0, 2, 2, 2, 0, 0, 0}};
  const Channel straight = straighten(odd);
  EXPECT_TRUE(std::ranges::adjacent_find(straight.times_seconds, std::greater_equal{}) == straight.times_seconds.end());
  EXPECT_TRUE(std::ranges::all_of(straight.values, [](float v) { return std::isfinite(v); }));
}

}  // namespace
}  // namespace assetc::scene
