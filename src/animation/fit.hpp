// Fits control values to the frames of one track in one segment, and quantizes them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "animation/curve.hpp"
#include "formats/hanim/layout.hpp"

namespace assetc::animation {

using Point = std::array<double, 3>;

// The weights of control values at every frame of a segment, and the matrices of the best fit, for every mode.
class Basis {
 public:
  // intervals: 1 to kMaxSegmentFrames.
  explicit Basis(std::uint32_t intervals);

  std::uint32_t intervals() const { return intervals_; }
  std::uint32_t frames() const { return intervals_ + 1; }
  // Whether a segment of this size can use the mode.
  bool has(std::uint32_t mode) const { return !modes_[mode].taps.empty(); }
  std::uint32_t controls(std::uint32_t mode) const { return hanim::layout::control_count(mode, intervals_); }
  const hanim::layout::Taps& taps(std::uint32_t mode, std::uint32_t frame) const { return modes_[mode].taps[frame]; }
  // The control values whose frames are nearest to the given ones (least squares).
  std::vector<Point> fit(std::uint32_t mode, std::span<const Point> frames) const;
  // The values at the frames that control values give.
  void evaluate(std::uint32_t mode, std::span<const Point> controls, std::span<Point> frames) const;

 private:
  struct Mode {
    std::vector<hanim::layout::Taps> taps;  // of each frame; empty: not usable
    std::vector<double> solve;              // controls x frames; empty: controls are the frames
  };
  std::uint32_t intervals_;
  std::array<Mode, hanim::layout::kModeCount> modes_;
};

// The quantized control values of a track in a segment.
struct Choice {
  hanim::layout::Record record{};
  std::vector<std::array<std::uint32_t, 3>> controls;
  std::vector<Value> frames;  // as a sampler decodes them
  std::uint32_t bits = 0xffffffff;

  bool is_valid() const { return bits != 0xffffffff; }
};

// One track in one segment.
class SegmentTrack {
 public:
  // values: one for each frame; rotations are unit quaternions.
  // range: of a vector track. Null: a rotation.
  SegmentTrack(const Basis& basis, std::span<const Value> values, const hanim::layout::VectorRange* range);

  // Whether the values can be stored: a component of a rotation stays clearly above 0.
  bool is_storable() const { return is_storable_; }
  // The smallest choice whose frames are within the tolerance: an angle in radians for a rotation, else a distance. The
  // most exact choice if there is none.
  const Choice& choose(double tolerance);

 private:
  struct Fit {
    bool is_made = false;
    std::vector<Point> controls;
    double error = 0;
    Point low, high;
  };
  const Fit& fit(std::uint32_t mode);
  double error_of(std::span<const Point> frames) const;
  double error_at(std::uint32_t frame, const Point& value) const;
  const std::array<std::uint8_t, 16>& sizes() const;
  double step_of(int index) const;
  // Quantizes the controls of a mode with a step. False if they do not fit the largest sizes, or not fewer bits than
  // `most_bits`.
  bool quantize(std::uint32_t mode, int step_index, std::uint32_t most_bits, Choice& out, double& error);
  void try_mode(std::uint32_t mode, double tolerance, Choice& best);
  const Choice& most_exact();
  Value decoded(const Point& stored) const;

  const Basis& basis_;
  const hanim::layout::VectorRange* range_;
  bool is_storable_ = true;
  std::uint32_t left_out_ = 0;
  std::vector<Value> reference_;  // with the left-out component positive
  std::vector<Point> stored_;     // the components that are stored
  std::array<Fit, hanim::layout::kModeCount> fits_;
  std::deque<std::pair<double, Choice>> made_;  // by tolerance; references stay valid
  Choice most_exact_;
};

}  // namespace assetc::animation
