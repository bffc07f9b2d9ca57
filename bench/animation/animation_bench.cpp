// Compresses clips and samples poses, beside ACL if it was built with it: on the same clips, with the same bound, in
// the same run.
//
//   animation_bench [FILE.glb|FILE.gltf ...]
//
// Without files: synthetic motion of a human of 65 joints. Raw bytes are the keys of the channels as floats, with one
// time for each key (.hanim version 1). The error is the largest distance, of points at the radius around all joints,
// from the source, at 1,000 random times. The times are those of one pose at a random time, and of one pose of a
// playback at 60 poses a second; the clip is in the cache. They are medians of runs in which both compressors take
// turns.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>

#include "../measure.hpp"
#include "animation/compress.hpp"
#include "animation/tracks.hpp"
#include "assetc/runtime/animation.hpp"
#include "clip_peer.hpp"
#include "import/gltf/gltf.hpp"

namespace assetc::bench {
namespace {

struct Named {
  std::string name;
  scene::Scene scene;
};

// A human of 65 joints: spine, head, arms with fingers, legs. Every joint turns by a few waves plus the noise of a
// capture; the root walks. stretches: every joint moves and scales too.
Named human(float seconds, float rate, double noise, std::uint32_t seed, bool stretches = false) {
  Named out{fmt::format("human {} s, {} Hz, {}noise {}", seconds, rate, stretches ? "stretches, " : "", noise), {}};
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::normal_distribution<double> normal;
  const auto add = [&](std::uint32_t parent, float y, float x) {
    scene::Node node;
    node.parent = parent;
    node.transform.translation = {x, y, 0};
    out.scene.nodes.push_back(node);
    return static_cast<std::uint32_t>(out.scene.nodes.size() - 1);
  };
  const std::uint32_t root = add(scene::kNone, 0.95f, 0);
  std::uint32_t spine = root;
  for (int i = 0; i < 5; ++i) spine = add(spine, 0.11f, 0);
  add(add(spine, 0.12f, 0), 0.15f, 0);
  for (const float side : {-1.0f, 1.0f}) {
    std::uint32_t leg = add(root, -0.05f, side * 0.1f);
    leg = add(leg, -0.42f, 0);
    leg = add(leg, -0.42f, 0);
    add(leg, -0.05f, side * 0.02f);
    std::uint32_t arm = add(spine, 0.02f, side * 0.08f);
    arm = add(arm, 0, side * 0.12f);
    arm = add(arm, 0, side * 0.28f);
    arm = add(arm, 0, side * 0.26f);
    for (int finger = 0; finger < 5; ++finger) {
      std::uint32_t bone = add(arm, 0.02f * static_cast<float>(finger - 2), side * 0.08f);
      for (int i = 0; i < 3; ++i) bone = add(bone, 0, side * 0.03f);
    }
  }
  const auto frames = static_cast<std::uint32_t>(seconds * rate) + 1;
  scene::Clip clip;
  clip.name = out.name;
  for (std::uint32_t j = 0; j < out.scene.nodes.size(); ++j) {
    scene::Channel rotation;
    rotation.node = j;
    rotation.path = scene::ChannelPath::kRotation;
    const bool is_finger = j > 20 && out.scene.nodes[j].transform.translation.y == 0;
    double amplitude[3][3], phase[3][3];
    for (auto& axis : amplitude)
      for (double& a : axis) a = uniform(random) * (is_finger ? 0.1 : 0.25);
    for (auto& axis : phase)
      for (double& p : axis) p = uniform(random) * 3.14;
    std::array<double, 3> wander{};
    for (std::uint32_t f = 0; f < frames; ++f) {
      const double t = f / static_cast<double>(rate);
      std::array<double, 3> turn{};
      for (std::size_t a = 0; a < 3; ++a) {
        wander[a] = 0.7 * wander[a] + normal(random) * noise;
        for (int w = 0; w < 3; ++w) turn[a] += amplitude[a][w] * std::sin((w + 1) * 2.5 * t + phase[a][w]) / (w + 1);
        turn[a] += wander[a];
      }
      const double angle = std::sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]) + 1e-9;
      const double s = std::sin(angle / 2) / angle;
      rotation.times_seconds.push_back(static_cast<float>(t));
      for (const double a : turn) rotation.values.push_back(static_cast<float>(a * s));
      rotation.values.push_back(static_cast<float>(std::cos(angle / 2)));
    }
    clip.channels.push_back(rotation);
    for (const scene::ChannelPath path : {scene::ChannelPath::kTranslation, scene::ChannelPath::kScale}) {
      if (j == 0 || !stretches) continue;
      scene::Channel stretch = rotation;
      stretch.path = path;
      stretch.values.clear();
      const bool is_scale = path == scene::ChannelPath::kScale;
      const auto& rest = out.scene.nodes[j].transform.translation;
      for (const float t : rotation.times_seconds) {
        for (const float from : {rest.x, rest.y, rest.z}) {
          const float wave =
              std::sin(t * (2 + from) + static_cast<float>(j)) + static_cast<float>(normal(random) * noise);
          stretch.values.push_back((is_scale ? 1 : from) + 0.01f * wave);
        }
      }
      clip.channels.push_back(std::move(stretch));
    }
    if (j != 0) continue;
    scene::Channel walk = rotation;
    walk.path = scene::ChannelPath::kTranslation;
    walk.values.clear();
    for (const float t : walk.times_seconds) {
      walk.values.push_back(1.2f * t);
      walk.values.push_back(0.95f + 0.02f * std::sin(8 * t));
      walk.values.push_back(0.3f * std::sin(0.4f * t));
    }
    clip.channels.push_back(walk);
  }
  out.scene.clips.push_back(std::move(clip));
  return out;
}

std::vector<animation::Node> nodes_of(const scene::Scene& scene) {
  std::vector<animation::Node> nodes;
  nodes.reserve(scene.nodes.size());
  for (const scene::Node& n : scene.nodes) nodes.push_back({n.parent, n.transform, 0});
  return nodes;
}

// Parents before children, as ACL wants them: the joints that the clip concerns, and their places.
struct Reference {
  Reference(const scene::Clip& clip, std::span<const animation::Node> nodes)
      : tracks(animation::tracks_of(clip)), skeleton(nodes, tracks) {}

  std::vector<animation::Affine> pose(double time) const {
    std::vector<animation::Affine> out(skeleton.joints().size());
    skeleton.pose(animation::values_at(tracks, time), out);
    return out;
  }
  std::vector<animation::Affine> pose(std::span<const hanim::Transform> transforms) const {
    std::vector<animation::Value> values(tracks.size());
    for (std::size_t t = 0; t < tracks.size(); ++t) {
      const hanim::Target& target = tracks[t].target;
      if (!is_transform(target.property)) continue;
      const hanim::Transform& from = transforms[target.object];
      if (target.property == hanim::Property::kRotation) {
        values[t] = {from.rotation[0], from.rotation[1], from.rotation[2], from.rotation[3]};
      } else {
        const auto& v = target.property == hanim::Property::kTranslation ? from.translation : from.scale;
        values[t] = {v[0], v[1], v[2], 0};
      }
    }
    std::vector<animation::Affine> out(skeleton.joints().size());
    skeleton.pose(values, out);
    return out;
  }

  std::vector<animation::Track> tracks;
  animation::Skeleton skeleton;
};

hanim::Transform rest_of(const scene::Transform& t) {
  return {{t.translation.x, t.translation.y, t.translation.z},
          {t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w},
          {t.scale.x, t.scale.y, t.scale.z}};
}

// Nanoseconds of one pose.
struct Times {
  double random = 0, playback = 0;
};

struct Totals {
  double raw = 0, ours = 0, acl = 0;
  Times our_times, acl_times;
  std::size_t clips = 0;
};

std::vector<float> random_times(float duration) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> uniform(0, duration);
  std::vector<float> times(2000);
  for (float& t : times) t = uniform(random);
  return times;
}
std::vector<float> playback_times(float duration) {
  std::vector<float> times(2000);
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = std::fmod(static_cast<float>(i) / 60, duration);
  return times;
}

using Sampler = std::function<void(std::span<const float> times)>;
// Returns the times of each sampler, which samples a pose at each of the times. A run is short, so that few runs are
// interrupted, and the next run takes other times.
std::vector<Times> measure(float duration, std::span<const Sampler> samplers) {
  constexpr std::size_t kRuns = 401, kPoses = 200;
  const std::vector<float> random = random_times(duration), playback = playback_times(duration);
  std::vector<std::vector<double>> random_runs(samplers.size()), playback_runs(samplers.size());
  for (std::size_t run = 0; run < kRuns; ++run) {
    for (std::size_t s = 0; s < samplers.size(); ++s) {
      const auto nanoseconds = [&](std::span<const float> all) {
        const std::span<const float> times = all.subspan(run * kPoses % all.size(), kPoses);
        return ::bench::seconds_of([&] { samplers[s](times); }) / kPoses * 1e9;
      };
      random_runs[s].push_back(nanoseconds(random));
      playback_runs[s].push_back(nanoseconds(playback));
    }
  }
  std::vector<Times> out;
  for (std::size_t s = 0; s < samplers.size(); ++s) {
    std::ranges::nth_element(random_runs[s], random_runs[s].begin() + kRuns / 2);
    std::ranges::nth_element(playback_runs[s], playback_runs[s].begin() + kRuns / 2);
    out.push_back({random_runs[s][kRuns / 2], playback_runs[s][kRuns / 2]});
  }
  return out;
}

void run(const Named& model, Totals& totals) {
  const std::vector<animation::Node> nodes = nodes_of(model.scene);
  std::vector<hanim::Transform> rest;
  rest.reserve(nodes.size());
  for (const animation::Node& n : nodes) rest.push_back(rest_of(n.rest));
  for (const scene::Clip& clip : model.scene.clips) {
    const animation::Options options;
    const animation::Bound bound = animation::bound_of(std::span(&clip, 1), nodes, options);
    std::size_t raw = 0, most_keys = 0;
    float duration = 0;
    for (const scene::Channel& c : clip.channels) {
      if (!is_transform(c.path)) continue;
      raw += (c.times_seconds.size() * 4) + c.values.size() * 4;
      most_keys = std::max(most_keys, c.times_seconds.size());
      duration = std::max(duration, c.times_seconds.back());
    }
    if (raw == 0 || duration == 0) continue;
    Result<ByteVector> file = ByteVector();
    const double seconds =
        ::bench::seconds_of([&] { file = animation::write_hanim(std::span(&clip, 1), nodes, options); });
    if (!file) {
      fmt::print("{}: {}\n", model.name, file.error().to_string());
      continue;
    }
    if (const char* out = getenv("OUT"))
      std::ofstream(out, std::ios::binary)
          .write(reinterpret_cast<const char*>(file->data()), static_cast<std::streamsize>(file->size()));
    const auto view = hanim::CompressedView::open(*file);
    const hanim::CompressedClip& ours = view->clips()[0];
    const Reference reference(clip, nodes);
    const auto error_of = [&](const auto& sample) {
      std::mt19937 random(1);
      std::uniform_real_distribution<float> uniform(0, duration);
      double most = 0;
      for (int i = 0; i < 1000; ++i) {
        const float t = uniform(random);
        std::vector<hanim::Transform> pose = rest;
        sample(t, std::span<hanim::Transform>(pose));
        most = std::max(most, pose_error(reference.skeleton, reference.pose(t), reference.pose(pose), bound.radius));
      }
      return most;
    };
    std::vector<hanim::Transform> pose = rest;
    const auto sample_ours = [&](float t, std::span<hanim::Transform> to) { runtime::sample(ours, t, to); };
    const double our_error = error_of(sample_ours);
    std::vector<Sampler> samplers{[&](std::span<const float> times) {
      for (const float t : times) runtime::sample(ours, t, pose);
    }};
#ifdef ASSETC_BENCH_ACL
    SampledClip samples;
    const auto joints = reference.skeleton.joints();
    for (const auto& joint : joints) {
      samples.parents.push_back(joint.parent == scene::kNone ? -1 : static_cast<std::int32_t>(joint.parent));
      samples.rest.push_back(rest[joint.node]);
    }
    samples.frame_count = ours.frame_count() != 0 ? ours.frame_count() : static_cast<std::uint32_t>(most_keys);
    samples.frames_per_second = static_cast<float>((samples.frame_count - 1) / static_cast<double>(duration));
    for (std::uint32_t f = 0; f < samples.frame_count; ++f) {
      const double t = f / static_cast<double>(samples.frames_per_second);
      for (const auto& joint : joints) {
        hanim::Transform value = rest[joint.node];
        for (std::size_t i = 0; i < 3; ++i) {
          if (joint.tracks[i] == animation::kNoTrack) continue;
          const animation::Value v = reference.tracks[joint.tracks[i]].curve.at(t);
          if (i == 1) {
            for (std::size_t c = 0; c < 4; ++c) value.rotation[c] = static_cast<float>(v[c]);
          } else {
            for (std::size_t c = 0; c < 3; ++c)
              (i == 0 ? value.translation : value.scale)[c] = static_cast<float>(v[c]);
          }
        }
        samples.transforms.push_back(value);
      }
    }
    // ACL bounds the error at its samples only. Its precision is lowered until the error at random times is within the
    // bound too.
    std::unique_ptr<Peer> peer;
    std::vector<hanim::Transform> acl_pose(joints.size());
    for (std::size_t j = 0; j < joints.size(); ++j) acl_pose[j] = samples.rest[j];
    double acl_seconds = 0, acl_error = 0;
    for (double precision = bound.error; precision > bound.error / 20; precision *= 0.85) {
      acl_seconds = ::bench::seconds_of(
          [&] { peer = compress_with_acl(samples, static_cast<float>(precision), static_cast<float>(bound.radius)); });
      if (peer == nullptr) break;
      acl_error = error_of([&](float t, std::span<hanim::Transform> to) {
        peer->sample(t, acl_pose);
        for (std::size_t j = 0; j < joints.size(); ++j) to[joints[j].node] = acl_pose[j];
      });
      if (acl_error <= bound.error) break;
    }
    if (peer == nullptr) {
      fmt::print("  ACL failed\n");
      return;
    }
    samplers.emplace_back([&](std::span<const float> times) {
      for (const float t : times) peer->sample(t, acl_pose);
    });
#endif
    const std::vector<Times> times = measure(duration, samplers);
    fmt::print(
        "{:32} raw {:8}  ours {:7} ({:4.1f} %) error {:.3f} of bound {:5.0f} ns/pose random {:5.0f} playback, c/r/v/k "
        "{}/{}/{}/{}, {} frames, compressed in {:.2f} s\n",
        (model.name + " " + clip.name).substr(0, 32), raw, ours.size_bytes(), 100.0 * ours.size_bytes() / raw,
        our_error / bound.error, times[0].random, times[0].playback, ours.constant_count(), ours.rotation_count(),
        ours.vector_count(), ours.curve_count(), ours.frame_count(), seconds);
    totals.raw += static_cast<double>(raw);
    totals.ours += static_cast<double>(ours.size_bytes());
    totals.our_times.random += times[0].random;
    totals.our_times.playback += times[0].playback;
    ++totals.clips;
#ifdef ASSETC_BENCH_ACL
    fmt::print(
        "{:32}               ACL  {:7} ({:4.1f} %) error {:.3f} of bound {:5.0f} ns/pose random {:5.0f} playback; "
        "ours/ACL: size {:.2f}, time {:.2f} random {:.2f} playback; compressed in {:.2f} s\n",
        "", peer->size_bytes(), 100.0 * peer->size_bytes() / raw, acl_error / bound.error, times[1].random,
        times[1].playback, static_cast<double>(ours.size_bytes()) / peer->size_bytes(),
        times[0].random / times[1].random, times[0].playback / times[1].playback, acl_seconds);
    totals.acl += static_cast<double>(peer->size_bytes());
    totals.acl_times.random += times[1].random;
    totals.acl_times.playback += times[1].playback;
#endif
  }
}

int run_all(int argc, char** argv) {
  std::vector<Named> models;
  for (int i = 1; i < argc; ++i) {
    const std::string path = argv[i];
    const auto read = [](const std::string& name) -> Result<Bytes> {
      std::ifstream in(name, std::ios::binary);
      if (!in) return fail(ErrorCode::kNotFound, "cannot read " + name);
      const std::string text{std::istreambuf_iterator<char>(in), {}};
      const ByteSpan bytes = as_bytes(text);
      return Bytes(ByteVector(bytes.begin(), bytes.end()));
    };
    const auto file = read(path);
    if (!file) {
      fmt::print("{}\n", file.error().to_string());
      return 1;
    }
    auto imported =
        importer::import_gltf(path, *file, [&](std::string_view name) { return read(std::string(name)); }, {});
    if (!imported) {
      fmt::print("{}: {}\n", path, imported.error().to_string());
      continue;
    }
    models.push_back({path.substr(path.rfind('/') + 1), std::move(imported->scene)});
  }
  if (argc == 1) {
    models.push_back(human(10, 30, 0, 1));
    models.push_back(human(10, 30, 0.001, 2));
    models.push_back(human(10, 120, 0.0003, 3));
    models.push_back(human(10, 30, 0.001, 4, true));
  }
  Totals totals;
  for (const Named& model : models) run(model, totals);
  const auto count = static_cast<double>(totals.clips);
  fmt::print("{} clips: raw {:.0f} bytes, ours {:.1f} %, {:.0f} ns/pose random {:.0f} playback", totals.clips,
             totals.raw, 100 * totals.ours / totals.raw, totals.our_times.random / count,
             totals.our_times.playback / count);
  if (totals.acl > 0)
    fmt::print(
        "; ACL {:.1f} %, {:.0f} ns/pose random {:.0f} playback; ours/ACL: size {:.3f}, time {:.3f} random {:.3f} "
        "playback",
        100 * totals.acl / totals.raw, totals.acl_times.random / count, totals.acl_times.playback / count,
        totals.ours / totals.acl, totals.our_times.random / totals.acl_times.random,
        totals.our_times.playback / totals.acl_times.playback);
  fmt::print("\n");
  return 0;
}

}  // namespace
}  // namespace assetc::bench

int main(int argc, char** argv) { return assetc::bench::run_all(argc, argv); }
