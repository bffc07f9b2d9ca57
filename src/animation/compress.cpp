#include "animation/compress.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include "animation/clip_compressor.hpp"
#include "parallel/parallel.hpp"

namespace assetc::animation {

using namespace hanim::layout;
using hanim::Property;
using scene::Interpolation;

namespace {

// The size of a human, whose default error is 0.1 mm at 3 cm around the joints.
constexpr double kHumanMeters = 1.8, kHumanError = 0.0001, kHumanRadius = 0.03;
// The part of the error that constant tracks may use.
constexpr double kConstantPart = 0.25;
// The precision of a camera or light: this part of the range of its track.
constexpr double kPropertyPart = 1.0 / 4096;
// Times at which the reach of joints is measured.
constexpr std::size_t kReachTimes = 33;

double length_of_column(const Affine& a, std::size_t column) {
  const double* m = &a.m[3 * column];
  return std::sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
}

// Calls visit(pose) for poses at times spread over the clip.
template <class Visit>
void sample_poses(const Skeleton& skeleton, std::span<const Track> tracks, float duration, const Visit& visit) {
  std::vector<Affine> pose(skeleton.joints().size());
  const std::size_t times = duration > 0 ? kReachTimes : 1;
  for (std::size_t i = 0; i < times; ++i) {
    skeleton.pose(values_at(tracks, duration * static_cast<double>(i) / static_cast<double>(kReachTimes - 1)), pose);
    visit(std::span<const Affine>(pose));
  }
}

}  // namespace

Result<hanim::CompressedBytes> ClipCompressor::run() {
  if (tracks_.size() > std::numeric_limits<std::uint32_t>::max() / 64)
    return fail(ErrorCode::kLimit, "clip \"" + clip_.name + "\" has too many channels to compress");
  for (const Track& track : tracks_) {
    if (track.target.object > kMaxObject)
      return fail(ErrorCode::kLimit, "clip \"" + clip_.name + "\" moves object " + std::to_string(track.target.object) +
                                         ", expected at most " + std::to_string(kMaxObject));
  }
  measure_reach();
  find_steps();
  find_constants();
  choose_grid();
  share();
  if (has_samples() && !solve()) {
    for (Kind& kind : kinds_)  // exact
      if (kind != Kind::kCurve) kind = Kind::kCurve;
  }
  return write();
}

void ClipCompressor::measure_reach() {
  const auto joints = skeleton_.joints();
  reach_.resize(joints.size());
  for (std::size_t j = 0; j < joints.size(); ++j) reach_[j].distance = std::max(bound_.radius, joints[j].reach);
  sample_poses(skeleton_, tracks_, duration_, [&](std::span<const Affine> pose) {
    std::vector<double> reach(joints.size());
    for (std::size_t j = joints.size(); j-- > 0;) {
      reach[j] = std::max({reach[j], bound_.radius, joints[j].reach});
      reach_[j].distance = std::max(reach_[j].distance, reach[j]);
      const std::uint32_t parent = joints[j].parent;
      if (parent == scene::kNone) continue;
      double bone = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        const double d = pose[j].t[c] - pose[parent].t[c];
        bone += d * d;
        reach_[j].scale_above = std::max(reach_[j].scale_above, length_of_column(pose[parent], c));
      }
      reach[parent] = std::max(reach[parent], reach[j] + std::sqrt(bone));
    }
  });
  for (std::uint32_t t = 0; t < tracks_.size(); ++t) tolerances_[t] = tolerance_of(t);
}

double ClipCompressor::tolerance_of(std::uint32_t t) const {
  const Property property = tracks_[t].target.property;
  if (property == Property::kWeights) return options_.weight_error;
  const std::uint32_t j = skeleton_.joint_of_track(t);
  if (!is_transform(property) || j == kNoTrack) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    const Curve& curve = tracks_[t].curve;
    for (std::size_t k = 0; k < curve.channel().times_seconds.size(); ++k) {
      for (std::size_t c = 0; c < curve.components(); ++c)
        low = std::min(low, curve.key(k)[c]), high = std::max(high, curve.key(k)[c]);
    }
    return (high - low) * kPropertyPart;
  }
  if (property == Property::kTranslation) return bound_.error / reach_[j].scale_above;
  // A rotation moves a point by its angle times the distance, a scale by its change times the distance before it.
  return bound_.error / reach_[j].distance;
}

void ClipCompressor::find_steps() {
  for (std::size_t t = 0; t < tracks_.size(); ++t) {
    const scene::Channel& channel = tracks_[t].curve.channel();
    if (channel.interpolation == Interpolation::kStep ||
        (channel.interpolation == Interpolation::kCubicSpline && options_.exact_splines)) {
      kinds_[t] = Kind::kCurve;
    }
    // Samples of larger values could exceed the range of a float.
    if (std::ranges::any_of(channel.values, [](float v) { return std::fabs(v) > 0x1p70f; })) kinds_[t] = Kind::kCurve;
    if (is_transform(tracks_[t].target.property) && skeleton_.joint_of_track(static_cast<std::uint32_t>(t)) == kNoTrack)
      kinds_[t] = Kind::kCurve;  // of a node that is not there
  }
}

bool ClipCompressor::is_still(std::size_t t) const {
  const Curve& curve = tracks_[t].curve;
  for (std::size_t k = 0; k < curve.channel().times_seconds.size(); ++k)
    if (curve.key(k) != curve.key(0)) return false;
  return curve.channel().interpolation != Interpolation::kCubicSpline;
}

double ClipCompressor::error_of_constant(std::size_t t, const Value& value) const {
  const Curve& curve = tracks_[t].curve;
  const scene::Channel& channel = curve.channel();
  const bool is_spline = channel.interpolation == Interpolation::kCubicSpline;
  double most = 0;
  for (std::size_t k = 0; k < channel.times_seconds.size(); ++k) {
    most = std::max(most, local_error(tracks_[t], curve.at(channel.times_seconds[k]), value));
    if (!is_spline || k + 1 == channel.times_seconds.size()) continue;
    for (const double u : {0.25, 0.5, 0.75}) {
      const double a = channel.times_seconds[k], b = channel.times_seconds[k + 1];
      most = std::max(most, local_error(tracks_[t], curve.at(a + (b - a) * u), value));
    }
  }
  return most;
}

void ClipCompressor::find_constants() {
  const double chain = static_cast<double>(longest_chain());
  for (std::size_t t = 0; t < tracks_.size(); ++t) {
    if (tracks_[t].curve.channel().times_seconds.size() > 1 && is_of(t, Kind::kCurve) && !is_still(t)) continue;
    const Track& track = tracks_[t];
    const double allowed = tolerances_[t] * kConstantPart / chain;
    Value value = track.curve.at(0);
    if (track.target.property != Property::kRotation) {
      Value low = value, high = value;
      for (std::size_t k = 0; k < track.curve.channel().times_seconds.size(); ++k) {
        for (std::size_t c = 0; c < 4; ++c) {
          low[c] = std::min(low[c], track.curve.key(k)[c]);
          high[c] = std::max(high[c], track.curve.key(k)[c]);
        }
      }
      for (std::size_t c = 0; c < 4; ++c)
        if (low[c] != high[c]) value[c] = (low[c] + high[c]) / 2;
    }
    if (!(error_of_constant(t, value) <= allowed)) continue;
    kinds_[t] = Kind::kConstant;
    constants_[t] = value;
    const std::uint32_t j = skeleton_.joint_of_track(static_cast<std::uint32_t>(t));
    if (options_.keeps_rest || j == kNoTrack || !is_transform(track.target.property)) continue;
    const Skeleton::Joint& joint = skeleton_.joints()[j];
    const Value& rest = track.target.property == Property::kTranslation ? joint.translation
                        : track.target.property == Property::kRotation  ? joint.rotation
                                                                        : joint.scale;
    if (error_of_constant(t, rest) <= allowed) kinds_[t] = Kind::kRest, constants_[t] = rest;
  }
}

std::size_t ClipCompressor::longest_chain() const {
  const auto joints = skeleton_.joints();
  std::vector<std::size_t> above(joints.size());
  std::size_t most = 1;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    above[j] = (joints[j].parent == scene::kNone ? 0 : above[joints[j].parent]) +
               static_cast<std::size_t>(std::ranges::count_if(joints[j].tracks, [](auto t) { return t != kNoTrack; }));
    most = std::max(most, above[j]);
  }
  return most;
}

void ClipCompressor::share() {
  if (!has_samples()) return;
  const auto joints = skeleton_.joints();
  std::vector<std::size_t> above(joints.size()), below(joints.size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const auto own = std::ranges::count_if(joints[j].tracks,
                                           [&](std::uint32_t t) { return t != kNoTrack && is_of(t, Kind::kSampled); });
    above[j] = (joints[j].parent == scene::kNone ? 0 : above[joints[j].parent]) + static_cast<std::size_t>(own);
  }
  for (std::size_t j = joints.size(); j-- > 0;) {
    below[j] = std::max(below[j], above[j]);
    if (joints[j].parent != scene::kNone) below[joints[j].parent] = std::max(below[joints[j].parent], below[j]);
  }
  ranges_.resize(tracks_.size());
  for (std::uint32_t t = 0; t < tracks_.size(); ++t) {
    if (!is_of(t, Kind::kSampled)) continue;
    if (is_transform(tracks_[t].target.property))
      tolerances_[t] /= static_cast<double>(std::max<std::size_t>(1, below[skeleton_.joint_of_track(t)]));
    ranges_[t] = range_of(t);
  }
}

VectorRange ClipCompressor::range_of(std::size_t t) const {
  VectorRange range{};
  for (std::size_t c = 0; c < tracks_[t].target.components && c < 3; ++c) {
    double low = frames_[t][0][c], high = low;
    for (const Value& v : frames_[t]) low = std::min(low, v[c]), high = std::max(high, v[c]);
    const double margin = (high - low) / 4;
    range.origin[c] = static_cast<float>(low - margin);
    range.base_unit[c] = static_cast<float>((high - low + 2 * margin) / 8191);
  }
  range.step = static_cast<float>(std::clamp(tolerances_[t] * 0x1p-12, 0x1p-100, 0x1p76));
  return range;
}

Bound bound_of(std::span<const scene::Clip> clips, std::span<const Node> nodes, const Options& options) {
  double size = options.size;
  if (!(size > 0)) {
    for (const scene::Clip& clip : clips) {
      const std::vector<Track> tracks = tracks_of(clip);
      const Skeleton skeleton(nodes, tracks);
      sample_poses(skeleton, tracks, duration_of(clip), [&](std::span<const Affine> pose) {
        for (std::size_t c = 0; c < 3; ++c) {
          double low = std::numeric_limits<double>::infinity(), high = -low;
          for (std::size_t j = 0; j < pose.size(); ++j) {
            low = std::min(low, pose[j].t[c] - skeleton.joints()[j].reach);
            high = std::max(high, pose[j].t[c] + skeleton.joints()[j].reach);
          }
          size = std::max(size, high - low);
        }
      });
    }
    if (!(size > 0) || !std::isfinite(size)) size = kHumanMeters;
  }
  return {options.error > 0 ? options.error : size * (kHumanError / kHumanMeters),
          options.radius > 0 ? options.radius : size * (kHumanRadius / kHumanMeters)};
}

Result<hanim::CompressedBytes> compress(const scene::Clip& clip, std::span<const Node> nodes, const Options& options,
                                        const Bound& bound) {
  return ClipCompressor(clip, nodes, options, bound).run();
}

Result<ByteVector> write_hanim(std::span<const scene::Clip> clips, std::span<const Node> nodes, const Options& options,
                               std::span<const hanim::Joint> joints) {
  const Bound bound = bound_of(clips, nodes, options);
  std::vector<std::optional<Result<hanim::CompressedBytes>>> results(clips.size());
  parallel_for(clips.size(), [&](std::size_t c) { results[c] = compress(clips[c], nodes, options, bound); });
  std::vector<hanim::CompressedBytes> bytes;
  for (auto& result : results) {
    if (!*result) return std::unexpected(std::move(*result).error());
    bytes.push_back(std::move(**result));
  }
  return hanim::write_compressed(bytes, joints, static_cast<float>(bound.error), static_cast<float>(bound.radius),
                                 options.of_scene ? hanim::kOfScene : 0);
}

}  // namespace assetc::animation
