// Writes out what curves do before their first and after their last key. ufbx evaluates this, but samples only at keys.
#include <algorithm>
#include <cmath>

#include "import/fbx/ufbx/parts.hpp"

namespace assetc::importer::fbx {
namespace {

constexpr double kMaxKeys = 1 << 20;  // of one curve: five hours at 60 Hz

// The keys of a curve and its repetitions. Times are whole ticks, as ufbx counts them.
class Repeater {
 public:
  Repeater(const ufbx_anim_curve& curve, double ticks_per_second)
      : curve_(curve),
        scale_(ticks_per_second),
        own_(curve.keyframes.data, curve.keyframes.data + curve.keyframes.count) {
    for (ufbx_keyframe& key : own_) key.time = std::rint(key.time * scale_);
    first_ = own_.front().time;
    duration_ = own_.back().time - first_;
  }

  // begin, end: the range in seconds that the keys must fill.
  Result<std::vector<ufbx_keyframe>> run(double begin, double end) {
    ASSETC_TRY(const double before, count(curve_.pre_extrapolation, first_ - begin * scale_));
    ASSETC_TRY(const double after, count(curve_.post_extrapolation, end * scale_ - first_ - duration_));
    for (double n = before; n > 0; --n) repeat(curve_.pre_extrapolation.mode, -n);
    append(own_);
    for (double n = 1; n <= after; ++n) repeat(curve_.post_extrapolation.mode, n);
    for (ufbx_keyframe& key : out_) key.time /= scale_;
    add_slopes(begin, end);
    return std::move(out_);
  }

 private:
  // How often the curve repeats within a length of ticks.
  Result<double> count(const ufbx_extrapolation& extrapolation, double length) const {
    const ufbx_extrapolation_mode mode = extrapolation.mode;
    if (mode == UFBX_EXTRAPOLATION_CONSTANT || mode == UFBX_EXTRAPOLATION_SLOPE || duration_ < 1 || !(length > 0))
      return 0.0;
    double most = std::ceil(length / duration_);
    if (extrapolation.repeat_count >= 0) most = std::min(most, static_cast<double>(extrapolation.repeat_count));
    if (most * static_cast<double>(own_.size()) <= kMaxKeys) return most;
    return fail(ErrorCode::kLimit,
                "a curve of " + std::to_string(own_.size()) + " keys repeats more often than a million keys can hold",
                "bake it at the export");
  }

  // Appends the repetition n: 1 is the first after the curve, -1 the last before it.
  void repeat(ufbx_extrapolation_mode mode, double n) {
    std::vector<ufbx_keyframe> keys = own_;
    if (mode == UFBX_EXTRAPOLATION_MIRROR && std::fmod(std::fabs(n), 2) == 1) mirror(keys);
    const double rise = mode == UFBX_EXTRAPOLATION_REPEAT_RELATIVE ? own_.back().value - own_.front().value : 0;
    for (ufbx_keyframe& key : keys) {
      key.time += n * duration_;
      key.value += static_cast<ufbx_real>(n * rise);
    }
    append(keys);
  }

  void mirror(std::vector<ufbx_keyframe>& keys) const {
    std::ranges::reverse(keys);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ufbx_keyframe& key = keys[i];
      key.time = 2 * first_ + duration_ - key.time;
      std::swap(key.left, key.right);
      key.left.dy = -key.left.dy;
      key.right.dy = -key.right.dy;
      // A key has the interpolation of the segment after it.
      if (i + 1 == keys.size()) continue;
      key.interpolation = keys[i + 1].interpolation;
      if (key.interpolation == UFBX_INTERPOLATION_CONSTANT_PREV) {
        key.interpolation = UFBX_INTERPOLATION_CONSTANT_NEXT;
      } else if (key.interpolation == UFBX_INTERPOLATION_CONSTANT_NEXT) {
        key.interpolation = UFBX_INTERPOLATION_CONSTANT_PREV;
      }
    }
  }

  // keys begin where the last key is. If the value jumps there, the jump takes one tick.
  void append(const std::vector<ufbx_keyframe>& keys) {
    std::size_t next = 0;
    if (!out_.empty()) {
      ufbx_keyframe& joint = out_.back();
      if (joint.value == keys.front().value) {
        joint.right = keys.front().right;
        joint.interpolation = keys.front().interpolation;
        next = 1;
      } else {
        joint.time -= 1;
        joint.interpolation = UFBX_INTERPOLATION_LINEAR;
      }
    }
    out_.insert(out_.end(), keys.begin() + static_cast<std::ptrdiff_t>(next), keys.end());
  }

  void add_slopes(double begin, double end) {
    const auto key_at = [&](double time) {
      ufbx_keyframe key{};
      key.time = time;
      key.value = ufbx_evaluate_curve(&curve_, time, 0);
      key.interpolation = UFBX_INTERPOLATION_LINEAR;
      return key;
    };
    if (curve_.pre_extrapolation.mode == UFBX_EXTRAPOLATION_SLOPE && begin < out_.front().time) {
      const ufbx_keyframe key = key_at(begin);
      if (std::isfinite(key.value)) out_.insert(out_.begin(), key);
    }
    if (curve_.post_extrapolation.mode == UFBX_EXTRAPOLATION_SLOPE && end > out_.back().time) {
      const ufbx_keyframe key = key_at(end);
      if (!std::isfinite(key.value)) return;
      out_.back().interpolation = UFBX_INTERPOLATION_LINEAR;
      out_.push_back(key);
    }
  }

  const ufbx_anim_curve& curve_;
  double scale_;
  std::vector<ufbx_keyframe> own_;
  double first_ = 0, duration_ = 0;  // ticks
  std::vector<ufbx_keyframe> out_;
};

bool is_constant(const ufbx_anim_curve& curve) {
  return curve.pre_extrapolation.mode == UFBX_EXTRAPOLATION_CONSTANT &&
         curve.post_extrapolation.mode == UFBX_EXTRAPOLATION_CONSTANT;
}

}  // namespace

Result<void> ExtrapolatedCurves::extend(ufbx_anim_curve& curve, double begin, double end) {
  if (is_constant(curve) || curve.keyframes.count < 2) return {};
  const auto is_this = [&](const Original& original) { return original.curve == &curve; };
  if (std::ranges::any_of(originals_, is_this)) return {};
  const auto ticks = static_cast<double>(curve.element.scene->metadata.ktime_second);
  ASSETC_TRY(std::vector<ufbx_keyframe> keys, Repeater(curve, ticks).run(begin, end));
  originals_.push_back({&curve, curve});
  keys_.push_back(std::move(keys));
  curve.keyframes.data = keys_.back().data();
  curve.keyframes.count = keys_.back().size();
  curve.min_time = keys_.back().front().time;
  curve.max_time = keys_.back().back().time;
  curve.pre_extrapolation.mode = curve.post_extrapolation.mode = UFBX_EXTRAPOLATION_CONSTANT;
  return {};
}

ExtrapolatedCurves::~ExtrapolatedCurves() {
  for (const Original& original : originals_) *original.curve = original.value;
}

}  // namespace assetc::importer::fbx
