// Clips with fewer keys move everything as before, within the error.
#include "optimize/clips.hpp"

#include <gmock/gmock.h>

#include <functional>

#include "optimize/support.hpp"

namespace assetc::optimize {
namespace {

using namespace testing;
using scene::ChannelPath;

constexpr int kKeys = 301;

scene::Channel channel(std::uint32_t node, ChannelPath path, const std::function<std::vector<float>(float)>& value) {
  scene::Channel c;
  c.node = node;
  c.path = path;
  for (int k = 0; k < kKeys; ++k) {
    const float time = static_cast<float>(k) / 30;
    c.times_seconds.push_back(time);
    const std::vector<float> values = value(time);
    c.values.insert(c.values.end(), values.begin(), values.end());
  }
  return c;
}

// An arm of three sheets, each of which turns on the one before.
scene::Scene arm() {
  scene::Scene scene = sheet(2, 1, false);
  for (std::uint32_t n = 1; n < 3; ++n) {
    scene.nodes.push_back(scene.nodes[0]);
    scene.nodes[n].name = "Part " + std::to_string(n);
    scene.nodes[n].parent = n - 1;
    scene.nodes[n].transform.translation = {3.7f, 0, 0};
  }
  scene.clips.push_back({"Wave", {}});
  for (std::uint32_t n = 0; n < 3; ++n) {
    scene.clips[0].channels.push_back(channel(n, ChannelPath::kRotation, [n](float t) {
      const float angle = 0.5f * std::sin(t * (1 + static_cast<float>(n)));
      return std::vector{0.0f, 0.0f, std::sin(angle / 2), std::cos(angle / 2)};
    }));
  }
  scene.clips[0].channels.push_back(
      channel(0, ChannelPath::kTranslation, [](float t) { return std::vector{t, 2 * t, 0.0f}; }));
  return scene;
}

float largest_move(const scene::Scene& a, const scene::Scene& b) {
  float most = 0;
  for (float time = 0; time < 10; time += 0.0137f) {
    scene::Scene before = a, after = b;
    before.nodes = scene::pose_nodes(a, a.clips[0], time);
    after.nodes = scene::pose_nodes(b, b.clips[0], time);
    const std::vector<scene::Mat4> x = scene::world_matrices(before), y = scene::world_matrices(after);
    for (std::size_t n = 0; n < x.size(); ++n)
      for (const Vec3& v : a.meshes[a.nodes[n].mesh].primitives[0].positions)
        most = std::max(most, scene::length(scene::transform_point(x[n], v) - scene::transform_point(y[n], v)));
  }
  return most;
}

std::size_t keys_of(const scene::Scene& scene) {
  std::size_t keys = 0;
  for (const scene::Channel& c : scene.clips[0].channels) keys += c.times_seconds.size();
  return keys;
}

TEST(SmallClips, nothing_moves_by_more_than_the_error) {
  const scene::Scene source = arm();
  std::size_t last_keys = keys_of(source);
  for (const double error : {0.001, 0.01, 0.1}) {
    scene::Scene made = source;
    std::vector<Error> notes;
    reduce_clips(made, error, notes);
    EXPECT_LE(largest_move(source, made), error);
    EXPECT_LT(keys_of(made), last_keys);
    EXPECT_EQ(made.clips[0].channels[3].times_seconds.size(), 2u) << "a straight line";
    EXPECT_EQ(clip_duration_seconds(made.clips[0]), clip_duration_seconds(source.clips[0]));
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_THAT(notes[0].what, ::testing::HasSubstr("keys of 1204 keys that samplers interpolate within the error"));
    last_keys = keys_of(made);
  }
  EXPECT_LT(last_keys, 300u);
}

TEST(SmallClips, rotations_keep_the_bits_that_the_error_needs) {
  std::vector<std::uint32_t> bits;
  for (const double error : {1e-5, 0.001, 0.01, 0.1}) {
    scene::Scene made = arm();
    std::vector<Error> notes;
    bits.push_back(reduce_clips(made, error, notes));
    OptimizeOptions options = usual();
    options.removes_keys = true;
    options.settings.animation.error_meters = error;
    options.settings.mesh.position_bits = 0;
    const Pair pair = pair_of(arm(), options);
    EXPECT_LE(largest_move(pair.source, pair.made), std::max(error, 1e-3)) << "16 bits are the most";
  }
  EXPECT_EQ(bits.front(), 16u);
  EXPECT_EQ(bits.back(), 12u);
  EXPECT_TRUE(std::ranges::is_sorted(bits, std::greater<>()));
  EXPECT_LT(bits[2], 16u);
}

TEST(SmallClips, values_are_rounded_to_multiples_of_a_power_of_two) {
  scene::Scene made = arm();
  std::vector<Error> notes;
  reduce_clips(made, 0.01, notes);
  const scene::Channel& moved = made.clips[0].channels[3];
  ASSERT_EQ(moved.path, ChannelPath::kTranslation);
  for (const float v : moved.values) EXPECT_EQ(v * 4096, std::floor(v * 4096)) << v;
  EXPECT_NEAR(moved.values.back(), 0, 0.01);
}

TEST(SmallClips, jumps_and_splines_stay) {
  scene::Scene scene = arm();
  scene::Channel steps =
      channel(1, ChannelPath::kTranslation, [](float t) { return std::vector{std::floor(t / 3), 0.0f, 0.0f}; });
  steps.interpolation = scene::Interpolation::kStep;
  scene.clips[0].channels.push_back(steps);
  scene::Channel spline;
  spline.node = 2;
  spline.path = ChannelPath::kTranslation;
  spline.interpolation = scene::Interpolation::kCubicSpline;
  spline.times_seconds = {0, 1, 2};
  spline.values.assign(27, 0.5f);
  scene.clips[0].channels.push_back(spline);
  std::vector<Error> notes;
  scene::Scene made = scene;
  reduce_clips(made, 0.01, notes);
  EXPECT_EQ(made.clips[0].channels[4].times_seconds.size(), 5u) << "0, 3, 6 and 9 seconds, and the end";
  EXPECT_EQ(made.clips[0].channels[5].values, spline.values);
  EXPECT_LE(largest_move(scene, made), 0.01);
}

TEST(SmallClips, clips_of_the_corpus_keep_their_poses) {
  OptimizeOptions options = usual();
  options.removes_keys = true;
  std::size_t checked = 0;
  for_corpus(options, [&](const Pair& pair) {
    if (pair.source.clips.empty()) return;
    expect_same(pair);
    ++checked;
  });
  EXPECT_GT(checked, 0u);
}

}  // namespace
}  // namespace assetc::optimize
