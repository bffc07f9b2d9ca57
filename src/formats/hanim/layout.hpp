// The layout of the clips of .hanim version 2, for its reader, sampler and compressor. Specification:
// docs/formats/hanim.md.
#pragma once

#include <array>
#include <cstdint>

#include "assetc/formats/hanim_compressed.hpp"

namespace assetc::hanim::layout {

struct CompressedHeader {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint32_t clip_count;
  std::uint32_t joint_count;
  std::uint32_t name_bytes;
  float error;
  float radius;
  std::uint32_t flags;
};
static_assert(sizeof(CompressedHeader) == 32);

struct FileJoint {
  std::uint32_t name_offset, name_size;
  std::int32_t parent;
  Transform rest;
};
static_assert(sizeof(FileJoint) == 52);

struct FileClip {
  std::uint32_t name_offset, name_size;
  std::uint64_t offset, size;  // of the clip, from the start of the file
};
static_assert(sizeof(FileClip) == 24);

struct ClipHeader {
  float duration;
  std::uint32_t frame_count;
  std::uint16_t segment_frames;
  std::uint16_t flags;  // kHasTimes
  std::uint32_t weight_count;
  std::uint32_t constant_count;
  std::uint32_t rotation_count;
  std::uint32_t vector_count;
  std::uint32_t curve_count;
};
static_assert(sizeof(ClipHeader) == 32);

// Frames have times of their own, an array of frame_count floats; otherwise they are spread over the clip.
constexpr std::uint16_t kHasTimes = 1;

struct Weight {
  std::uint32_t node, first;
};
struct Constant {
  std::uint32_t tag;
  std::array<float, 3> value;
};
static_assert(sizeof(Constant) == 16);
struct VectorRange {
  std::array<float, 3> origin, base_unit;
  float step;
};
static_assert(sizeof(VectorRange) == 28);
struct Curve {
  std::uint32_t tag;
  std::uint32_t kind;
  std::uint32_t key_count;
  std::uint32_t offset;  // of the times, in the clip; the values follow
};
static_assert(sizeof(Curve) == 16);

// A tag: property (4 bits), detail (2 bits), object (26 bits). The detail of a constant rotation is the component that
// is left out; that of another value is its number of components - 1.
constexpr std::uint32_t kMaxObject = (1u << 26) - 1;
constexpr std::uint32_t tag(Property property, std::uint32_t detail, std::uint32_t object) {
  return static_cast<std::uint32_t>(property) | detail << 4 | object << 6;
}

// The sizes in bits of the components of a control value. A record stores their index.
inline constexpr std::array<std::uint8_t, 16> kRotationBits{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16};
inline constexpr std::array<std::uint8_t, 16> kVectorBits{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 19};

// A record of a track in a segment: four u16. The low 13 bits of the first three are the base of x, y, z. Above them:
// the component left out of a rotation (2 bits, then a 0), the low and the high half of the step. The fourth has the
// indices of the sizes of x, y, z, then the mode, 4 bits each.
struct Record {
  std::array<std::uint32_t, 3> sizes;
  std::uint32_t left_out, mode, step;
  std::array<std::uint32_t, 3> base;
};
constexpr std::uint32_t kMaxBase = 8191;
constexpr Record unpack(std::uint64_t r) {
  const auto field = [r](unsigned at, unsigned bits) {
    return static_cast<std::uint32_t>(r >> at & ((std::uint64_t{1} << bits) - 1));
  };
  return {{field(48, 4), field(52, 4), field(56, 4)},
          field(13, 2),
          field(60, 4),
          field(29, 3) | field(45, 3) << 3,
          {field(0, 13), field(16, 13), field(32, 13)}};
}
constexpr bool is_record(std::uint64_t r) { return (r >> 15 & 1) == 0; }
constexpr std::uint64_t pack(const Record& r) {
  return std::uint64_t{r.base[0]} | std::uint64_t{r.left_out} << 13 | std::uint64_t{r.base[1]} << 16 |
         std::uint64_t{r.step & 7} << 29 | std::uint64_t{r.base[2]} << 32 | std::uint64_t{r.step >> 3} << 45 |
         std::uint64_t{r.sizes[0]} << 48 | std::uint64_t{r.sizes[1]} << 52 | std::uint64_t{r.sizes[2]} << 56 |
         std::uint64_t{r.mode} << 60;
}

// Modes: 0 to 6 are lines between control values, every 2^mode frames. 7 is one value. 8 + n is a uniform cubic
// B-spline with a knot every 2^n frames, n from 1 to 6.
inline constexpr std::uint32_t kModeOne = 7, kModeCubic = 8, kModeCount = 15;
constexpr bool is_mode(std::uint32_t mode) { return mode < kModeCount && mode != kModeCubic; }

// Behind the records of a segment are a u32 with a bit for each mode of its tracks, a u32 for each of these modes, the
// bytes of a row, and then the rows of each mode. Row i has control value i of each track of the mode.

// The number of control values, so of rows, of a segment of `intervals` frame intervals.
constexpr std::uint32_t control_count(std::uint32_t mode, std::uint32_t intervals) {
  if (mode == kModeOne) return 1;
  const std::uint32_t shift = mode & 7, spans = ((intervals - 1) >> shift) + 1;
  return spans + (mode < kModeCubic ? 1 : 3);
}

// The weights of four control values of a uniform cubic B-spline, at u from 0 to 1 between two knots.
constexpr std::array<float, 4> spline_weights(float u) {
  const float v = 1 - u;
  const float b0 = v * v * v / 6, b3 = u * u * u / 6, b1 = (3 * u * u * u - 6 * u * u + 4) / 6;
  return {b0, b1, 1 - b0 - b1 - b3, b3};
}

// The weights of the control values at frame `frame` of a segment, and the first of them. A line has two.
struct Taps {
  std::uint32_t first = 0;
  std::array<float, 4> weights{};
};
constexpr Taps taps_in(std::uint32_t mode, std::uint32_t span, float u) {
  if (mode == kModeOne) return {0, {1, 0, 0, 0}};
  if (mode < kModeCubic) return {span, {1 - u, u, 0, 0}};
  return {span, spline_weights(u)};
}
// At a frame, 0 to intervals. `in` is the frame whose span is used: frame itself, or frame - 1 for the end of a span.
constexpr Taps taps_at(std::uint32_t mode, std::uint32_t in, std::uint32_t frame) {
  if (mode == kModeOne) return taps_in(mode, 0, 0);
  const std::uint32_t shift = mode & 7, span = in >> shift;
  return taps_in(mode, span, static_cast<float>(frame - (span << shift)) / static_cast<float>(1u << shift));
}

// Rotations: the base is a multiple of 2^-12 above -1, steps are 2^-22 times kSteps.
inline constexpr float kRotationBase = 0x1p-12f, kRotationStep = 0x1p-22f;
// kSteps[i] = 2^(i / 2), as the nearest float.
constexpr std::array<float, 64> make_steps() {
  std::array<float, 64> steps{};
  float power = 1;
  for (std::size_t i = 0; i < 64; i += 2, power *= 2) steps[i] = power, steps[i + 1] = power * 1.41421354f;
  return steps;
}
inline constexpr std::array<float, 64> kSteps = make_steps();

// Linear interpolation of unit quaternions, then normalization, at this time instead of t is a slerp: within 1e-7
// radians if the rotations differ by at most 20 degrees, within 1e-5 up to 90 degrees. cosine: of the quaternions, 0 to
// 1. The coefficients are a least-squares fit.
template <class T>
constexpr T even_time(T t, T cosine) {
  const T x = 1 - cosine, middle = t - T(0.5);
  const T bend = T(0.6667713) + x * (T(0.1246748) + x * T(0.0719827) + middle * middle * T(0.6101484));
  return t + t * middle * (t - 1) * x * bend;
}

// Samplers load eight bytes at a time. So many bytes follow the last segment.
inline constexpr std::size_t kPadBytes = 8;
inline constexpr std::uint32_t kMinSegmentFrames = 4, kMaxSegmentFrames = 128;
inline constexpr std::uint32_t kMaxFrames = 1u << 24;

}  // namespace assetc::hanim::layout
