// Samples clips of .hanim version 2.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "assetc/runtime/animation.hpp"
#include "formats/hanim_layout.hpp"
#include "runtime/animation/quaternion.hpp"
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace assetc::runtime {
namespace {

namespace layout = hanim::layout;

using Floats = float __attribute__((vector_size(16)));
using Words = std::int32_t __attribute__((vector_size(16)));

Floats splat(float v) { return Floats{v, v, v, v}; }

Floats square_root(Floats v) {
#if defined(__SSE__)
  return _mm_sqrt_ps(v);
#else
  return Floats{std::sqrt(v[0]), std::sqrt(v[1]), std::sqrt(v[2]), std::sqrt(v[3])};
#endif
}

// layout::even_time() of four rotations.
Floats even_time(Floats t, Floats cosine) {
  const Floats x = splat(1) - cosine, middle = t - splat(0.5f);
  const Floats bend =
      splat(0.6667713f) + x * (splat(0.1246748f) + x * splat(0.0719827f) + middle * middle * splat(0.6101484f));
  return t + t * middle * (t - splat(1)) * x * bend;
}

// Two words with the low bits set, for each size.
using Pair = std::uint64_t __attribute__((vector_size(16)));
struct Sizes {
  std::array<std::uint8_t, 16> bits;
  alignas(16) std::array<std::array<std::uint64_t, 2>, 16> masks;

  constexpr explicit Sizes(const std::array<std::uint8_t, 16>& from) : bits(from), masks{} {
    for (std::size_t i = 0; i < 16; ++i) masks[i][0] = masks[i][1] = (std::uint64_t{1} << from[i]) - 1;
  }
  Pair mask(std::uint32_t i) const {
    Pair out;
    std::memcpy(&out, masks[i].data(), sizeof out);
    return out;
  }
};
constexpr Sizes kRotations(layout::kRotationBits), kVectors(layout::kVectorBits);

// The weights of a mode's control values at the two frames around a time. A line has two.
struct ModeTaps {
  std::uint32_t first, count;  // the first control value; all control values of the segment
  Floats a[4], b[4];           // each weight four times
};

// Reads the tracks of a segment one after another.
class SegmentReader {
 public:
  SegmentReader(const hanim::CompressedClip& clip, float time_seconds) {
    const std::uint32_t last = clip.frame_count() - 1;
    std::uint32_t frame = 0;
    if (clip.has_frame_times()) {
      for (std::uint32_t high = last; high - frame > 1;) {  // frame is at or before the time, high after it
        const std::uint32_t middle = frame + (high - frame) / 2;
        (clip.frame_time(middle) <= time_seconds ? frame : high) = middle;
      }
      const float from = clip.frame_time(frame), to = clip.frame_time(frame + 1);
      t_ = time_seconds > from ? std::min((time_seconds - from) / (to - from), 1.0f) : 0;
    } else {
      const float duration = clip.duration_seconds();
      const double place = duration > 0 ? static_cast<double>(time_seconds) / duration * last : 0.0;
      const double inside = place > 0 ? std::min(place, static_cast<double>(last)) : 0.0;  // not a number gives 0
      frame = std::min(static_cast<std::uint32_t>(inside), last - 1);
      t_ = static_cast<float>(inside - frame);
    }
    const std::uint32_t segment = frame / clip.segment_frames(), start = segment * clip.segment_frames();
    frame_ = frame - start;
    intervals_ = std::min(clip.segment_frames(), last - start);
    records_ = clip.segment(segment);
    bits_ = records_ + std::size_t{8} * (clip.rotation_count() + clip.vector_count());
  }

  float t() const { return t_; }

  struct Base {
    Floats base;  // indices
    std::uint32_t step, left_out;
  };
  // The integers of the next track at the frames before and after the time.
  [[gnu::always_inline]] inline Base next(const Sizes& sizes, Floats& a, Floats& b) {
    std::uint64_t record;
    std::memcpy(&record, records_, sizeof record);
    records_ += sizeof record;
    const auto high = static_cast<std::uint32_t>(record >> 48);
    const std::uint32_t ix = high & 15, iy = high >> 4 & 15, iz = high >> 8 & 15, mode = high >> 12;
    const std::uint32_t size_x = sizes.bits[ix], size_y = sizes.bits[iy], size = size_x + size_y + sizes.bits[iz];
    const Pair mask_x = sizes.mask(ix), mask_y = sizes.mask(iy), mask_z = sizes.mask(iz);
    const ModeTaps& taps = taps_of(mode);
    std::uint64_t at = bit_ + std::uint64_t{taps.first} * size;
    bit_ += std::uint64_t{taps.count} * size;
    const auto load = [&] {
      std::uint64_t v;
      std::memcpy(&v, bits_ + (at >> 3), sizeof v);
      v >>= at & 7;
      at += size;
      return v;
    };
    // Two control values at once: 64-bit lanes share the shifts.
    const auto load_two = [&](Floats& first, Floats& second) {
      const std::uint64_t v = load(), w = load();
      Pair p = {v, w};
      const Pair x = p & mask_x;
      p >>= size_x;
      const Pair xy = x | (p & mask_y) << 32;
      p >>= size_y;
      const Pair z = p & mask_z;
      first = __builtin_convertvector(reinterpret_cast<Words>(__builtin_shufflevector(xy, z, 0, 2)), Floats);
      second = __builtin_convertvector(reinterpret_cast<Words>(__builtin_shufflevector(xy, z, 1, 3)), Floats);
    };
    Floats first, second;
    load_two(first, second);
    if (mode == 0) {
      a = first;
      b = second;
    } else {
      a = first * taps.a[0] + second * taps.a[1];
      b = first * taps.b[0] + second * taps.b[1];
      if (mode > layout::kModeCubic) {
        load_two(first, second);
        a += first * taps.a[2] + second * taps.a[3];
        b += first * taps.b[2] + second * taps.b[3];
      }
    }
    using Halves = std::uint16_t __attribute__((vector_size(8)));
    Halves halves;
    std::memcpy(&halves, &record, sizeof halves);
    const Words base = __builtin_convertvector(halves, Words) & Words{8191, 8191, 8191, 0};
    return {__builtin_convertvector(base, Floats),
            static_cast<std::uint32_t>(record >> 29 & 7) | static_cast<std::uint32_t>(record >> 42 & 56),
            static_cast<std::uint32_t>(record >> 13 & 3)};
  }

 private:
  [[gnu::always_inline]] inline const ModeTaps& taps_of(std::uint32_t mode) {
    if ((ready_ >> mode & 1) == 0) make_taps(mode);
    return taps_[mode];
  }
  [[gnu::noinline]] void make_taps(std::uint32_t mode) {
    ready_ |= 1u << mode;
    const layout::Taps a = layout::taps_at(mode, frame_, frame_), b = layout::taps_at(mode, frame_, frame_ + 1);
    ModeTaps& taps = taps_[mode];
    taps.first = a.first;
    taps.count = layout::control_count(mode, intervals_);
    for (std::size_t i = 0; i < 4; ++i) taps.a[i] = splat(a.weights[i]), taps.b[i] = splat(b.weights[i]);
  }

  float t_ = 0;
  std::uint32_t frame_ = 0, intervals_ = 1;
  const std::byte* records_;
  const std::byte* bits_;
  std::uint64_t bit_ = 0;
  std::uint32_t ready_ = 0;  // a bit for each mode whose weights are made
  ModeTaps taps_[16];
};

// The joint of a pose that a track moves, or none.
class Poser {
 public:
  Poser(std::span<Transform> pose, std::span<const hanim::Match> joints) : pose_(pose), joints_(joints) {}

  void write(hanim::Property property, std::uint32_t object, std::array<float, 4> v) const {
    if (!joints_.empty()) {
      if (object >= joints_.size()) return;
      const hanim::Match& match = joints_[object];
      object = match.joint;
      if (match.has_above) {
        v = hanim::value_below(match.above, static_cast<hanim::Path>(property), v);
        if (property == hanim::Property::kRotation) v = unit(v);
      }
    }
    if (object >= pose_.size()) return;
    Transform& transform = pose_[object];
    if (property == hanim::Property::kRotation) {
      transform.rotation = v;
    } else if (property == hanim::Property::kTranslation) {
      transform.translation = {v[0], v[1], v[2]};
    } else {
      transform.scale = {v[0], v[1], v[2]};
    }
  }

 private:
  std::span<Transform> pose_;
  std::span<const hanim::Match> joints_;
};

// Where each component of a rotation is, if the left-out one is the fourth.
constexpr std::uint8_t kOrder[4][4] = {{3, 0, 1, 2}, {0, 3, 1, 2}, {0, 1, 3, 2}, {0, 1, 2, 3}};

std::uint32_t load_tag(const std::byte* tags, std::uint32_t i) {
  std::uint32_t tag;
  std::memcpy(&tag, tags + std::size_t{4} * i, sizeof tag);
  return tag;
}

struct Four {
  Floats x, y, z, w;
};

// Four tracks of x y z w become the x, y, z and w of four tracks, and the reverse.
[[gnu::always_inline]] inline Four transposed(const Four& m) {
  const Floats a = __builtin_shufflevector(m.x, m.y, 0, 4, 1, 5), b = __builtin_shufflevector(m.x, m.y, 2, 6, 3, 7);
  const Floats c = __builtin_shufflevector(m.z, m.w, 0, 4, 1, 5), d = __builtin_shufflevector(m.z, m.w, 2, 6, 3, 7);
  return {__builtin_shufflevector(a, c, 0, 1, 4, 5), __builtin_shufflevector(a, c, 2, 3, 6, 7),
          __builtin_shufflevector(b, d, 0, 1, 4, 5), __builtin_shufflevector(b, d, 2, 3, 6, 7)};
}

// The component that was left out: positive, and the length is 1.
[[gnu::always_inline]] inline Floats left_out_of(const Four& q) {
  const Floats rest = splat(1) - (q.x * q.x + q.y * q.y + q.z * q.z);
  return square_root(rest > splat(0) ? rest : splat(0));
}

// Calls write(track, rotation) for all rotations, four at a time.
template <class Write>
[[gnu::always_inline]] inline void read_rotations(SegmentReader& reader, std::uint32_t count, const Write& write) {
  const Floats t = splat(reader.t());
  for (std::uint32_t i = 0; i < count; i += 4) {
    Floats before[4] = {}, after[4] = {};
    std::uint32_t left_out[4] = {};
    const std::uint32_t lanes = std::min(count - i, 4u);
    for (std::uint32_t l = 0; l < lanes; ++l) {
      const SegmentReader::Base r = reader.next(kRotations, before[l], after[l]);
      const Floats base = r.base * splat(layout::kRotationBase) - splat(1);
      const Floats step = splat(layout::kRotationStep * layout::kSteps[r.step]);
      before[l] = before[l] * step + base;
      after[l] = after[l] * step + base;
      left_out[l] = r.left_out;
    }
    Four a = transposed({before[0], before[1], before[2], before[3]});
    Four b = transposed({after[0], after[1], after[2], after[3]});
    a.w = left_out_of(a);
    b.w = left_out_of(b);
    // Both left-out components are positive and frames are near each other, so this is the shorter arc.
    const Floats even = even_time(t, a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
    a = {a.x + (b.x - a.x) * even, a.y + (b.y - a.y) * even, a.z + (b.z - a.z) * even, a.w + (b.w - a.w) * even};
    const Floats length2 = a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w;
    const Floats inverse = splat(1) / square_root(length2 > splat(1e-12f) ? length2 : splat(1));
    a = transposed({a.x * inverse, a.y * inverse, a.z * inverse, a.w * inverse});
    const Floats turned[4] = {a.x, a.y, a.z, a.w};
    for (std::uint32_t l = 0; l < lanes; ++l) {
      std::array<float, 4> q;
      std::memcpy(q.data(), &turned[l], sizeof q);
      if (left_out[l] != 3) {
        const std::uint8_t* order = kOrder[left_out[l]];
        q = {q[order[0]], q[order[1]], q[order[2]], q[order[3]]};
      }
      write(i + l, q);
    }
  }
}

// Calls write(track of all samples, value) for all vectors.
template <class Write>
void read_vectors(const hanim::CompressedClip& clip, SegmentReader& reader, const Write& write) {
  const Floats t = splat(reader.t());
  const std::byte* ranges = clip.vector_ranges();
  for (std::uint32_t i = 0; i < clip.vector_count(); ++i) {
    Floats a, b;
    const SegmentReader::Base r = reader.next(kVectors, a, b);
    layout::VectorRange range;
    std::memcpy(&range, ranges + i * sizeof range, sizeof range);
    const Floats base = Floats{range.origin[0], range.origin[1], range.origin[2], 0} +
                        Floats{range.base_unit[0], range.base_unit[1], range.base_unit[2], 0} * r.base;
    const Floats v = (a + (b - a) * t) * splat(range.step * layout::kSteps[r.step]) + base;
    write(clip.rotation_count() + i, std::array<float, 4>{v[0], v[1], v[2], 0});
  }
}

float inside(const hanim::CompressedClip& clip, float time_seconds) {
  return time_seconds > 0 ? std::min(time_seconds, clip.duration_seconds()) : 0;
}

}  // namespace

void sample(const hanim::CompressedClip& clip, float time_seconds, std::span<Transform> pose,
            std::span<const hanim::Match> joints) {
  using hanim::Property;
  const Poser poser(pose, joints);
  for (std::uint32_t i = 0; i < clip.constant_count(); ++i) {
    const hanim::Target target = clip.constant_target(i);
    if (is_transform(target.property)) poser.write(target.property, target.object, clip.constant_value(i));
  }
  if (clip.frame_count() != 0) {
    SegmentReader reader(clip, time_seconds);
    const std::byte* tags = clip.sampled_tags();
    read_rotations(reader, clip.rotation_count(), [&](std::uint32_t i, const std::array<float, 4>& q) {
      poser.write(Property::kRotation, load_tag(tags, i) >> 6, q);
    });
    read_vectors(clip, reader, [&](std::uint32_t i, const std::array<float, 4>& v) {
      const std::uint32_t tag = load_tag(tags, i);
      const auto property = static_cast<Property>(tag & 15);
      if (is_transform(property)) poser.write(property, tag >> 6, v);
    });
  }
  for (std::uint32_t i = 0; i < clip.curve_count(); ++i) {
    const hanim::CurveView curve = clip.curve(i);
    if (!is_transform(curve.target.property)) continue;
    std::uint32_t none = curve.key_count;
    poser.write(curve.target.property, curve.target.object, Curve(curve).at(inside(clip, time_seconds), none));
  }
}

void sample_properties(const hanim::CompressedClip& clip, float time_seconds, std::span<float> out) {
  assert(out.size() >= clip.property_float_count());
  if (clip.properties().empty()) return;
  float* to = out.data();
  const auto write = [&](const hanim::Target& target, const std::array<float, 4>& value) {
    if (is_transform(target.property)) return;
    to = std::copy_n(value.begin(), target.components, to);
  };
  for (std::uint32_t i = 0; i < clip.constant_count(); ++i) write(clip.constant_target(i), clip.constant_value(i));
  if (clip.frame_count() != 0) {
    SegmentReader reader(clip, time_seconds);
    for (std::uint32_t i = 0; i < clip.rotation_count(); ++i) {
      Floats a, b;
      reader.next(kRotations, a, b);
    }
    read_vectors(clip, reader,
                 [&](std::uint32_t i, const std::array<float, 4>& v) { write(clip.sampled_target(i), v); });
  }
  for (std::uint32_t i = 0; i < clip.curve_count(); ++i) {
    const hanim::CurveView curve = clip.curve(i);
    std::uint32_t none = curve.key_count;
    write(curve.target, Curve(curve).at(inside(clip, time_seconds), none));
  }
}

}  // namespace assetc::runtime
