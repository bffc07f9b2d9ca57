// Compresses one clip. run() takes the steps in order: which tracks need samples (compress.cpp), at which frames
// (clip_grid.cpp), with which control points (clip_segments.cpp); then it writes the bytes (clip_write.cpp).
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "animation/compress.hpp"
#include "animation/fit.hpp"
#include "animation/tracks.hpp"

namespace assetc::animation {

// What becomes of a track: nothing (it rests), one value, samples at the frames of a grid, or its own keys.
enum class Kind : std::uint8_t { kRest, kConstant, kSampled, kCurve };

// Of a joint: the largest distance from it to a point that it moves, along the bones, and the largest scale of the
// space above it.
struct Reach {
  double distance = 0, scale_above = 1;
};

// Works on one clip, for one thread; solve() uses the threads of TBB.
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

  Result<hanim::CompressedBytes> run();

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

  void measure_reach();
  // The local error that alone moves a point by the whole error.
  double tolerance_of(std::uint32_t t) const;
  // Tracks with steps, and those that cannot be sampled, become curves.
  void find_steps();
  // Whether all values are equal, so that the kind of curve does not matter.
  bool is_still(std::size_t t) const;
  // The largest local error if the track had this value all the time.
  double error_of_constant(std::size_t t, const Value& value) const;
  // Tracks that hardly change become constants, or nothing where they equal the rest pose.
  void find_constants();
  // The largest number of tracks that add to the error of one point.
  std::size_t longest_chain() const;
  // All times of keys between which the source is linear.
  std::vector<float> key_times() const;
  // The number of intervals of the grid whose frames are the keys of the source, or come near; 0: there is none.
  double base_intervals(std::span<const float> times, double most_intervals) const;
  // Whether a grid of frames gives the track's values between them too.
  bool is_on_grid(std::size_t t) const;
  void sample_frames();
  std::size_t raw_bytes(std::size_t t) const;
  // Chooses the frames. Tracks that they cannot represent, and those with few keys, become curves.
  void choose_grid();
  // Rotations that no control points can store become curves.
  void drop_unstorable();

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
  void share();
  // The range of the control points of a track of vectors.
  hanim::layout::VectorRange range_of(std::size_t t) const;

  struct Segment {
    std::vector<Choice> choices;  // of every track; only those of sampled tracks are used
    bool is_solved = false;
  };
  // Finds the control points of all segments. False if one cannot keep the bound.
  bool solve();
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
  std::vector<hanim::layout::VectorRange> ranges_;
  std::optional<Basis> whole_, tail_;
  std::vector<std::vector<std::uint32_t>> subtrees_;
  std::vector<Segment> segments_;
};

}  // namespace assetc::animation
