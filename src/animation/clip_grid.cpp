// The frames at which a clip is sampled.

#include <bit>
#include <cmath>
#include <limits>

#include "animation/clip_compressor.hpp"
#include "parallel/parallel.hpp"

namespace assetc::animation {

using namespace hanim::layout;
using hanim::Property;
using scene::Interpolation;

namespace {

// The part of the error by which the frames of a grid may differ from the source between them.
constexpr double kGridPart = 0.2;
// Frames for each key of the source, at most.
constexpr double kMostFramesPerKey = 32;
constexpr std::uint32_t kSegmentFrames = 32;

}  // namespace

std::vector<float> ClipCompressor::key_times() const {
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

double ClipCompressor::base_intervals(std::span<const float> times, double most_intervals) const {
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

bool ClipCompressor::is_on_grid(std::size_t t) const {
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

void ClipCompressor::sample_frames() {
  frames_.assign(tracks_.size(), {});
  parallel_for(tracks_.size(), [&](std::size_t t) {
    if (!is_of(t, Kind::kSampled)) return;
    frames_[t].resize(frame_count_);
    for (std::uint32_t f = 0; f < frame_count_; ++f) frames_[t][f] = tracks_[t].curve.at(frame_time(f));
  });
}

std::size_t ClipCompressor::raw_bytes(std::size_t t) const {
  return tracks_[t].curve.channel().times_seconds.size() * (1 + tracks_[t].target.components) * sizeof(float);
}

void ClipCompressor::choose_grid() {
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
    parallel_for(tracks_.size(), [&](std::size_t t) {
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

void ClipCompressor::drop_unstorable() {
  basis_of(0), basis_of(segment_count() - 1);  // made once, before threads use them
  parallel_for(tracks_.size(), [&](std::size_t t) {
    if (!is_of(t, Kind::kSampled) || tracks_[t].target.property != Property::kRotation) return;
    for (std::uint32_t s = 0; s < segment_count(); ++s) {
      const Basis& basis = basis_of(s);
      if (!SegmentTrack(basis, frames_of(t, s), nullptr).is_storable()) kinds_[t] = Kind::kCurve;
    }
  });
  if (!has_samples()) frame_count_ = 0;
}

}  // namespace assetc::animation
