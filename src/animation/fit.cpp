#include "animation/fit.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace assetc::animation {

using namespace hanim::layout;

namespace {

// A rotation is stored only if its left-out component stays above this: errors of the others are divided by it.
constexpr double kLeastLeftOut = 0.1;
// Steps of the quantization that are tried for a mode, from the largest that can be good enough.
constexpr int kTries = 7;

// Solves for the controls by normal equations (Cholesky). A small weight of second differences makes the system regular
// where frames do not determine a control.
std::vector<double> solver(std::span<const Taps> taps, std::size_t controls) {
  constexpr double kSmooth = 1e-6;
  const std::size_t n = controls, frames = taps.size();
  std::vector<double> a(n * n), b(n * frames);
  for (std::size_t f = 0; f < frames; ++f) {
    for (std::size_t i = 0; i < 4; ++i) {
      if (taps[f].weights[i] == 0) continue;
      const std::size_t row = taps[f].first + i;
      b[row * frames + f] = taps[f].weights[i];
      for (std::size_t j = 0; j < 4; ++j)
        if (taps[f].weights[j] != 0)
          a[row * n + taps[f].first + j] += static_cast<double>(taps[f].weights[i]) * taps[f].weights[j];
    }
  }
  constexpr double kSecond[3] = {1, -2, 1};
  for (std::size_t k = 0; k + 2 < n; ++k) {
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) a[(k + i) * n + k + j] += kSmooth * kSecond[i] * kSecond[j];
  }
  for (std::size_t i = 0; i < n; ++i) a[i * n + i] += 1e-12;
  for (std::size_t j = 0; j < n; ++j) {  // a = l * transpose(l), in the lower half
    for (std::size_t i = j; i < n; ++i) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = i == j ? std::sqrt(std::max(sum, 1e-18)) : sum / a[j * n + j];
    }
  }
  for (std::size_t f = 0; f < frames; ++f) {
    for (std::size_t i = 0; i < n; ++i) {
      double sum = b[i * frames + f];
      for (std::size_t k = 0; k < i; ++k) sum -= a[i * n + k] * b[k * frames + f];
      b[i * frames + f] = sum / a[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
      double sum = b[i * frames + f];
      for (std::size_t k = i + 1; k < n; ++k) sum -= a[k * n + i] * b[k * frames + f];
      b[i * frames + f] = sum / a[i * n + i];
    }
  }
  return b;
}

}  // namespace

Basis::Basis(std::uint32_t intervals) : intervals_(intervals) {
  for (std::uint32_t mode = 0; mode < kModeCount; ++mode) {
    if (!is_mode(mode)) continue;
    // A cubic needs more frames than controls, and a line at least two frames a span.
    const std::uint32_t stride = 1u << (mode & 7);
    if (mode != 0 && mode != kModeOne && (stride / 2 >= intervals || controls(mode) >= frames())) continue;
    Mode& out = modes_[mode];
    for (std::uint32_t f = 0; f < frames(); ++f) out.taps.push_back(taps_at(mode, std::min(f, intervals - 1), f));
    if (mode != 0) out.solve = solver(out.taps, controls(mode));
  }
}

std::vector<Point> Basis::fit(std::uint32_t mode, std::span<const Point> frames) const {
  const Mode& m = modes_[mode];
  if (m.solve.empty()) return {frames.begin(), frames.end()};
  std::vector<Point> out(controls(mode));
  for (std::size_t i = 0; i < out.size(); ++i) {
    Point sum{};
    for (std::size_t f = 0; f < frames.size(); ++f) {
      const double w = m.solve[i * frames.size() + f];
      for (std::size_t c = 0; c < 3; ++c) sum[c] += w * frames[f][c];
    }
    out[i] = sum;
  }
  return out;
}

void Basis::evaluate(std::uint32_t mode, std::span<const Point> controls, std::span<Point> frames) const {
  for (std::size_t f = 0; f < frames.size(); ++f) {
    const Taps& taps = modes_[mode].taps[f];
    Point sum{};
    for (std::size_t i = 0; i < 4 && taps.first + i < controls.size(); ++i)
      for (std::size_t c = 0; c < 3; ++c) sum[c] += taps.weights[i] * controls[taps.first + i][c];
    frames[f] = sum;
  }
}

SegmentTrack::SegmentTrack(const Basis& basis, std::span<const Value> values, const VectorRange* range)
    : basis_(basis), range_(range), reference_(values.begin(), values.end()), stored_(values.size()) {
  if (range != nullptr) {
    for (std::size_t f = 0; f < values.size(); ++f) stored_[f] = {values[f][0], values[f][1], values[f][2]};
    return;
  }
  for (std::size_t f = 1; f < reference_.size(); ++f) {
    if (dot(reference_[f - 1], reference_[f]) >= 0) continue;
    for (double& c : reference_[f]) c = -c;
  }
  double best = 0, sign = 1;
  for (std::uint32_t c = 0; c < 4; ++c) {
    double low = 1, high = -1;
    for (const Value& q : reference_) low = std::min(low, q[c]), high = std::max(high, q[c]);
    if (low > best) best = low, left_out_ = c, sign = 1;
    if (-high > best) best = -high, left_out_ = c, sign = -1;
  }
  is_storable_ = best >= kLeastLeftOut;
  for (std::size_t f = 0; f < reference_.size(); ++f) {
    for (double& c : reference_[f]) c *= sign;
    for (std::size_t c = 0, k = 0; c < 4; ++c)
      if (c != left_out_) stored_[f][k++] = reference_[f][c];
  }
}

Value SegmentTrack::decoded(const Point& stored) const {
  if (range_ != nullptr) return {stored[0], stored[1], stored[2], 0};
  Value out;
  double rest = 1;
  for (std::size_t c = 0, k = 0; c < 4; ++c) {
    if (c == left_out_) continue;
    out[c] = stored[k++];
    rest -= out[c] * out[c];
  }
  out[left_out_] = std::sqrt(std::max(rest, 0.0));
  return out;
}

double SegmentTrack::error_at(std::uint32_t frame, const Point& value) const {
  const Value& want = reference_[frame];
  const Value found = decoded(value);
  double sum = 0;
  for (std::size_t c = 0; c < 4; ++c) sum += (found[c] - want[c]) * (found[c] - want[c]);
  return (range_ == nullptr ? 2 : 1) * std::sqrt(sum);
}

double SegmentTrack::error_of(std::span<const Point> frames) const {
  double most = 0;
  for (std::uint32_t f = 0; f < frames.size(); ++f) most = std::max(most, error_at(f, frames[f]));
  return most;
}

const SegmentTrack::Fit& SegmentTrack::fit(std::uint32_t mode) {
  Fit& out = fits_[mode];
  if (out.is_made) return out;
  out.is_made = true;
  out.controls = basis_.fit(mode, stored_);
  out.low = out.high = out.controls[0];
  for (const Point& p : out.controls) {
    for (std::size_t c = 0; c < 3; ++c)
      out.low[c] = std::min(out.low[c], p[c]), out.high[c] = std::max(out.high[c], p[c]);
  }
  if (mode != 0) {
    std::vector<Point> frames(basis_.frames());
    basis_.evaluate(mode, out.controls, frames);
    out.error = error_of(frames);
  }
  return out;
}

const std::array<std::uint8_t, 16>& SegmentTrack::sizes() const {
  return range_ == nullptr ? kRotationBits : kVectorBits;
}

double SegmentTrack::step_of(int index) const {
  return static_cast<double>((range_ == nullptr ? kRotationStep : range_->step) *
                             kSteps[static_cast<std::size_t>(index)]);
}

bool SegmentTrack::quantize(std::uint32_t mode, int step_index, std::uint32_t most_bits, Choice& out, double& error) {
  const Fit& from = fit(mode);
  const double step = step_of(step_index);
  const std::uint32_t count = basis_.controls(mode);
  out.record = {{}, left_out_, mode, static_cast<std::uint32_t>(step_index), {}};
  Point base{};
  std::uint32_t bits = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    const float origin = range_ == nullptr ? -1.0f : range_->origin[c];
    const float base_unit = range_ == nullptr ? kRotationBase : range_->base_unit[c];
    const double index = base_unit > 0 ? std::clamp(std::floor((from.low[c] - origin) / base_unit), 0.0, 8191.0) : 0.0;
    out.record.base[c] = static_cast<std::uint32_t>(index);
    base[c] = static_cast<double>(origin + base_unit * static_cast<float>(index));
    const double most = std::floor((from.high[c] - base[c]) / step + 0.5);
    const double least = std::floor((from.low[c] - base[c]) / step + 0.5);
    if (!(most < (1u << sizes().back())) || !(least >= -1)) return false;
    const int needed = std::bit_width(static_cast<std::uint32_t>(std::max(most, 0.0)));
    while (sizes()[out.record.sizes[c]] < needed) ++out.record.sizes[c];
    bits += sizes()[out.record.sizes[c]];
  }
  out.bits = bits * count;
  if (out.bits >= most_bits) return false;
  out.controls.resize(count);
  std::vector<Point> values(count), frames(basis_.frames());
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      const double u = std::max(0.0, std::floor((from.controls[i][c] - base[c]) / step + 0.5));
      out.controls[i][c] = static_cast<std::uint32_t>(u);
      values[i][c] = base[c] + step * u;
    }
  }
  basis_.evaluate(mode, values, frames);
  error = error_of(frames);
  out.frames.resize(frames.size());
  for (std::size_t f = 0; f < frames.size(); ++f) out.frames[f] = decoded(frames[f]);
  return true;
}

void SegmentTrack::try_mode(std::uint32_t mode, double tolerance, Choice& best) {
  if (!basis_.has(mode) || basis_.controls(mode) >= best.bits || !(fit(mode).error <= tolerance)) return;
  // No larger step can keep the tolerance: an error of half a step in a component is usual.
  const double largest = tolerance * (range_ == nullptr ? 1.5 : 3.0);
  int step_index = 0;
  while (step_index < 63 && step_of(step_index + 1) <= largest) ++step_index;
  for (int attempt = 0; attempt < kTries && step_index >= 0; ++attempt, --step_index) {
    Choice choice;
    double error = 0;
    if (!quantize(mode, step_index, best.bits, choice, error)) return;
    if (!(error <= tolerance)) continue;
    best = std::move(choice);
    return;
  }
}

const Choice& SegmentTrack::most_exact() {
  if (most_exact_.is_valid()) return most_exact_;
  double least = std::numeric_limits<double>::infinity();
  for (const std::uint32_t mode : {0u, 9u, 10u, 1u, 11u, 2u, 12u, 3u}) {
    if (!basis_.has(mode) || !(fit(mode).error < least)) continue;
    for (int step_index = 0; step_index < 64; ++step_index) {
      Choice choice;
      double error = 0;
      if (!quantize(mode, step_index, 0xffffffff, choice, error)) continue;
      if (error < least) least = error, most_exact_ = std::move(choice);
      break;
    }
  }
  return most_exact_;
}

const Choice& SegmentTrack::choose(double tolerance) {
  const auto known = std::ranges::find(made_, tolerance, &std::pair<double, Choice>::first);
  if (known != made_.end()) return known->second;
  Choice best;
  // Modes with few control values first, so that the others are skipped where they cannot win.
  constexpr std::array kOrder{7u, 6u, 5u, 4u, 14u, 13u, 3u, 12u, 11u, 2u, 10u, 9u, 1u, 0u};
  for (const std::uint32_t mode : kOrder) try_mode(mode, tolerance, best);
  if (!best.is_valid()) return most_exact();
  made_.emplace_back(tolerance, std::move(best));
  return made_.back().second;
}

}  // namespace assetc::animation
