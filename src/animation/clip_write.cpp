// The bytes of a compressed clip.
#include <cmath>
#include <limits>

#include "animation/clip_compressor.hpp"

namespace assetc::animation {

using namespace hanim::layout;
using hanim::Property;
using scene::Interpolation;

namespace {

// Packs unsigned numbers, low bits first.
class BitWriter {
 public:
  explicit BitWriter(ByteVector& out) : out_(out) {}
  void write(std::uint32_t value, std::uint32_t bits) {
    buffer_ |= std::uint64_t{value} << count_;
    for (count_ += bits; count_ >= 8; count_ -= 8, buffer_ >>= 8) out_.push_back(static_cast<std::byte>(buffer_ & 255));
  }
  void flush() {
    if (count_ > 0) out_.push_back(static_cast<std::byte>(buffer_ & 255));
    count_ = 0, buffer_ = 0;
  }

 private:
  ByteVector& out_;
  std::uint64_t buffer_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace

void ClipCompressor::write_segment(std::uint32_t s, std::span<const std::uint32_t> order, ByteVector& out) const {
  std::array<std::vector<std::uint32_t>, kModeCount> tracks_of_mode;
  for (const std::uint32_t t : order) {
    const Record& record = segments_[s].choices[t].record;
    append(out, pack(record));
    tracks_of_mode[record.mode].push_back(t);
  }
  ByteVector rows;
  std::vector<std::uint32_t> row_sizes;
  std::uint32_t modes = 0;
  for (std::uint32_t mode = 0; mode < kModeCount; ++mode) {
    if (tracks_of_mode[mode].empty()) continue;
    modes |= 1u << mode;
    const std::size_t start = rows.size();
    const std::uint32_t row_count = control_count(mode, intervals_of(s));
    for (std::uint32_t row = 0; row < row_count; ++row) {
      BitWriter bits(rows);
      for (const std::uint32_t t : tracks_of_mode[mode]) {
        const Choice& choice = segments_[s].choices[t];
        const auto& sizes = tracks_[t].target.property == Property::kRotation ? kRotationBits : kVectorBits;
        for (std::size_t c = 0; c < 3; ++c) bits.write(choice.controls[row][c], sizes[choice.record.sizes[c]]);
      }
      bits.flush();
    }
    row_sizes.push_back(static_cast<std::uint32_t>((rows.size() - start) / row_count));
  }
  append(out, modes);
  append_array(out, std::span<const std::uint32_t>(row_sizes));
  append_bytes(out, rows);
}

Result<hanim::CompressedBytes> ClipCompressor::write() const {
  std::vector<Weight> weights;
  const auto tag_of = [&](std::size_t t, std::uint32_t detail) {
    const hanim::Target& target = tracks_[t].target;
    std::uint32_t object = target.object;
    if (target.property == Property::kWeights) {
      object = static_cast<std::uint32_t>(weights.size());
      weights.push_back({target.object, target.first});
    }
    return tag(target.property, detail, object);
  };
  const auto details = [&](std::size_t t) {
    return tracks_[t].target.property == Property::kRotation ? 0u : tracks_[t].target.components - 1u;
  };
  std::vector<Constant> constants;
  std::vector<std::uint32_t> order, tags;
  std::vector<VectorRange> ranges;
  std::vector<hanim::layout::Curve> curves;
  ByteVector keys;
  for (std::size_t t = 0; t < tracks_.size(); ++t) {
    if (!is_of(t, Kind::kConstant)) continue;
    Constant constant{};
    std::uint32_t detail = details(t);
    if (tracks_[t].target.property == Property::kRotation) {
      Value q = constants_[t];
      detail = 0;
      for (std::uint32_t c = 1; c < 4; ++c)
        if (std::fabs(q[c]) > std::fabs(q[detail])) detail = c;
      const double sign = q[detail] < 0 ? -1 : 1;
      for (std::uint32_t c = 0, k = 0; c < 4; ++c)
        if (c != detail) constant.value[k++] = static_cast<float>(sign * q[c]);
    } else {
      for (std::size_t c = 0; c < 3; ++c) constant.value[c] = static_cast<float>(constants_[t][c]);
    }
    constant.tag = tag_of(t, detail);
    constants.push_back(constant);
  }
  for (const bool is_rotation : {true, false}) {
    for (std::uint32_t t = 0; t < tracks_.size(); ++t) {
      if (!is_of(t, Kind::kSampled) || (tracks_[t].target.property == Property::kRotation) != is_rotation) continue;
      order.push_back(t);
      tags.push_back(tag_of(t, details(t)));
      if (!is_rotation) ranges.push_back(ranges_[t]);
    }
  }
  for (std::size_t t = 0; t < tracks_.size(); ++t) {
    if (!is_of(t, Kind::kCurve)) continue;
    const Curve& from = tracks_[t].curve;
    const scene::Channel& channel = from.channel();
    const auto count = static_cast<std::uint32_t>(channel.times_seconds.size());
    curves.push_back({tag_of(t, details(t)), static_cast<std::uint32_t>(channel.interpolation), count,
                      static_cast<std::uint32_t>(keys.size())});
    append_array(keys, std::span<const float>(channel.times_seconds));
    const std::size_t parts = channel.interpolation == Interpolation::kCubicSpline ? 3 : 1;
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t part = 0; part < parts; ++part) {
        const Value value = from.key(k, parts == 1 ? 1 : part);
        for (std::size_t c = 0; c < from.components(); ++c) append(keys, static_cast<float>(value[c]));
      }
    }
  }
  const bool samples = !order.empty();
  const std::uint32_t segments = samples ? segment_count() : 0;
  const std::size_t time_count = samples ? times_.size() : 0;
  const std::size_t at = sizeof(ClipHeader) + time_count * sizeof(float) + weights.size() * sizeof(Weight) +
                         constants.size() * sizeof(Constant) + tags.size() * 4 + ranges.size() * sizeof(VectorRange) +
                         curves.size() * sizeof(hanim::layout::Curve) + std::size_t{segments} * 4;
  for (auto& curve : curves) curve.offset += static_cast<std::uint32_t>(at);
  ByteVector body;
  std::vector<std::uint32_t> offsets;
  for (std::uint32_t s = 0; s < segments; ++s) {
    offsets.push_back(static_cast<std::uint32_t>(at + keys.size() + body.size()));
    write_segment(s, order, body);
    if (at + keys.size() + body.size() > std::numeric_limits<std::uint32_t>::max()) break;
  }
  if (at + keys.size() + body.size() > std::numeric_limits<std::uint32_t>::max() - kPadBytes)
    return fail(ErrorCode::kLimit, "clip \"" + clip_.name + "\" takes more than 4 GiB");
  hanim::CompressedBytes out{clip_.name, {}};
  append(out.bytes, ClipHeader{static_cast<float>(duration_), samples ? frame_count_ : 0,
                               static_cast<std::uint16_t>(samples ? segment_frames_ : 0),
                               samples && !times_.empty() ? kHasTimes : std::uint16_t{0},
                               static_cast<std::uint32_t>(weights.size()), static_cast<std::uint32_t>(constants.size()),
                               static_cast<std::uint32_t>(order.size() - ranges.size()),
                               static_cast<std::uint32_t>(ranges.size()), static_cast<std::uint32_t>(curves.size())});
  append_array(out.bytes, std::span<const Weight>(weights));
  append_array(out.bytes, std::span<const Constant>(constants));
  append_array(out.bytes, std::span<const std::uint32_t>(tags));
  append_array(out.bytes, std::span<const VectorRange>(ranges));
  append_array(out.bytes, std::span<const hanim::layout::Curve>(curves));
  append_array(out.bytes, std::span<const std::uint32_t>(offsets));
  append_array(out.bytes, std::span<const float>(times_).first(time_count));
  append_bytes(out.bytes, keys);
  append_bytes(out.bytes, body);
  if (samples) out.bytes.resize(out.bytes.size() + kPadBytes);
  return out;
}

}  // namespace assetc::animation
