#include "animation/compress.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "animation/fit.hpp"
#include "animation/tracks.hpp"

namespace assetc::animation {
namespace {

using namespace hanim::layout;
using hanim::Property;
using scene::Interpolation;

// The size of a human, whose default error is 0.1 mm at 3 cm around the joints.
constexpr double kHumanMetres = 1.8, kHumanError = 0.0001, kHumanRadius = 0.03;
// The part of the error that constant tracks may use, and that the frames of a grid may differ from the source between
// them.
constexpr double kConstantPart = 0.25, kGridPart = 0.2;
// The precision of a camera or light: this part of the range of its track.
constexpr double kPropertyPart = 1.0 / 4096;
// Times at which the reach of joints is measured.
constexpr std::size_t kReachTimes = 33;
// Frames for each key of the source, at most.
constexpr double kMostFramesPerKey = 32;
constexpr std::uint32_t kSegmentFrames = 32;

enum class Kind : std::uint8_t { kRest, kConstant, kSampled, kCurve };

float duration_of(const scene::Clip& clip) {
  float duration = 0;
  for (const scene::Channel& c : clip.channels)
    if (!c.times_seconds.empty()) duration = std::max(duration, c.times_seconds.back());
  return duration;
}

double distance(const Value& a, const Value& b) {
  double sum = 0;
  for (std::size_t c = 0; c < 4; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return std::sqrt(sum);
}

// The error of a track's value: an angle (for small ones) between rotations, else a distance.
double local_error(const Track& track, const Value& found, const Value& want) {
  if (track.target.property != Property::kRotation) return distance(found, want);
  Value other = found;
  if (dot(found, want) < 0) {
    for (double& c : other) c = -c;
  }
  return 2 * distance(other, want);
}

// As samplers interpolate between frames.
Value between(const Track& track, const Value& a, const Value& b, double t) {
  const bool is_rotation = track.target.property == Property::kRotation;
  const double cosine = is_rotation ? dot(a, b) : 0, sign = cosine < 0 ? -1 : 1;
  const double u = is_rotation ? even_time(t, std::fabs(cosine)) : t;
  Value out;
  for (std::size_t c = 0; c < 4; ++c) out[c] = a[c] + (sign * b[c] - a[c]) * u;
  return is_rotation ? unit(out) : out;
}

std::vector<Value> values_at(std::span<const Track> tracks, double time) {
  std::vector<Value> values;
  values.reserve(tracks.size());
  for (const Track& track : tracks) values.push_back(track.curve.at(time));
  return values;
}

// For each joint: the largest distance from it to a point that it moves, along the bones, and the largest scale of the
// space above it.
struct Reach {
  double distance = 0, scale_above = 1, scale = 1;
};
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

class ClipCompressor {
 public:
  ClipCompressor(const scene::Clip& clip, std::span<const Node> nodes, const Options& options, const Bound& bound)
      : clip_(clip),
        options_(options),
        bound_(bound),
        duration_(duration_of(clip)),
        tracks_(tracks_of(clip)),
        skeleton_(nodes, tracks_),
        kinds_(tracks_.size(), Kind::kSampled),
        constants_(tracks_.size()),
        tolerances_(tracks_.size()) {}

  Result<hanim::CompressedBytes> run() {
    if (tracks_.size() > std::numeric_limits<std::uint32_t>::max() / 64)
      return fail(ErrorCode::kLimit, "clip \"" + clip_.name + "\" has too many channels to compress");
    for (const Track& track : tracks_) {
      if (track.target.object > kMaxObject)
        return fail(ErrorCode::kLimit, "clip \"" + clip_.name + "\" moves object " +
                                           std::to_string(track.target.object) + ", expected at most " +
                                           std::to_string(kMaxObject));
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

 private:
  bool is_of(std::size_t t, Kind kind) const { return kinds_[t] == kind; }
  bool has_samples() const { return std::ranges::find(kinds_, Kind::kSampled) != kinds_.end(); }
  double frame_time(double frame) const {
    if (frame_count_ < 2) return 0;
    if (times_.empty()) return duration_ * frame / static_cast<double>(frame_count_ - 1);
    const std::size_t at = std::min(static_cast<std::size_t>(frame), times_.size() - 2);
    return times_[at] + (static_cast<double>(times_[at + 1]) - times_[at]) * (frame - static_cast<double>(at));
  }
  // The frame at a time, with a fraction.
  double frame_at(double time) const {
    const std::uint32_t last = frame_count_ - 1;
    if (times_.empty()) return duration_ > 0 ? time / duration_ * last : 0;
    const auto next = std::ranges::upper_bound(times_, time, {}, [](float t) { return static_cast<double>(t); });
    const auto at = std::clamp<std::ptrdiff_t>(next - times_.begin() - 1, 0, last - 1);
    const double a = times_[static_cast<std::size_t>(at)], b = times_[static_cast<std::size_t>(at) + 1];
    return static_cast<double>(at) + std::clamp((time - a) / (b - a), 0.0, 1.0);
  }

  void measure_reach() {
    const auto joints = skeleton_.joints();
    reach_.resize(joints.size());
    for (std::size_t j = 0; j < joints.size(); ++j) reach_[j].distance = std::max(bound_.radius, joints[j].reach);
    sample_poses(skeleton_, tracks_, duration_, [&](std::span<const Affine> pose) {
      std::vector<double> reach(joints.size());
      for (std::size_t j = joints.size(); j-- > 0;) {
        reach[j] = std::max({reach[j], bound_.radius, joints[j].reach});
        for (std::size_t c = 0; c < 3; ++c) reach_[j].scale = std::max(reach_[j].scale, length_of_column(pose[j], c));
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

  // The local error that alone moves a point by the whole error.
  double tolerance_of(std::uint32_t t) const {
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
    if (property == Property::kRotation) return bound_.error / reach_[j].distance;
    return bound_.error / reach_[j].distance;
  }

  void find_steps() {
    for (std::size_t t = 0; t < tracks_.size(); ++t) {
      const scene::Channel& channel = tracks_[t].curve.channel();
      if (channel.interpolation == Interpolation::kStep ||
          (channel.interpolation == Interpolation::kCubicSpline && options_.exact_splines)) {
        kinds_[t] = Kind::kCurve;
      }
      // Samples of larger values could exceed the range of a float.
      if (std::ranges::any_of(channel.values, [](float v) { return std::fabs(v) > 0x1p70f; })) kinds_[t] = Kind::kCurve;
      if (is_transform(tracks_[t].target.property) &&
          skeleton_.joint_of_track(static_cast<std::uint32_t>(t)) == kNoTrack)
        kinds_[t] = Kind::kCurve;  // of a node that is not there
    }
  }

  // Whether all values are equal, so that the kind of curve does not matter.
  bool is_still(std::size_t t) const {
    const Curve& curve = tracks_[t].curve;
    for (std::size_t k = 0; k < curve.channel().times_seconds.size(); ++k)
      if (curve.key(k) != curve.key(0)) return false;
    return curve.channel().interpolation != Interpolation::kCubicSpline;
  }

  // The largest local error if the track had this value all the time.
  double error_of_constant(std::size_t t, const Value& value) const {
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

  void find_constants() {
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

  // The largest number of tracks that add to the error of one point.
  std::size_t longest_chain() const {
    const auto joints = skeleton_.joints();
    std::vector<std::size_t> above(joints.size());
    std::size_t most = 1;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      above[j] =
          (joints[j].parent == scene::kNone ? 0 : above[joints[j].parent]) +
          static_cast<std::size_t>(std::ranges::count_if(joints[j].tracks, [](auto t) { return t != kNoTrack; }));
      most = std::max(most, above[j]);
    }
    return most;
  }

  // All times of keys between which the source is linear.
  std::vector<float> key_times() const {
    std::vector<float> times;
    const std::vector<float>* before = nullptr;
    for (std::size_t t = 0; t < tracks_.size(); ++t) {
      const scene::Channel& channel = tracks_[t].curve.channel();
      if (!is_of(t, Kind::kSampled) || channel.interpolation != Interpolation::kLinear) continue;
      if (before != nullptr && *before == channel.times_seconds) continue;
      before = &channel.times_seconds;
      times.insert(times.end(), before->begin(), before->end());
    }
    std::ranges::sort(times);
    times.erase(std::ranges::unique(times).begin(), times.end());
    return times;
  }

  // The number of intervals of the grid whose frames are the keys of the source, or come near; 0: there is none.
  double base_intervals(std::span<const float> times, double most_intervals) const {
    float gap = std::numeric_limits<float>::infinity();
    for (std::size_t k = 1; k < times.size(); ++k) gap = std::min(gap, times[k] - times[k - 1]);
    std::vector<double> rates{24, 25, 30, 48, 50, 60, 90, 100, 120, 144, 240};
    if (times.size() > 1) {
      rates.push_back(1.0 / static_cast<double>(gap));
      rates.push_back(static_cast<double>(times.size() - 1) / (static_cast<double>(times.back()) - times.front()));
    }
    std::ranges::sort(rates);
    for (const double rate : rates) {
      const double n = std::floor(duration_ * rate + 0.5);
      if (n < 1 || n > most_intervals) continue;
      const double frames_per_second = n / duration_;
      const auto is_near = [&](float time) {
        const double frame = time * frames_per_second;
        return std::fabs(frame - std::floor(frame + 0.5)) < 0.01;
      };
      if (std::ranges::all_of(times, is_near)) return n;
    }
    if (times.empty()) return std::clamp(std::floor(duration_ * 30.0 + 0.5), 1.0, most_intervals);
    return std::min(std::floor(duration_ / static_cast<double>(gap) + 0.5), most_intervals);
  }

  // Whether a grid of frames gives the track's values between them too.
  bool is_on_grid(std::size_t t) const {
    const Track& track = tracks_[t];
    const double allowed = tolerances_[t] * kGridPart;
    const std::uint32_t last = frame_count_ - 1;
    Value a = track.curve.at(0);
    for (std::uint32_t f = 0; f < last; ++f) {
      const Value b = track.curve.at(frame_time(f + 1));
      for (const double u : {0.25, 0.5, 0.75})
        if (!(local_error(track, between(track, a, b, u), track.curve.at(frame_time(f + u))) <= allowed)) return false;
      a = b;
    }
    for (const float time : track.curve.channel().times_seconds) {
      const double frame = frame_at(time);
      const double floor = std::min(std::floor(frame), static_cast<double>(last - 1));
      const Value c = track.curve.at(frame_time(floor)), d = track.curve.at(frame_time(floor + 1));
      if (!(local_error(track, between(track, c, d, frame - floor), track.curve.at(time)) <= allowed)) return false;
    }
    return true;
  }

  void sample_frames() {
    frames_.assign(tracks_.size(), {});
    tbb::parallel_for(std::size_t{0}, tracks_.size(), [&](std::size_t t) {
      if (!is_of(t, Kind::kSampled)) return;
      frames_[t].resize(frame_count_);
      for (std::uint32_t f = 0; f < frame_count_; ++f) frames_[t][f] = tracks_[t].curve.at(frame_time(f));
    });
  }

  std::size_t raw_bytes(std::size_t t) const {
    return tracks_[t].curve.channel().times_seconds.size() * (1 + tracks_[t].target.components) * sizeof(float);
  }

  // Chooses the frames. Tracks that they cannot represent, and those with few keys, become curves.
  void choose_grid() {
    std::size_t most_keys = 0;
    for (std::size_t t = 0; t < tracks_.size(); ++t)
      if (is_of(t, Kind::kSampled)) most_keys = std::max(most_keys, tracks_[t].curve.channel().times_seconds.size());
    if (most_keys == 0) return;
    const double most = std::min(kMostFramesPerKey * static_cast<double>(most_keys) + 64, double{kMaxFrames - 1});
    const std::vector<float> keys = key_times();
    double base = base_intervals(keys, most);
    // Where keys have no common rate, they are the frames.
    const bool has_splines = std::ranges::any_of(
        tracks_, [](const Track& track) { return track.curve.channel().interpolation == Interpolation::kCubicSpline; });
    if (keys.size() > 1 && !has_splines && (!(base >= 1) || static_cast<double>(keys.size()) * 1.25 < base)) {
      times_ = keys;
      base = static_cast<double>(keys.size() - 1);
    }
    std::vector<Kind> best;
    std::uint32_t best_frames = 0;
    double best_cost = std::numeric_limits<double>::infinity();
    const std::vector<Kind> start = kinds_;
    for (const double factor : {1.0, 2.0, 4.0, 8.0}) {
      if (!(base >= 1) || base * factor > most || (factor > 1 && !times_.empty())) break;
      frame_count_ = static_cast<std::uint32_t>(base * factor) + 1;
      kinds_ = start;
      const std::size_t few = 1 + (frame_count_ - 1) / 8;
      std::vector<std::uint8_t> fails(tracks_.size());
      tbb::parallel_for(std::size_t{0}, tracks_.size(), [&](std::size_t t) {
        if (!is_of(t, Kind::kSampled)) return;
        const scene::Channel& channel = tracks_[t].curve.channel();
        const bool is_sparse = channel.interpolation == Interpolation::kLinear && channel.times_seconds.size() <= few;
        fails[t] = is_sparse || !is_on_grid(t) ? 1 : 0;
      });
      double cost = 0, all = 0;
      for (std::size_t t = 0; t < tracks_.size(); ++t) {
        if (!is_of(t, Kind::kSampled)) continue;
        all += static_cast<double>(raw_bytes(t));
        if (fails[t] == 0) continue;
        kinds_[t] = Kind::kCurve;
        cost += static_cast<double>(raw_bytes(t));
      }
      if (cost < best_cost) best_cost = cost, best = kinds_, best_frames = frame_count_;
      if (cost <= all * 0.1) break;
    }
    if (best.empty()) {
      kinds_ = start;
      for (Kind& kind : kinds_)
        if (kind == Kind::kSampled) kind = Kind::kCurve;
      frame_count_ = 0;
      return;
    }
    kinds_ = best;
    frame_count_ = best_frames;
    if (!has_samples()) {
      frame_count_ = 0;
      return;
    }
    segment_frames_ = std::min(kSegmentFrames, std::max(kMinSegmentFrames, std::bit_ceil(frame_count_ - 1)));
    sample_frames();
    drop_unstorable();
  }

  void drop_unstorable() {
    basis_of(0), basis_of(segment_count() - 1);  // made once, before threads use them
    tbb::parallel_for(std::size_t{0}, tracks_.size(), [&](std::size_t t) {
      if (!is_of(t, Kind::kSampled) || tracks_[t].target.property != Property::kRotation) return;
      for (std::uint32_t s = 0; s < segment_count(); ++s) {
        const Basis& basis = basis_of(s);
        if (!SegmentTrack(basis, frames_of(t, s), nullptr).is_storable()) kinds_[t] = Kind::kCurve;
      }
    });
    if (!has_samples()) frame_count_ = 0;
  }

  std::uint32_t segment_count() const { return frame_count_ < 2 ? 0 : (frame_count_ - 2) / segment_frames_ + 1; }
  std::uint32_t intervals_of(std::uint32_t s) const {
    return std::min(segment_frames_, frame_count_ - 1 - s * segment_frames_);
  }
  std::span<const Value> frames_of(std::size_t t, std::uint32_t s) const {
    return std::span(frames_[t]).subspan(std::size_t{s} * segment_frames_, intervals_of(s) + 1);
  }
  const Basis& basis_of(std::uint32_t s) {
    std::optional<Basis>& basis = intervals_of(s) == segment_frames_ ? whole_ : tail_;
    if (!basis) basis.emplace(intervals_of(s));
    return *basis;
  }

  // Gives each sampled track its part of the error, and its range.
  void share() {
    if (!has_samples()) return;
    const auto joints = skeleton_.joints();
    std::vector<std::size_t> above(joints.size()), below(joints.size());
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const auto own = std::ranges::count_if(
          joints[j].tracks, [&](std::uint32_t t) { return t != kNoTrack && is_of(t, Kind::kSampled); });
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

  VectorRange range_of(std::size_t t) const {
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

  struct Segment {
    std::vector<Choice> choices;  // of every track; only those of sampled tracks are used
    bool is_solved = false;
  };

  bool solve() {
    segments_.assign(segment_count(), {});
    subtrees_ = skeleton_.subtrees();
    tbb::parallel_for(std::uint32_t{0}, segment_count(), [&](std::uint32_t s) { solve_segment(s); });
    return std::ranges::all_of(segments_, &Segment::is_solved);
  }

  void solve_segment(std::uint32_t s);
  void coarsen(std::span<std::optional<SegmentTrack>> tracks, std::span<const std::vector<Affine>> want,
               std::uint32_t s, double factor, double allowed, std::vector<const Choice*>& choices) const;
  void set_values(std::uint32_t s, std::span<const Choice* const> choices, std::uint32_t frame, double u,
                  std::vector<Value>& values) const;
  double segment_error(std::uint32_t s, std::span<const Choice* const> choices,
                       std::span<const std::vector<Affine>> want, std::uint32_t steps) const;

  Result<hanim::CompressedBytes> write() const;
  void write_segment(std::uint32_t s, std::span<const std::uint32_t> order, ByteVector& out) const;

  const scene::Clip& clip_;
  const Options& options_;
  Bound bound_;
  double duration_;
  std::vector<Track> tracks_;
  Skeleton skeleton_;
  std::vector<Kind> kinds_;
  std::vector<Value> constants_;
  std::vector<double> tolerances_;
  std::vector<Reach> reach_;
  std::uint32_t frame_count_ = 0, segment_frames_ = 0;
  std::vector<float> times_;                // of the frames; empty: at a fixed rate
  std::vector<std::vector<Value>> frames_;  // of the sampled tracks
  std::vector<VectorRange> ranges_;
  std::optional<Basis> whole_, tail_;
  std::vector<std::vector<std::uint32_t>> subtrees_;
  std::vector<Segment> segments_;
};

void ClipCompressor::set_values(std::uint32_t s, std::span<const Choice* const> choices, std::uint32_t frame, double u,
                                std::vector<Value>& values) const {
  for (std::size_t t = 0; t < tracks_.size(); ++t) {
    if (!is_transform(tracks_[t].target.property)) continue;
    if (kinds_[t] == Kind::kSampled) {
      const std::vector<Value>& frames = choices[t]->frames;
      values[t] = u == 0   ? frames[frame]
                  : u == 1 ? frames[frame + 1]
                           : between(tracks_[t], frames[frame], frames[frame + 1], u);
    } else if (kinds_[t] == Kind::kCurve) {
      values[t] = tracks_[t].curve.at(frame_time(s * segment_frames_ + frame + u));
    } else {
      values[t] = constants_[t];
    }
  }
}

// The largest error of the poses in a segment, at `steps` times for each interval. want: the poses of the source at
// these times.
double ClipCompressor::segment_error(std::uint32_t s, std::span<const Choice* const> choices,
                                     std::span<const std::vector<Affine>> want, std::uint32_t steps) const {
  std::vector<Value> values(tracks_.size());
  std::vector<Affine> pose(skeleton_.joints().size());
  double most = 0;
  for (std::uint32_t i = 0; i < want.size(); ++i) {
    const std::uint32_t frame = std::min(i / steps, intervals_of(s) - 1);
    const double u = static_cast<double>(i - frame * steps) / steps;
    set_values(s, choices, frame, u, values);
    skeleton_.pose(values, pose);
    most = std::max(most, pose_error(skeleton_, want[i], pose, bound_.radius));
  }
  return most;
}

// Gives tracks one after another a larger tolerance, as long as the error of every frame stays allowed.
void ClipCompressor::coarsen(std::span<std::optional<SegmentTrack>> tracks, std::span<const std::vector<Affine>> want,
                             std::uint32_t s, double factor, double allowed,
                             std::vector<const Choice*>& choices) const {
  if (subtrees_.empty()) return;
  const std::size_t joints = skeleton_.joints().size();
  std::vector<std::vector<Value>> values(want.size(), std::vector<Value>(tracks_.size()));
  std::vector<std::vector<Affine>> poses(want.size(), std::vector<Affine>(joints));
  for (std::uint32_t f = 0; f < want.size(); ++f) {
    const std::uint32_t frame = std::min(f, intervals_of(s) - 1);
    set_values(s, choices, frame, f - frame, values[f]);
    skeleton_.pose(values[f], poses[f]);
  }
  // The new matrices of a subtree in one frame. False if an error is too large.
  std::vector<Affine> changed(joints);
  const auto pose_subtree = [&](std::uint32_t joint, std::uint32_t f) {
    for (const std::uint32_t j : subtrees_[joint]) {
      const Skeleton::Joint& at = skeleton_.joints()[j];
      const Affine own = skeleton_.local(j, values[f]);
      if (at.parent == scene::kNone) {
        changed[j] = own;
      } else {
        changed[j] = (j == joint ? poses[f][at.parent] : changed[at.parent]) * own;
      }
      if (!(joint_error(at, want[f][j], changed[j], bound_.radius) <= allowed)) return false;
    }
    return true;
  };
  std::vector<std::uint32_t> order;
  for (std::uint32_t t = 0; t < tracks_.size(); ++t)
    if (choices[t] != nullptr && is_transform(tracks_[t].target.property)) order.push_back(t);
  std::vector<double> factors(tracks_.size(), factor);
  for (const double more : {1.6, 1.6, 1.3, 1.15}) {
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::uint32_t t) { return choices[t]->bits; });
    for (const std::uint32_t t : order) {
      const Choice* choice = &tracks[t]->choose(tolerances_[t] * factors[t] * more);
      if (choice->bits >= choices[t]->bits) continue;
      const std::uint32_t joint = skeleton_.joint_of_track(t);
      bool is_good = true;
      for (std::uint32_t f = 0; is_good && f < want.size(); ++f) {
        values[f][t] = choice->frames[f];
        is_good = pose_subtree(joint, f);
      }
      for (std::uint32_t f = 0; f < want.size(); ++f) {
        values[f][t] = is_good ? choice->frames[f] : choices[t]->frames[f];
        if (!is_good) continue;
        (void)pose_subtree(joint, f);
        for (const std::uint32_t j : subtrees_[joint]) poses[f][j] = changed[j];
      }
      if (!is_good) continue;
      choices[t] = choice;
      factors[t] *= more;
    }
  }
}

void ClipCompressor::solve_segment(std::uint32_t s) {
  constexpr std::uint32_t kSteps4 = 4;  // times for each interval in the last check
  const Basis& basis = intervals_of(s) == segment_frames_ ? *whole_ : *tail_;
  std::vector<std::optional<SegmentTrack>> tracks(tracks_.size());
  for (std::size_t t = 0; t < tracks_.size(); ++t) {
    if (!is_of(t, Kind::kSampled)) continue;
    tracks[t].emplace(basis, frames_of(t, s),
                      tracks_[t].target.property == Property::kRotation ? nullptr : &ranges_[t]);
  }
  std::vector<std::vector<Affine>> fine(std::size_t{intervals_of(s)} * kSteps4 + 1), frames(basis.frames());
  for (std::size_t i = 0; i < fine.size(); ++i) {
    fine[i].resize(skeleton_.joints().size());
    const double frame = static_cast<double>(s * segment_frames_) + static_cast<double>(i) / kSteps4;
    skeleton_.pose(values_at(tracks_, frame_time(frame)), fine[i]);
    if (i % kSteps4 == 0) frames[i / kSteps4] = fine[i];
  }
  const auto choose = [&](double factor, std::vector<const Choice*>& choices) {
    choices.assign(tracks_.size(), nullptr);
    for (std::size_t t = 0; t < tracks_.size(); ++t) {
      if (!tracks[t]) continue;
      const bool is_transformed = is_transform(tracks_[t].target.property);
      choices[t] = &tracks[t]->choose(tolerances_[t] * (is_transformed ? factor : 0.98));
      if (!choices[t]->is_valid()) return false;
    }
    return true;
  };
  for (const double part : {0.97, 0.85, 0.65, 0.4, 0.2}) {
    const double allowed = bound_.error * part;
    std::vector<const Choice*> best;
    const auto works = [&](double factor) {
      std::vector<const Choice*> choices;
      if (!choose(factor, choices) || !(segment_error(s, choices, frames, 1) <= allowed)) return false;
      best = std::move(choices);
      return true;
    };
    double factor = 2;
    if (works(factor)) {
      for (double step : {1.5, 1.5, 1.5, 1.5, 1.2}) {
        if (!works(factor * step)) break;
        factor *= step;
      }
    } else {
      while (factor > 0.02 && !works(factor)) factor *= 0.7;
    }
    if (best.empty()) continue;
    coarsen(tracks, frames, s, factor, allowed, best);
    if (!(segment_error(s, best, fine, kSteps4) <= bound_.error * 0.99)) continue;
    segments_[s].choices.resize(tracks_.size());
    for (std::size_t t = 0; t < tracks_.size(); ++t)
      if (best[t] != nullptr) segments_[s].choices[t] = *best[t];
    segments_[s].is_solved = true;
    return;
  }
}

// Packs unsigned numbers, low bits first.
class BitWriter {
 public:
  explicit BitWriter(ByteVector& out) : out_(out) {}
  void write(std::uint32_t value, std::uint32_t bits) {
    buffer_ |= std::uint64_t{value} << count_;
    for (count_ += bits; count_ >= 8; count_ -= 8, buffer_ >>= 8) out_.push_back(static_cast<std::byte>(buffer_ & 255));
  }
  void flush() {
    if (count_ > 0) out_.push_back(static_cast<std::byte>(buffer_ & 255));
    count_ = 0, buffer_ = 0;
  }

 private:
  ByteVector& out_;
  std::uint64_t buffer_ = 0;
  std::uint32_t count_ = 0;
};

void ClipCompressor::write_segment(std::uint32_t s, std::span<const std::uint32_t> order, ByteVector& out) const {
  for (const std::uint32_t t : order) append(out, pack(segments_[s].choices[t].record));
  BitWriter bits(out);
  for (const std::uint32_t t : order) {
    const Choice& choice = segments_[s].choices[t];
    const auto& sizes = tracks_[t].target.property == Property::kRotation ? kRotationBits : kVectorBits;
    for (const auto& control : choice.controls)
      for (std::size_t c = 0; c < 3; ++c) bits.write(control[c], sizes[choice.record.sizes[c]]);
  }
  bits.flush();
}

Result<hanim::CompressedBytes> ClipCompressor::write() const {
  std::vector<Weight> weights;
  const auto tag_of = [&](std::size_t t, std::uint32_t detail) {
    const hanim::Target& target = tracks_[t].target;
    std::uint32_t object = target.object;
    if (target.property == Property::kWeights) {
      object = static_cast<std::uint32_t>(weights.size());
      weights.push_back({target.object, target.first});
    }
    return tag(target.property, detail, object);
  };
  const auto details = [&](std::size_t t) {
    return tracks_[t].target.property == Property::kRotation ? 0u : tracks_[t].target.components - 1u;
  };
  std::vector<Constant> constants;
  std::vector<std::uint32_t> order, tags;
  std::vector<VectorRange> ranges;
  std::vector<hanim::layout::Curve> curves;
  ByteVector keys;
  for (std::size_t t = 0; t < tracks_.size(); ++t) {
    if (!is_of(t, Kind::kConstant)) continue;
    Constant constant{};
    std::uint32_t detail = details(t);
    if (tracks_[t].target.property == Property::kRotation) {
      Value q = constants_[t];
      detail = 0;
      for (std::uint32_t c = 1; c < 4; ++c)
        if (std::fabs(q[c]) > std::fabs(q[detail])) detail = c;
      const double sign = q[detail] < 0 ? -1 : 1;
      for (std::uint32_t c = 0, k = 0; c < 4; ++c)
        if (c != detail) constant.value[k++] = static_cast<float>(sign * q[c]);
    } else {
      for (std::size_t c = 0; c < 3; ++c) constant.value[c] = static_cast<float>(constants_[t][c]);
    }
    constant.tag = tag_of(t, detail);
    constants.push_back(constant);
  }
  for (const bool is_rotation : {true, false}) {
    for (std::uint32_t t = 0; t < tracks_.size(); ++t) {
      if (!is_of(t, Kind::kSampled) || (tracks_[t].target.property == Property::kRotation) != is_rotation) continue;
      order.push_back(t);
      tags.push_back(tag_of(t, details(t)));
      if (!is_rotation) ranges.push_back(ranges_[t]);
    }
  }
  for (std::size_t t = 0; t < tracks_.size(); ++t) {
    if (!is_of(t, Kind::kCurve)) continue;
    const Curve& from = tracks_[t].curve;
    const scene::Channel& channel = from.channel();
    const auto count = static_cast<std::uint32_t>(channel.times_seconds.size());
    curves.push_back({tag_of(t, details(t)), static_cast<std::uint32_t>(channel.interpolation), count,
                      static_cast<std::uint32_t>(keys.size())});
    append_array(keys, std::span<const float>(channel.times_seconds));
    const std::size_t parts = channel.interpolation == Interpolation::kCubicSpline ? 3 : 1;
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t part = 0; part < parts; ++part) {
        const Value value = from.key(k, parts == 1 ? 1 : part);
        for (std::size_t c = 0; c < from.components(); ++c) append(keys, static_cast<float>(value[c]));
      }
    }
  }
  const bool samples = !order.empty();
  const std::uint32_t segments = samples ? segment_count() : 0;
  const std::size_t time_count = samples ? times_.size() : 0;
  const std::size_t at = sizeof(ClipHeader) + time_count * sizeof(float) + weights.size() * sizeof(Weight) +
                         constants.size() * sizeof(Constant) + tags.size() * 4 + ranges.size() * sizeof(VectorRange) +
                         curves.size() * sizeof(hanim::layout::Curve) + std::size_t{segments} * 4;
  for (auto& curve : curves) curve.offset += static_cast<std::uint32_t>(at);
  ByteVector body;
  std::vector<std::uint32_t> offsets;
  for (std::uint32_t s = 0; s < segments; ++s) {
    offsets.push_back(static_cast<std::uint32_t>(at + keys.size() + body.size()));
    write_segment(s, order, body);
    if (at + keys.size() + body.size() > std::numeric_limits<std::uint32_t>::max()) break;
  }
  if (at + keys.size() + body.size() > std::numeric_limits<std::uint32_t>::max() - kPadBytes)
    return fail(ErrorCode::kLimit, "clip \"" + clip_.name + "\" takes more than 4 GiB");
  hanim::CompressedBytes out{clip_.name, {}};
  append(out.bytes, ClipHeader{static_cast<float>(duration_), samples ? frame_count_ : 0,
                               static_cast<std::uint16_t>(samples ? segment_frames_ : 0),
                               samples && !times_.empty() ? kHasTimes : std::uint16_t{0},
                               static_cast<std::uint32_t>(weights.size()), static_cast<std::uint32_t>(constants.size()),
                               static_cast<std::uint32_t>(order.size() - ranges.size()),
                               static_cast<std::uint32_t>(ranges.size()), static_cast<std::uint32_t>(curves.size())});
  append_array(out.bytes, std::span<const Weight>(weights));
  append_array(out.bytes, std::span<const Constant>(constants));
  append_array(out.bytes, std::span<const std::uint32_t>(tags));
  append_array(out.bytes, std::span<const VectorRange>(ranges));
  append_array(out.bytes, std::span<const hanim::layout::Curve>(curves));
  append_array(out.bytes, std::span<const std::uint32_t>(offsets));
  append_array(out.bytes, std::span<const float>(times_).first(time_count));
  append_bytes(out.bytes, keys);
  append_bytes(out.bytes, body);
  if (samples) out.bytes.resize(out.bytes.size() + kPadBytes);
  return out;
}

}  // namespace

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
    if (!(size > 0) || !std::isfinite(size)) size = kHumanMetres;
  }
  return {options.error > 0 ? options.error : size * (kHumanError / kHumanMetres),
          options.radius > 0 ? options.radius : size * (kHumanRadius / kHumanMetres)};
}

Result<hanim::CompressedBytes> compress(const scene::Clip& clip, std::span<const Node> nodes, const Options& options,
                                        const Bound& bound) {
  return ClipCompressor(clip, nodes, options, bound).run();
}

Result<ByteVector> write_hanim(std::span<const scene::Clip> clips, std::span<const Node> nodes, const Options& options,
                               std::span<const hanim::Joint> joints) {
  const Bound bound = bound_of(clips, nodes, options);
  std::vector<std::optional<Result<hanim::CompressedBytes>>> results(clips.size());
  tbb::parallel_for(std::size_t{0}, clips.size(),
                    [&](std::size_t c) { results[c] = compress(clips[c], nodes, options, bound); });
  std::vector<hanim::CompressedBytes> bytes;
  for (auto& result : results) {
    if (!*result) return std::unexpected(std::move(*result).error());
    bytes.push_back(std::move(**result));
  }
  return hanim::write_compressed(bytes, joints, static_cast<float>(bound.error), static_cast<float>(bound.radius),
                                 options.of_scene ? hanim::kOfScene : 0);
}

}  // namespace assetc::animation
