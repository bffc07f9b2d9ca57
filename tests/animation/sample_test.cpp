// Samples clips of random bits, and compares with docs/formats/hanim.md in plain steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "assetc/runtime/animation.hpp"
#include "formats/hanim/layout.hpp"
#include "formats/support.hpp"

namespace assetc::animation {
namespace {

using namespace hanim::layout;
using hanim::Property;

constexpr std::array<std::uint32_t, 13> kModes{0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 14};
constexpr std::uint32_t kIntervals = 32, kFrames = 50;  // so the second segment has 17 intervals

// Bits of `bytes` from bit `at`, the lowest first.
std::uint32_t bits_at(ByteSpan bytes, std::size_t at, std::uint32_t count) {
  std::uint32_t out = 0;
  for (std::uint32_t i = 0; i < count; ++i)
    out |= (std::to_integer<std::uint32_t>(bytes[(at + i) / 8]) >> (at + i) % 8 & 1) << i;
  return out;
}

struct RandomSegment {
  std::vector<Record> records;
  std::array<ByteVector, kModeCount> rows;
  std::array<std::uint32_t, kModeCount> row_sizes{};
};

// A clip of `rotations` and `vectors`: track i moves node i, and the last one the color of a light.
struct RandomClip {
  std::uint32_t rotations, vectors;
  std::vector<VectorRange> ranges;
  std::array<RandomSegment, 2> segments;
  ByteVector file;

  RandomClip(std::uint32_t rotation_count, std::uint32_t vector_count, std::mt19937& random)
      : rotations(rotation_count), vectors(vector_count) {
    const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
    const auto unit = [&] { return static_cast<float>(below(1000)) / 1000; };
    for (std::uint32_t v = 0; v < vectors; ++v)
      ranges.push_back({{unit(), -unit(), 1}, {unit() / 4096, unit() / 4096, 0.001f}, unit() / 65536});
    ByteVector bytes;
    append(bytes, ClipHeader{1, kFrames, kIntervals, 0, 0, 0, rotations, vectors, 0});
    for (std::uint32_t t = 0; t < rotations + vectors; ++t) {
      const Property vector = t + 1 == rotations + vectors ? Property::kLightColor : Property::kTranslation;
      append(bytes, t < rotations ? tag(Property::kRotation, 0, t) : tag(vector, 2, t));
    }
    append_array(bytes, std::span<const VectorRange>(ranges));
    const std::size_t offsets_at = bytes.size();
    bytes.resize(bytes.size() + 8);
    for (std::uint32_t s = 0; s < 2; ++s) {
      const auto offset = static_cast<std::uint32_t>(bytes.size());
      std::ranges::copy(std::as_bytes(std::span(&offset, 1)),
                        bytes.begin() + static_cast<std::ptrdiff_t>(offsets_at + s * 4));
      const std::uint32_t few = below(2) == 0 ? 2 : kModes.size();  // some segments have lines only
      std::array<std::uint32_t, kModeCount> row_bits{};
      for (std::uint32_t t = 0; t < rotations + vectors; ++t) {
        Record record{};
        record.mode = kModes[below(few)];
        const auto& sizes = t < rotations ? kRotationBits : kVectorBits;
        for (std::size_t c = 0; c < 3; ++c) {
          record.sizes[c] = below(16);
          record.base[c] = t < rotations ? 3500 + below(500) : below(kMaxBase + 1);
          row_bits[record.mode] += sizes[record.sizes[c]];
        }
        if (t < rotations) {
          record.left_out = below(4);
          // So that the integers span at most 0.5.
          const std::uint32_t most = sizes[*std::ranges::max_element(record.sizes)];
          record.step = std::min(below(44), 2 * (21 - most));
        } else {
          record.step = below(8);
        }
        segments[s].records.push_back(record);
        append(bytes, pack(record));
      }
      std::uint32_t modes = 0;
      for (const Record& record : segments[s].records) modes |= 1u << record.mode;
      append(bytes, modes);
      for (std::uint32_t mode = 0; mode < kModeCount; ++mode) {
        segments[s].row_sizes[mode] = (row_bits[mode] + 7) / 8;
        if ((modes >> mode & 1) != 0) append(bytes, segments[s].row_sizes[mode]);
      }
      for (std::uint32_t mode = 0; mode < kModeCount; ++mode) {
        if ((modes >> mode & 1) == 0) continue;
        ByteVector& rows = segments[s].rows[mode];
        rows.resize(std::size_t{control_count(mode, s == 0 ? kIntervals : kFrames - 1 - kIntervals)} *
                    segments[s].row_sizes[mode]);
        for (std::byte& byte : rows) byte = static_cast<std::byte>(below(256));
        append_bytes(bytes, rows);
      }
    }
    bytes.resize(bytes.size() + kPadBytes);
    const hanim::CompressedBytes clip{"random", bytes};
    auto made = hanim::write_compressed(std::span(&clip, 1), {}, 1, 1);
    EXPECT_TRUE(made) << formats_test::error_of(made);
    if (made) file = std::move(*made);
  }

  // The components of a track at a frame of a segment.
  std::array<double, 3> at_frame(std::uint32_t s, std::uint32_t track, std::uint32_t frame) const {
    const RandomSegment& segment = segments[s];
    const Record& record = segment.records[track];
    std::size_t before = 0;  // the bits of the tracks before in a row
    for (std::uint32_t t = 0; t < track; ++t) {
      if (segment.records[t].mode != record.mode) continue;
      for (const std::uint32_t size : segment.records[t].sizes)
        before += (t < rotations ? kRotationBits : kVectorBits)[size];
    }
    const auto& sizes = track < rotations ? kRotationBits : kVectorBits;
    const auto control = [&](std::uint32_t row, std::size_t c) {
      std::size_t at = std::size_t{row} * segment.row_sizes[record.mode] * 8 + before;
      for (std::size_t i = 0; i < c; ++i) at += sizes[record.sizes[i]];
      const double u = bits_at(segment.rows[record.mode], at, sizes[record.sizes[c]]),
                   step = std::exp2(record.step / 2.0);
      if (track < rotations) return record.base[c] / 4096.0 - 1 + u * step / 4194304;
      const VectorRange& range = ranges[track - rotations];
      return record.base[c] * double{range.base_unit[c]} + range.origin[c] + u * range.step * step;
    };
    std::array<double, 3> out{};
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint32_t knots = 1u << (record.mode & 7), span = std::min(frame, (s == 0 ? 32u : 17u) - 1) / knots;
      const double u = static_cast<double>(frame - span * knots) / knots, v = 1 - u;
      if (record.mode == kModeOne) {
        out[c] = control(0, c);
      } else if (record.mode < kModeCubic) {
        out[c] = control(span, c) * v + control(span + 1, c) * u;
      } else {
        out[c] = (control(span, c) * v * v * v + control(span + 1, c) * (3 * u * u * u - 6 * u * u + 4) +
                  control(span + 2, c) * (3 * v * v * v - 6 * v * v + 4) + control(span + 3, c) * u * u * u) /
                 6;
      }
    }
    return out;
  }
  std::array<double, 4> rotation(std::uint32_t s, std::uint32_t track, std::uint32_t frame) const {
    const std::array<double, 3> three = at_frame(s, track, frame);
    std::array<double, 4> out{};
    double rest = 1;
    for (std::size_t c = 0, k = 0; c < 4; ++c) {
      if (c == segments[s].records[track].left_out) continue;
      out[c] = three[k++];
      rest -= out[c] * out[c];
    }
    out[segments[s].records[track].left_out] = std::sqrt(std::max(rest, 0.0));
    return out;
  }
};

std::array<double, 4> slerp(const std::array<double, 4>& a, const std::array<double, 4>& b, double t) {
  double cosine = 0;
  for (std::size_t c = 0; c < 4; ++c) cosine += a[c] * b[c];
  const double angle = std::acos(std::min(cosine, 1.0)), sine = std::sin(angle);
  std::array<double, 4> out{};
  for (std::size_t c = 0; c < 4; ++c) {
    out[c] = angle < 1e-6 ? a[c] + (b[c] - a[c]) * t
                          : (a[c] * std::sin((1 - t) * angle) + b[c] * std::sin(t * angle)) / sine;
  }
  return out;
}

// Every number of tracks in the last group of four, with lines only and with all modes.
TEST(SampleCompressed, samples_are_those_of_the_specification) {
  std::mt19937 random(32);
  for (std::uint32_t rotations = 0; rotations < 14; ++rotations) {
    for (const std::uint32_t vectors : {1u, 3u, 6u}) {
      const RandomClip clip(rotations, vectors, random);
      const ByteVector exact(clip.file.begin(), clip.file.end());
      const auto view = hanim::CompressedView::open(exact);
      ASSERT_TRUE(view) << formats_test::error_of(view);
      for (int i = 0; i < 60; ++i) {
        const float time = i == 0 ? 0 : i == 1 ? 1 : static_cast<float>(random() % 10000) / 10000;
        std::vector<runtime::Transform> pose(rotations + vectors);
        runtime::sample(view->clips()[0], time, pose);
        std::array<float, 3> color{};
        ASSERT_EQ(view->clips()[0].property_float_count(), color.size());
        runtime::sample_properties(view->clips()[0], time, color);
        const double place = static_cast<double>(time) * (kFrames - 1);
        const std::uint32_t frame = std::min(static_cast<std::uint32_t>(place), kFrames - 2);
        const std::uint32_t s = frame / kIntervals, in = frame - s * kIntervals;
        for (std::uint32_t t = 0; t < rotations; ++t) {
          const auto want = slerp(clip.rotation(s, t, in), clip.rotation(s, t, in + 1), place - frame);
          for (std::size_t c = 0; c < 4; ++c)
            ASSERT_NEAR(pose[t].rotation[c], want[c], 2e-5) << rotations << " rotations, track " << t << " at " << time;
        }
        for (std::uint32_t t = rotations; t < rotations + vectors; ++t) {
          const auto a = clip.at_frame(s, t, in), b = clip.at_frame(s, t, in + 1);
          const std::array<float, 3>& found = t + 1 == rotations + vectors ? color : pose[t].translation;
          for (std::size_t c = 0; c < 3; ++c) {
            const double want = a[c] + (b[c] - a[c]) * (place - frame);
            ASSERT_NEAR(found[c], want, 1e-5 * (1 + std::fabs(want))) << "vector " << t - rotations;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace assetc::animation
