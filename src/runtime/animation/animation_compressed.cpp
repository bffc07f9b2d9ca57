// Samples clips of .hanim version 2.
#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>

#include "assetc/runtime/animation.hpp"
#include "formats/hanim/layout.hpp"
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

std::array<float, 4> floats_of(Floats v) {
  std::array<float, 4> out;
  std::memcpy(out.data(), &v, sizeof out);
  return out;
}

Floats load_floats(const std::array<float, 4>& from) {
  Floats out;
  std::memcpy(&out, from.data(), sizeof out);
  return out;
}

Floats greater(Floats a, Floats b) {
#if defined(__SSE__)
  return _mm_max_ps(a, b);
#else
  return a > b ? a : b;
#endif
}

Floats square_root(Floats v) {
#if defined(__SSE__)
  return _mm_sqrt_ps(v);
#else
  return Floats{std::sqrt(v[0]), std::sqrt(v[1]), std::sqrt(v[2]), std::sqrt(v[3])};
#endif
}

// layout::even_time() at one time, for four rotations.
struct EvenTime {
  Floats t, bend, scale;

  explicit EvenTime(float time)
      : t(splat(time)),
        bend(splat(0.1246748f + (time - 0.5f) * (time - 0.5f) * 0.6101484f)),
        scale(splat(time * (time - 0.5f) * (time - 1))) {}
  Floats at(Floats cosine) const {
    const Floats x = splat(1) - cosine;
    return t + scale * x * (splat(0.6667713f) + x * (bend + x * splat(0.0719827f)));
  }
};

// The sizes of a table, as a mask and a count for 64-bit lanes.
using Pair = std::uint64_t __attribute__((vector_size(16)));
struct alignas(32) Size {
  std::uint64_t mask[2];  // the low bits twice
  std::uint64_t bits;
};
using Sizes = std::array<Size, 16>;
constexpr Sizes sizes_of(const std::array<std::uint8_t, 16>& bits) {
  Sizes out{};
  for (std::size_t i = 0; i < 16; ++i) {
    const std::uint64_t mask = (std::uint64_t{1} << bits[i]) - 1;
    out[i] = {{mask, mask}, bits[i]};
  }
  return out;
}
constexpr Sizes kRotations = sizes_of(layout::kRotationBits), kVectors = sizes_of(layout::kVectorBits);

// The rows of a mode that the frames around a time need, and their weights.
struct alignas(64) ModeRows {
  const std::byte* rows[4];
  std::uint64_t at;  // in bits: where the next track starts
  // The weight of each row for the frame before the time, for the frame after it, and for the time; each four times.
  Floats before[4], after[4], inside[4];
};

// The weights of four control values of a spline, at 64 places from one knot to the next, and at that knot.
constexpr std::array<std::array<float, 4>, 65> kSplineWeights = [] {
  std::array<std::array<float, 4>, 65> out{};
  for (std::uint32_t i = 0; i <= 64; ++i) out[i] = layout::spline_weights(static_cast<float>(i) / 64);
  return out;
}();

using Records = std::array<std::uint64_t, 4>;

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
    records_ = clip.segment(segment);
    find_rows(records_ + std::size_t{8} * (clip.rotation_count() + clip.vector_count()), frame - start,
              std::min(clip.segment_frames(), last - start));
  }

  float t() const { return t_; }

  // Takes the records of the next tracks, 1 to 4. Missing ones have the mode of the last one, and no bits.
  [[gnu::always_inline]] inline Records take(std::uint32_t count) {
    Records out;
    if (count == 4) {
      std::memcpy(out.data(), records_, sizeof out);
      records_ += sizeof out;
      return out;
    }
    for (std::uint32_t i = 0; i < 4; ++i) {
      if (i < count) {
        std::memcpy(&out[i], records_, sizeof out[i]);
        records_ += sizeof out[i];
      } else {
        out[i] = out[i - 1] & std::uint64_t{15} << 60;
      }
    }
    return out;
  }

  // The integers of a rotation at the frames before and after the time. Without kSpline, the mode must be a line.
  template <bool kSpline>
  [[gnu::always_inline]] inline void rotation(std::uint64_t record, Floats& before, Floats& after) {
    const ModeRows& mode = mode_of(record);
    const Bits bits = bits_of(kRotations, record);
    Floats first, second;
    bits.read(mode.rows[0], mode.rows[1], first, second);
    before = first * mode.before[0] + second * mode.before[1];
    after = first * mode.after[0] + second * mode.after[1];
    if constexpr (kSpline) {
      bits.read(mode.rows[2], mode.rows[3], first, second);
      before += first * mode.before[2] + second * mode.before[3];
      after += first * mode.after[2] + second * mode.after[3];
    }
  }
  // The integers of a vector at the time, with fractions.
  template <bool kSpline>
  [[gnu::always_inline]] inline Floats vector(std::uint64_t record) {
    const ModeRows& mode = mode_of(record);
    const Bits bits = bits_of(kVectors, record);
    Floats first, second;
    bits.read(mode.rows[0], mode.rows[1], first, second);
    Floats out = first * mode.inside[0] + second * mode.inside[1];
    if constexpr (kSpline) {
      bits.read(mode.rows[2], mode.rows[3], first, second);
      out += first * mode.inside[2] + second * mode.inside[3];
    }
    return out;
  }
  // Passes over the rotations, which are the first tracks.
  void skip_rotations(std::uint32_t count) {
    for (; count > 0; --count) {
      std::uint64_t record;
      std::memcpy(&record, records_, sizeof record);
      records_ += sizeof record;
      (void)bits_of(kRotations, record);
    }
  }

 private:
  // Where the integers of a track are in each row of its mode.
  struct Bits {
    std::size_t byte;
    std::uint64_t shift;
    const Size *x, *y, *z;

    static Pair mask(const Size* size) {
      Pair out;
      std::memcpy(&out, size->mask, sizeof out);
      return out;
    }
    // From two rows at once: 64-bit lanes share the shifts.
    [[gnu::always_inline]] inline void read(const std::byte* row, const std::byte* next, Floats& first,
                                            Floats& second) const {
      std::uint64_t v, w;
      std::memcpy(&v, row + byte, sizeof v);
      std::memcpy(&w, next + byte, sizeof w);
      Pair p = {v, w};
      p >>= shift;
      const Pair in_x = p & mask(x);
      p >>= x->bits;
      const Pair in_xy = in_x | (p & mask(y)) << 32;
      p >>= y->bits;
      const Pair in_z = p & mask(z);
      first = __builtin_convertvector(reinterpret_cast<Words>(__builtin_shufflevector(in_xy, in_z, 0, 2)), Floats);
      second = __builtin_convertvector(reinterpret_cast<Words>(__builtin_shufflevector(in_xy, in_z, 1, 3)), Floats);
    }
  };
  [[gnu::always_inline]] inline ModeRows& mode_of(std::uint64_t record) { return modes_[record >> 60]; }
  [[gnu::always_inline]] inline Bits bits_of(const Sizes& sizes, std::uint64_t record) {
    std::uint64_t& at = mode_of(record).at;
    const Bits out{static_cast<std::size_t>(at >> 3), at & 7, &sizes[record >> 48 & 15], &sizes[record >> 52 & 15],
                   &sizes[record >> 56 & 15]};
    at += out.x->bits + out.y->bits + out.z->bits;
    return out;
  }

  // table: the modes of the segment and the sizes of their rows, which follow.
  void find_rows(const std::byte* table, std::uint32_t frame, std::uint32_t intervals) {
    std::uint32_t modes;
    std::memcpy(&modes, table, sizeof modes);
    const std::byte* row =
        table + sizeof modes + sizeof(std::uint32_t) * static_cast<std::size_t>(std::popcount(modes));
    for (; modes != 0; modes &= modes - 1) {
      const auto index = static_cast<std::uint32_t>(std::countr_zero(modes));
      std::uint32_t row_size;
      std::memcpy(&row_size, table += sizeof row_size, sizeof row_size);
      const std::uint32_t shift = index & 7, span = index == layout::kModeOne ? 0 : frame >> shift;
      const std::uint32_t offset = index == layout::kModeOne ? 0 : frame - (span << shift);
      ModeRows& mode = modes_[index];
      mode.at = 0;
      const std::byte* first = row + std::size_t{span} * row_size;
      row += std::size_t{layout::control_count(index, intervals)} * row_size;
      if (index > layout::kModeCubic) {
        const auto& a = kSplineWeights[offset << (6 - shift)];
        const auto& b = kSplineWeights[(offset + 1) << (6 - shift)];
        for (std::size_t i = 0; i < 4; ++i, first += row_size) {
          mode.rows[i] = first;
          mode.before[i] = splat(a[i]);
          mode.after[i] = splat(b[i]);
          mode.inside[i] = splat(a[i] + (b[i] - a[i]) * t_);
        }
        continue;
      }
      const bool is_one = index == layout::kModeOne;
      const float part = is_one ? 0 : 1 / static_cast<float>(1u << shift), u = static_cast<float>(offset) * part;
      // A row of weight 0 is never outside.
      mode.rows[0] = mode.rows[2] = mode.rows[3] = first;
      mode.rows[1] = is_one ? first : first + row_size;
      mode.before[0] = splat(1 - u), mode.before[1] = splat(u);
      mode.after[0] = splat(1 - u - part), mode.after[1] = splat(u + part);
      mode.inside[0] = splat(1 - (u + part * t_)), mode.inside[1] = splat(u + part * t_);
      for (std::size_t i = 2; i < 4; ++i) mode.before[i] = mode.after[i] = mode.inside[i] = splat(0);
    }
  }

  float t_ = 0;
  const std::byte* records_;
  ModeRows modes_[16];  // those of the segment
};

// Whether a track is a spline. Lines then count as splines whose last two weights are 0.
bool has_spline(const Records& records) {
  return static_cast<std::int64_t>(records[0] | records[1] | records[2] | records[3]) < 0;
}

// Writes values of tracks to the joints of a pose that the tracks move, if it has them.
class Poser {
 public:
  Poser(std::span<Transform> pose, std::span<const hanim::Match> joints) : pose_(pose), joints_(joints) {}

  [[gnu::always_inline]] inline void write(hanim::Property property, std::uint32_t object, Floats v) const {
    if (!joints_.empty()) {
      if (object >= joints_.size()) return;
      const hanim::Match& match = joints_[object];
      object = match.joint;
      if (match.has_above) v = below(match.above, property, v);
    }
    if (object >= pose_.size()) return;
    Transform& transform = pose_[object];
    if (property == hanim::Property::kRotation) {
      std::memcpy(transform.rotation.data(), &v, sizeof transform.rotation);
    } else {
      auto& to = property == hanim::Property::kTranslation ? transform.translation : transform.scale;
      std::memcpy(to.data(), &v, sizeof to);
    }
  }

 private:
  [[gnu::noinline]] static Floats below(const Transform& above, hanim::Property property, Floats v) {
    std::array<float, 4> value = hanim::value_below(above, static_cast<hanim::Path>(property), floats_of(v));
    if (property == hanim::Property::kRotation) value = unit(value);
    return load_floats(value);
  }

  std::span<Transform> pose_;
  std::span<const hanim::Match> joints_;
};

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
  return square_root(greater(rest, splat(0)));
}

// The first three u16 of four records: the bases of x, y, z, and the bits above them.
struct Fields {
  Words x, y, z;
};
[[gnu::always_inline]] inline Fields fields_of(const Records& records) {
  using Halves = std::uint16_t __attribute__((vector_size(16)));
  Halves a, b;
  std::memcpy(&a, records.data(), sizeof a);
  std::memcpy(&b, records.data() + 2, sizeof b);
  const Halves low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
  const Halves high = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
  const Halves xy = __builtin_shufflevector(low, high, 0, 8, 1, 9, 2, 10, 3, 11);
  const Halves zw = __builtin_shufflevector(low, high, 4, 12, 5, 13, 6, 14, 7, 15);
  const Halves zero{};
  return {reinterpret_cast<Words>(__builtin_shufflevector(xy, zero, 0, 8, 1, 9, 2, 10, 3, 11)),
          reinterpret_cast<Words>(__builtin_shufflevector(xy, zero, 4, 12, 5, 13, 6, 14, 7, 15)),
          reinterpret_cast<Words>(__builtin_shufflevector(zw, zero, 0, 8, 1, 9, 2, 10, 3, 11))};
}

[[gnu::always_inline]] inline void swap_where(Words mask, Floats& a, Floats& b) {
  const Words change = (reinterpret_cast<Words>(a) ^ reinterpret_cast<Words>(b)) & mask;
  a = reinterpret_cast<Floats>(reinterpret_cast<Words>(a) ^ change);
  b = reinterpret_cast<Floats>(reinterpret_cast<Words>(b) ^ change);
}

// layout::kRotationStep * layout::kSteps[step] of four steps, made from the bits of floats.
[[gnu::always_inline]] inline Floats rotation_steps(Words step) {
  return reinterpret_cast<Floats>(((step >> 1) + (127 - 22)) << 23 | (-(step & 1) & 0x3504F3));
}

// Four rotations, x y z w each. Not inline: GCC would move work of both versions before the branch, and spill it.
template <bool kSpline>
[[gnu::noinline]] Four rotations_of(SegmentReader& reader, const Records& records, const EvenTime& time) {
  Four a, b;
  reader.rotation<kSpline>(records[0], a.x, b.x);
  reader.rotation<kSpline>(records[1], a.y, b.y);
  reader.rotation<kSpline>(records[2], a.z, b.z);
  reader.rotation<kSpline>(records[3], a.w, b.w);
  a = transposed(a);
  b = transposed(b);
  const Fields fields = fields_of(records);
  const Floats step = rotation_steps(fields.y >> 13 | fields.z >> 13 << 3);
  const auto base = [](Words field) {
    return __builtin_convertvector(field & 8191, Floats) * splat(layout::kRotationBase) - splat(1);
  };
  const Floats x = base(fields.x), y = base(fields.y), z = base(fields.z);
  a = {a.x * step + x, a.y * step + y, a.z * step + z, Floats{}};
  b = {b.x * step + x, b.y * step + y, b.z * step + z, Floats{}};
  a.w = left_out_of(a);
  b.w = left_out_of(b);
  // Both left-out components are positive and frames are near each other, so this is the shorter arc.
  const Floats even = time.at(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
  a = {a.x + (b.x - a.x) * even, a.y + (b.y - a.y) * even, a.z + (b.z - a.z) * even, a.w + (b.w - a.w) * even};
  const Floats length2 = a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w;
  const Floats inverse = splat(1) / square_root(greater(length2, splat(1e-12f)));
  a = {a.x * inverse, a.y * inverse, a.z * inverse, a.w * inverse};
  // The left-out component moves to its place, and those behind it move up.
  const Words left_out = fields.x >> 13;
  swap_where(left_out < 3, a.z, a.w);
  swap_where(left_out < 2, a.y, a.z);
  swap_where(left_out < 1, a.x, a.y);
  return transposed(a);
}

// Calls write(track, rotation) for all rotations, four at a time.
template <class Write>
[[gnu::always_inline]] inline void read_rotations(SegmentReader& reader, std::uint32_t count, const Write& write) {
  const EvenTime time(reader.t());
  for (std::uint32_t i = 0; i < count; i += 4) {
    const std::uint32_t lanes = std::min(count - i, 4u);
    const Records records = reader.take(lanes);
    const Four four =
        has_spline(records) ? rotations_of<true>(reader, records, time) : rotations_of<false>(reader, records, time);
    write(i, four.x);
    if (lanes > 1) write(i + 1, four.y);
    if (lanes > 2) write(i + 2, four.z);
    if (lanes > 3) write(i + 3, four.w);
  }
}

// Calls write(track of all samples, value) for all vectors.
template <class Write>
void read_vectors(const hanim::CompressedClip& clip, SegmentReader& reader, const Write& write) {
  const std::byte* ranges = clip.vector_ranges();
  const std::uint32_t count = clip.vector_count();
  for (std::uint32_t i = 0; i < count; i += 4) {
    const std::uint32_t lanes = std::min(count - i, 4u);
    const Records records = reader.take(lanes);
    const bool is_spline = has_spline(records);
    for (std::uint32_t l = 0; l < lanes; ++l) {
      const Floats steps = is_spline ? reader.vector<true>(records[l]) : reader.vector<false>(records[l]);
      layout::VectorRange range;
      std::memcpy(&range, ranges + (i + l) * sizeof range, sizeof range);
      using Halves = std::uint16_t __attribute__((vector_size(8)));
      Halves halves;
      std::memcpy(&halves, &records[l], sizeof halves);
      const Words base = __builtin_convertvector(halves, Words) & Words{8191, 8191, 8191, 0};
      const Floats origin =
          Floats{range.origin[0], range.origin[1], range.origin[2], 0} +
          Floats{range.base_unit[0], range.base_unit[1], range.base_unit[2], 0} * __builtin_convertvector(base, Floats);
      const std::uint32_t step = layout::unpack(records[l]).step;
      write(clip.rotation_count() + i + l, steps * splat(range.step * layout::kSteps[step]) + origin);
    }
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
  for (const hanim::ConstantTransform& constant : clip.constant_transforms())
    poser.write(constant.property, constant.object, load_floats(constant.value));
  if (clip.frame_count() != 0) {
    SegmentReader reader(clip, time_seconds);
    const std::byte* tags = clip.sampled_tags();
    read_rotations(reader, clip.rotation_count(),
                   [&](std::uint32_t i, Floats q) { poser.write(Property::kRotation, load_tag(tags, i) >> 6, q); });
    read_vectors(clip, reader, [&](std::uint32_t i, Floats v) {
      const std::uint32_t tag = load_tag(tags, i);
      const auto property = static_cast<Property>(tag & 15);
      if (is_transform(property)) poser.write(property, tag >> 6, v);
    });
  }
  for (std::uint32_t i = 0; i < clip.curve_count(); ++i) {
    const hanim::CurveView curve = clip.curve(i);
    if (!is_transform(curve.target.property)) continue;
    std::uint32_t none = curve.key_count;
    poser.write(curve.target.property, curve.target.object,
                load_floats(Curve(curve).at(inside(clip, time_seconds), none)));
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
    reader.skip_rotations(clip.rotation_count());
    read_vectors(clip, reader, [&](std::uint32_t i, Floats v) { write(clip.sampled_target(i), floats_of(v)); });
  }
  for (std::uint32_t i = 0; i < clip.curve_count(); ++i) {
    const hanim::CurveView curve = clip.curve(i);
    std::uint32_t none = curve.key_count;
    write(curve.target, Curve(curve).at(inside(clip, time_seconds), none));
  }
}

}  // namespace assetc::runtime
