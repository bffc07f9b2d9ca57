#include "animation/compress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "animation/decompress.hpp"
#include "animation/tracks.hpp"
#include "assetc/runtime/animation.hpp"
#include "formats/support.hpp"

namespace assetc::animation {
namespace {

using hanim::CompressedClip;
using hanim::CompressedView;
using hanim::Property;
using scene::ChannelPath;
using scene::Interpolation;

scene::Channel channel(ChannelPath path, std::uint32_t node, std::vector<float> times, std::vector<float> values,
                       Interpolation interpolation = Interpolation::kLinear) {
  scene::Channel out;
  (is_of_node(path) ? out.node : out.object) = node;
  out.path = path;
  out.interpolation = interpolation;
  out.times_seconds = std::move(times);
  out.values = std::move(values);
  return out;
}

std::vector<float> even_times(std::size_t count, float rate) {
  std::vector<float> times;
  times.reserve(count);
  for (std::size_t i = 0; i < count; ++i) times.push_back(static_cast<float>(i) / rate);
  return times;
}

struct File {
  explicit File(Result<ByteVector> made)
      : bytes(std::move(made)), view(bytes ? CompressedView::open(*bytes) : std::unexpected(bytes.error())) {}
  const CompressedClip& clip() const { return view->clips()[0]; }

  Result<ByteVector> bytes;
  Result<CompressedView> view;
};

File compressed(const scene::Clip& clip, std::span<const Node> nodes, const Options& options = {}) {
  return File(write_hanim(std::span(&clip, 1), nodes, options));
}

// The largest distance of a point at the radius around any node between the source and the samples, at random times.
double error_of(const scene::Clip& clip, std::span<const Node> nodes, const File& file, int times = 300) {
  const std::vector<Track> tracks = tracks_of(clip);
  const Skeleton skeleton(nodes, tracks);
  std::mt19937 random(7);
  std::uniform_real_distribution<float> uniform(-0.1f, file.clip().duration_seconds() * 1.1f);
  std::vector<Affine> want(skeleton.joints().size()), found(want.size());
  std::vector<Value> values(tracks.size());
  double most = 0;
  for (int i = 0; i < times; ++i) {
    const float time = i == 0 ? 0 : i == 1 ? file.clip().duration_seconds() : uniform(random);
    for (std::size_t t = 0; t < tracks.size(); ++t) values[t] = tracks[t].curve.at(time);
    skeleton.pose(values, want);
    std::vector<runtime::Transform> pose;
    for (const Node& node : nodes) {
      const auto& [t, r, s] = node.rest;
      pose.push_back({{t.x, t.y, t.z}, {r.x, r.y, r.z, r.w}, {s.x, s.y, s.z}});
    }
    runtime::sample(file.clip(), time, pose);
    for (std::size_t t = 0; t < tracks.size(); ++t) {
      const runtime::Transform& from = pose[tracks[t].target.object];
      if (tracks[t].target.property == Property::kRotation) {
        const auto& q = from.rotation;
        values[t] = {q[0], q[1], q[2], q[3]};
        EXPECT_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-4);
      } else {
        const auto& v = tracks[t].target.property == Property::kTranslation ? from.translation : from.scale;
        values[t] = {v[0], v[1], v[2], 0};
      }
    }
    skeleton.pose(values, found);
    most = std::max(most, pose_error(skeleton, want, found, file.view->radius_meters()));
  }
  return most;
}

// A random tree of nodes, and a clip that moves most of them smoothly, with noise, with steps, by splines, rarely, or
// not at all.
struct Random {
  std::vector<Node> nodes;
  scene::Clip clip;

  explicit Random(std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto uniform = [&](double low, double high) {
      return static_cast<float>(std::uniform_real_distribution<double>(low, high)(random));
    };
    const auto count = 1 + random() % 24;
    const float size = std::exp(uniform(-3, 4));
    for (std::uint32_t n = 0; n < count; ++n) {
      Node node;
      if (n > 0 && random() % 8 != 0) node.parent = random() % n;
      node.rest.translation = {uniform(-1, 1) * size, uniform(-1, 1) * size, uniform(-1, 1) * size};
      if (random() % 4 == 0) node.rest.scale = {uniform(0.5, 2), uniform(0.5, 2), uniform(0.5, 2)};
      if (random() % 4 == 0) node.reach = size * uniform(0, 0.5);
      nodes.push_back(node);
    }
    const float rate = std::array{24.0f, 30.0f, 29.97f, 60.0f, 7.0f}[random() % 5];
    const std::size_t keys = 2 + random() % 150;
    for (std::uint32_t n = 0; n < count; ++n) {
      for (const ChannelPath path : {ChannelPath::kTranslation, ChannelPath::kRotation, ChannelPath::kScale}) {
        if (random() % 4 == 0) continue;
        add(n, path, keys, rate, random);
      }
    }
  }

  void add(std::uint32_t node, ChannelPath path, std::size_t keys, float rate, std::mt19937& random) {
    const auto uniform = [&](double low, double high) {
      return static_cast<float>(std::uniform_real_distribution<double>(low, high)(random));
    };
    const std::size_t width = path == ChannelPath::kRotation ? 4 : 3;
    std::vector<float> times = even_times(keys, rate);
    const auto kind = random() % 6;
    if (kind == 1) {  // irregular keys
      for (std::size_t k = 1; k < keys; ++k) times[k] = times[k - 1] + uniform(0.001, 0.1);
    }
    if (kind == 2) times.resize(1 + random() % std::min<std::size_t>(keys, 3));  // few
    std::vector<float> start(width), speed(width), values;
    for (std::size_t c = 0; c < width; ++c) start[c] = uniform(-1, 1), speed[c] = uniform(-4, 4);
    const float noise = random() % 2 == 0 ? 0 : 0.01f, base = path == ChannelPath::kScale ? 1.5f : 0;
    for (const float time : times) {
      std::vector<float> value(width);
      float length = 0;
      for (std::size_t c = 0; c < width; ++c) {
        value[c] = base + start[c] * 0.3f + 0.5f * std::sin(time * speed[c]) + noise * uniform(-1, 1);
        length += value[c] * value[c];
      }
      if (kind == 3) value = start, length = 0;  // no movement
      if (kind == 3)
        for (const float v : value) length += v * v;
      for (std::size_t c = 0; c < width; ++c) values.push_back(width == 4 ? value[c] / std::sqrt(length) : value[c]);
    }
    Interpolation interpolation = Interpolation::kLinear;
    if (kind == 4) interpolation = Interpolation::kStep;
    if (kind == 5) {
      std::vector<float> spline;
      for (std::size_t k = 0; k < times.size(); ++k) {
        for (const std::size_t part : {0, 1, 2}) {
          for (std::size_t c = 0; c < width; ++c)
            spline.push_back(part == 1 ? values[k * width + c] : uniform(-0.2, 0.2));
        }
      }
      values = std::move(spline);
      interpolation = Interpolation::kCubicSpline;
    }
    clip.channels.push_back(channel(path, node, std::move(times), std::move(values), interpolation));
  }
};

TEST(Compress, keeps_the_bound_at_random_times) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    const Random random(seed);
    for (const bool exact : {false, true}) {
      const File file = compressed(random.clip, random.nodes, {.exact_splines = exact});
      ASSERT_TRUE(file.view) << file.view.error().to_string();
      // Floats of the sampler round: positions are up to a thousand times the bound.
      const double allowed = file.view->error_meters() * 1.02;
      EXPECT_LE(error_of(random.clip, random.nodes, file, 60), allowed) << "seed " << seed << " exact " << exact;
    }
  }
}

TEST(Compress, takes_the_bound_from_the_options) {
  const Random random(12);
  double last = 1e9;
  std::size_t last_size = 0;
  for (const double error : {0.1, 0.01, 0.001}) {
    const File file = compressed(random.clip, random.nodes, {.error = error, .radius = 0.5});
    EXPECT_EQ(file.view->error_meters(), static_cast<float>(error));
    EXPECT_EQ(file.view->radius_meters(), 0.5f);
    const double found = error_of(random.clip, random.nodes, file);
    EXPECT_LE(found, error);
    EXPECT_LT(found, last);
    EXPECT_GT(file.bytes->size(), last_size);
    last = found;
    last_size = file.bytes->size();
  }
}

TEST(Compress, derives_the_bound_from_the_size) {
  std::vector<Node> nodes(2);
  nodes[1].parent = 0;
  nodes[1].rest.translation.y = 1.8f;
  const scene::Clip clip{"", {channel(ChannelPath::kRotation, 0, {0, 1}, {0, 0, 0, 1, 0, 0, 1, 0})}};
  const Bound human = bound_of(std::span(&clip, 1), nodes, {});
  EXPECT_NEAR(human.error, 0.0001, 1e-9);
  EXPECT_NEAR(human.radius, 0.03, 1e-6);
  const Bound asked = bound_of(std::span(&clip, 1), nodes, {.error = 0.5, .size = 18});
  EXPECT_EQ(asked.error, 0.5);
  EXPECT_NEAR(asked.radius, 0.3, 1e-12);
  nodes[1].rest.translation.y = 0;  // no extent: a human
  EXPECT_NEAR(bound_of(std::span(&clip, 1), nodes, {}).error, 0.0001, 1e-12);
}

TEST(Compress, constant_and_default_tracks_take_no_samples) {
  const std::vector<Node> nodes(3);
  const std::vector<float> times = even_times(200, 30);
  std::vector<float> still, moved;
  for (std::size_t i = 0; i < times.size(); ++i) {
    for (const float v : {0.0f, 0.0f, 0.0f, 1.0f}) still.push_back(v);
    for (const float v : {1.0f, 2.0f, 3.0f}) moved.push_back(v);
  }
  const scene::Clip clip{
      "", {channel(ChannelPath::kRotation, 0, times, still), channel(ChannelPath::kTranslation, 1, times, moved)}};
  const File file = compressed(clip, nodes);
  EXPECT_EQ(file.clip().frame_count(), 0u);
  EXPECT_EQ(file.clip().constant_count(), 1u);  // the rotation is that of the rest
  EXPECT_EQ(file.clip().constant_value(0), (std::array<float, 4>{1, 2, 3, 0}));
  EXPECT_EQ(file.clip().size_bytes(), 48u);
  EXPECT_EQ(compressed(clip, nodes, {.keeps_rest = true}).clip().constant_count(), 2u);
}

// A jump between two keys that are one float apart, as separate_keys() makes it, and one of a step.
TEST(Compress, keeps_jumps) {
  const std::vector<Node> nodes(1);
  std::vector<float> times = even_times(61, 30), values;
  const float jump = times[30], after = std::nextafter(jump, 10.0f);
  times.insert(times.begin() + 31, after);
  for (const float time : times)
    for (const float v : {std::sin(time), time > jump ? 5.0f : 0.0f, 0.0f}) values.push_back(v);
  scene::Clip clip{"", {channel(ChannelPath::kTranslation, 0, times, values)}};
  for (const Interpolation interpolation : {Interpolation::kLinear, Interpolation::kStep}) {
    clip.channels[0].interpolation = interpolation;
    const File file = compressed(clip, nodes, {.error = 0.001});
    std::vector<runtime::Transform> pose(1);
    runtime::sample(file.clip(), jump, pose);
    EXPECT_NEAR(pose[0].translation[1], 0, 0.001);
    runtime::sample(file.clip(), after, pose);
    EXPECT_NEAR(pose[0].translation[1], 5, 0.001);
    EXPECT_LE(error_of(clip, nodes, file), 0.001);
  }
}

TEST(Compress, turns_of_any_speed_stay_within_the_bound) {
  const std::vector<Node> nodes{{scene::kNone, {}, 0.3f}};
  for (const double degrees : {1.0, 25.0, 80.0, 170.0}) {
    const std::vector<float> times = even_times(240, 60);
    std::vector<float> values;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const double half = static_cast<double>(i) * degrees * 3.14159265358979 / 360;
      for (const double v : {0.0, std::sin(half), 0.0, std::cos(half)}) values.push_back(static_cast<float>(v));
    }
    const scene::Clip clip{"", {channel(ChannelPath::kRotation, 0, times, values)}};
    const File file = compressed(clip, nodes, {.error = 0.0001, .radius = 0.3});
    EXPECT_LE(error_of(clip, nodes, file), 0.00011) << degrees;
  }
}

TEST(Compress, survives_one_key_and_huge_times) {
  const std::vector<Node> nodes(1);
  for (const std::vector<float>& times :
       {std::vector<float>{0}, {3}, {0, 1e-30f}, {0, 1e30f}, {1e30f, 1.1e30f}, {0, 3e38f}, {5, 5.0000005f}}) {
    std::vector<float> values;
    for (std::size_t i = 0; i < times.size(); ++i)
      for (const float v : {static_cast<float>(i), 2.0f, 3.0f}) values.push_back(v);
    const scene::Clip clip{"", {channel(ChannelPath::kTranslation, 0, times, values)}};
    const File file = compressed(clip, nodes);
    ASSERT_TRUE(file.view) << file.view.error().to_string();
    EXPECT_EQ(file.clip().duration_seconds(), times.back());
    std::vector<runtime::Transform> pose(1);
    runtime::sample(file.clip(), times.back(), pose);
    EXPECT_NEAR(pose[0].translation[0], static_cast<float>(times.size() - 1), 1e-3);
    EXPECT_EQ(pose[0].translation[1], 2);
  }
  EXPECT_EQ(compressed({}, nodes).clip().size_bytes(), 32u);
  EXPECT_EQ(compressed({}, {}).clip().duration_seconds(), 0);
}

TEST(Compress, keeps_values_at_the_limits_of_floats) {
  const std::vector<Node> nodes(2);
  for (const float size : {1e-30f, 1e-10f, 1e10f, 1e30f, 3e38f}) {
    const std::vector<float> times = even_times(40, 30);
    std::vector<float> values;
    for (std::size_t i = 0; i < times.size(); ++i)
      for (const float v : {std::sin(times[i]), std::cos(times[i]), 0.5f}) values.push_back(v * size);
    const File file = compressed({"", {channel(ChannelPath::kTranslation, 1, times, values)}}, nodes, {.size = size});
    ASSERT_TRUE(file.view) << size << file.view.error().to_string();
    std::vector<runtime::Transform> pose(2);
    runtime::sample(file.clip(), times[20], pose);
    EXPECT_NEAR(pose[1].translation[0] / size, values[60] / size, 0.01) << size;
  }
}

TEST(Compress, exact_splines_are_exact) {
  const std::vector<Node> nodes(1);
  const std::vector<float> values{0, 0, 0, 0, 0, 0, 9, 9, 9, 3, 3, 3, 1, 2, 3, 0, 0, 0};
  const scene::Clip clip{"", {channel(ChannelPath::kTranslation, 0, {0, 2}, values, Interpolation::kCubicSpline)}};
  const File file = compressed(clip, nodes, {.exact_splines = true});
  ASSERT_EQ(file.clip().curve_count(), 1u);
  EXPECT_EQ(file.clip().curve(0).kind, hanim::CurveKind::kCubicSpline);
  EXPECT_EQ(decompress(file.clip()).channels[0].values, values);
  EXPECT_LE(error_of(clip, nodes, file), 1e-5);
}

TEST(Compress, moves_weights_visibility_cameras_and_lights) {
  const std::vector<Node> nodes(3);
  const std::vector<float> times = even_times(90, 30);
  std::vector<float> weights, angles, colors;
  for (const float t : times) {
    for (int m = 0; m < 5; ++m)
      weights.push_back(m == 4 ? 0.25f : 0.5f + 0.5f * std::sin(t * static_cast<float>(m + 1)));
    angles.push_back(0.7f + 0.2f * std::sin(3 * t));
    for (const float v : {1.0f, 0.5f + 0.3f * std::cos(t), 2.0f}) colors.push_back(v);
  }
  const scene::Clip clip{
      "",
      {channel(ChannelPath::kWeights, 2, times, weights),
       channel(ChannelPath::kVisible, 1, {0, 1, 2}, {1, 0, 1}, Interpolation::kStep),
       channel(ChannelPath::kCameraYFov, 4, times, angles), channel(ChannelPath::kLightColor, 6, times, colors)}};
  const File file = compressed(clip, nodes);
  ASSERT_TRUE(file.view) << file.view.error().to_string();
  EXPECT_FALSE(file.view->check_targets(3, 4, 7));
  EXPECT_TRUE(file.view->check_targets(3, 5, 7));
  std::vector<float> out(file.clip().property_float_count());
  EXPECT_EQ(out.size(), 5u + 1 + 1 + 3);
  for (const std::size_t frame : {0u, 10u, 44u, 89u}) {
    runtime::sample_properties(file.clip(), times[frame], out);
    std::size_t at = 0;
    for (const hanim::Target& target : file.clip().properties()) {
      for (std::size_t c = 0; c < target.components; ++c, ++at) {
        const float want = target.property == Property::kWeights      ? weights[frame * 5 + target.first + c]
                           : target.property == Property::kVisible    ? (times[frame] < 1 || times[frame] >= 2 ? 1 : 0)
                           : target.property == Property::kCameraYFov ? angles[frame]
                                                                      : colors[frame * 3 + c];
        EXPECT_NEAR(out[at], want, 0.0006f) << int(target.property) << " frame " << frame;
      }
    }
  }
  const scene::Clip back = decompress(file.clip());
  const auto found = std::ranges::find(back.channels, ChannelPath::kWeights, &scene::Channel::path);
  ASSERT_NE(found, back.channels.end());
  ASSERT_EQ(found->values.size(), found->times_seconds.size() * 5);
  for (std::size_t i = 0; i < weights.size() && found->times_seconds.size() == times.size(); ++i)
    EXPECT_NEAR(found->values[i], weights[i], 0.0006f);
}

TEST(Compress, a_clip_of_constants_keeps_its_duration) {
  const std::vector<Node> nodes(1);
  for (const std::vector<float>& times : {std::vector<float>{3}, std::vector<float>{0, 3}}) {
    std::vector<float> values;
    for (std::size_t k = 0; k < times.size(); ++k) values.insert(values.end(), {5, 6, 7});
    const File file = compressed({"", {channel(ChannelPath::kTranslation, 0, times, values)}}, nodes);
    const scene::Clip back = decompress(file.clip());
    ASSERT_EQ(back.channels.size(), 1u);
    EXPECT_EQ(back.channels[0].times_seconds, (std::vector<float>{0, 3}));
    EXPECT_EQ(back.channels[0].values, (std::vector<float>{5, 6, 7, 5, 6, 7}));
  }
}

TEST(Compress, the_last_channel_of_a_property_counts) {
  const std::vector<Node> nodes(1);
  const scene::Clip clip{
      "",
      {channel(ChannelPath::kTranslation, 0, {0}, {1, 1, 1}), channel(ChannelPath::kTranslation, 0, {0}, {2, 2, 2})}};
  const File file = compressed(clip, nodes);
  ASSERT_EQ(file.clip().constant_count(), 1u);
  EXPECT_EQ(file.clip().constant_value(0)[0], 2);
}

TEST(Compress, decompressed_channels_are_the_samples) {
  for (std::uint32_t seed = 70; seed < 73; ++seed) {
    const Random random(seed);
    const File file = compressed(random.clip, random.nodes);
    scene::Clip back = decompress(file.clip());
    // Compressed again, the difference to the source is at most twice the bound, and only of what frames can show.
    const File again =
        compressed(back, random.nodes, {.error = file.view->error_meters(), .radius = file.view->radius_meters()});
    ASSERT_TRUE(again.view);
    EXPECT_LE(error_of(random.clip, random.nodes, again, 60), file.view->error_meters() * 3) << seed;
  }
}

// The compression of a fixed clip, so that a change of bytes is noticed.
TEST(Compress, gives_the_same_bytes_on_every_machine) {
  std::vector<Node> nodes(3);
  nodes[1].parent = 0;
  nodes[1].rest.translation.y = 1;
  nodes[2].parent = 1;
  nodes[2].rest.translation.y = 0.8f;
  nodes[2].reach = 0.1f;
  const std::vector<float> times = even_times(70, 30);
  std::vector<float> turns, walk;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto x = static_cast<float>((i * 7919) % 101) / 101 - 0.5f, y = static_cast<float>(i) / 70;
    const float length = std::sqrt(0.01f * x * x + y * y + 1);
    for (const float v : {0.1f * x, y, 0.0f, 1.0f}) turns.push_back(v / length);
    for (const float v : {y * y, x * 0.01f, 0.0f}) walk.push_back(v);
  }
  const scene::Clip clip{
      "walk",
      {channel(ChannelPath::kRotation, 0, times, turns), channel(ChannelPath::kRotation, 1, times, turns),
       channel(ChannelPath::kTranslation, 0, times, walk),
       channel(ChannelPath::kScale, 2, {0, 1}, {1, 1, 1, 2, 2, 2}, Interpolation::kStep)}};
  formats_test::expect_golden("clip_v2.hanim", *write_hanim(std::span(&clip, 1), nodes, {}));
}

}  // namespace
}  // namespace assetc::animation
