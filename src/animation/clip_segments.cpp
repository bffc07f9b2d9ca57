// The control points of each segment of a clip.

#include "animation/clip_compressor.hpp"
#include "parallel/parallel.hpp"

namespace assetc::animation {

using namespace hanim::layout;
using hanim::Property;

bool ClipCompressor::solve() {
  segments_.assign(segment_count(), {});
  subtrees_ = skeleton_.subtrees();
  parallel_for(segment_count(), [&](std::uint32_t s) { solve_segment(s); });
  return std::ranges::all_of(segments_, &Segment::is_solved);
}

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

}  // namespace assetc::animation
