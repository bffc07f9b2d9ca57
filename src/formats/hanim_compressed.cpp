#include "assetc/formats/hanim_compressed.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "formats/hanim_layout.hpp"
#include "formats/reader.hpp"
#include "formats/text.hpp"

namespace assetc::hanim {

using namespace formats;
using namespace layout;

namespace {

bool is_finite(std::span<const float> values) {
  return std::ranges::all_of(values, [](float v) { return std::isfinite(v); });
}

// The components that a property can have.
bool has_components(Property property, std::uint32_t components) {
  switch (property) {
    case Property::kTranslation:
    case Property::kScale:
    case Property::kLightColor:
      return components == 3;
    case Property::kRotation:
      return components == 4;
    case Property::kWeights:
      return components <= 3;
    default:
      return components == 1;
  }
}

Result<std::string_view> name_at(ByteSpan names, std::uint32_t offset, std::uint32_t size, std::uint64_t place) {
  if (!range_fits(offset, size, names.size()))
    return invalid(place, message("found a name of ", counted(size, "byte"), " at byte ", offset,
                                  ", expected it in the ", counted(names.size(), "byte"), " of names"));
  const std::string_view text = as_text(names.subspan(offset, size));
  if (!is_utf8(text)) return invalid(place, "a name is not UTF-8");
  return text;
}

std::uint64_t padded(std::uint64_t size) { return (size + 7) / 8 * 8; }

}  // namespace

std::uint32_t version_of(ByteSpan file) {
  if (file.size() < 8 || load<std::uint32_t>(file) != kMagic) return 0;
  return load<std::uint32_t>(file, 4);
}

Target CompressedClip::target_of(std::uint32_t tag) const {
  Target target;
  target.property = static_cast<Property>(tag & 15);
  target.object = tag >> 6;
  target.components =
      target.property == Property::kRotation ? std::uint8_t{4} : static_cast<std::uint8_t>((tag >> 4 & 3) + 1);
  if (target.property == Property::kWeights) {
    const auto weight = load<Weight>(bytes_, weights_at_ + target.object * sizeof(Weight));
    target.object = weight.node;
    target.first = weight.first;
  }
  return target;
}

Target CompressedClip::constant_target(std::uint32_t i) const {
  return target_of(u32(constants_at_ + i * sizeof(Constant)));
}

std::array<float, 4> CompressedClip::constant_value(std::uint32_t i) const {
  const auto from = load<Constant>(bytes_, constants_at_ + i * sizeof(Constant));
  std::array<float, 4> out{};
  if (static_cast<Property>(from.tag & 15) != Property::kRotation) {
    std::ranges::copy(from.value, out.begin());
    return out;
  }
  const std::uint32_t left_out = from.tag >> 4 & 3;
  float rest = 1;
  for (std::uint32_t c = 0, k = 0; c < 4; ++c) {
    if (c == left_out) continue;
    out[c] = from.value[k++];
    rest -= out[c] * out[c];
  }
  out[left_out] = std::sqrt(std::max(rest, 0.0f));
  return out;
}

Target CompressedClip::sampled_target(std::uint32_t i) const { return target_of(u32(tags_at_ + i * 4)); }

CurveView CompressedClip::curve(std::uint32_t i) const {
  const auto from = load<layout::Curve>(bytes_, curves_at_ + i * sizeof(layout::Curve));
  CurveView out;
  out.target = target_of(from.tag);
  out.kind = static_cast<CurveKind>(from.kind);
  out.key_count = from.key_count;
  const std::size_t times = from.key_count * sizeof(float);
  const std::size_t parts = out.kind == CurveKind::kCubicSpline ? 3 : 1;
  out.times = bytes_.subspan(from.offset, times);
  out.values = bytes_.subspan(from.offset + times, times * out.target.components * parts);
  return out;
}

const std::byte* CompressedClip::segment(std::uint32_t segment) const {
  return bytes_.data() + u32(segments_at_ + segment * 4);
}

Result<CompressedClip> CompressedClip::open(ByteSpan clip, std::uint64_t place, std::string_view name) {
  CompressedClip out;
  out.name_ = name;
  out.bytes_ = clip;
  Reader reader(clip);
  const auto refuse = [&](std::size_t at, const std::string& what) {
    return invalid(place + at, message("clip ", quote(name), ": ", what));
  };
  if (clip.size() < sizeof(ClipHeader))
    return refuse(0, message("found ", counted(clip.size(), "byte"), ", expected 32 of a header"));
  ASSETC_TRY(const auto header, reader.read<ClipHeader>("the header of a clip"));
  if (!std::isfinite(header.duration) || header.duration < 0)
    return refuse(0, message("lasts ", header.duration, " seconds, expected a finite number of at least 0"));
  const std::uint64_t sampled = std::uint64_t{header.rotation_count} + header.vector_count;
  if (sampled == 0 ? header.frame_count != 0 : header.frame_count < 2 || header.frame_count > kMaxFrames)
    return refuse(4, message("has ", counted(header.frame_count, "frame"), ", expected 2 to ", kMaxFrames,
                             ", or 0 without samples"));
  if (sampled == 0 ? header.segment_frames != 0
                   : !std::has_single_bit(header.segment_frames) || header.segment_frames < kMinSegmentFrames ||
                         header.segment_frames > kMaxSegmentFrames) {
    return refuse(8, message("has segments of ", header.segment_frames,
                             " frames, expected a power of two from 4 to 128, or 0 without samples"));
  }
  if (header.flags > kHasTimes || (sampled == 0 && header.flags != 0))
    return refuse(10, message("has flags ", header.flags, ", expected 0 or 1"));
  out.duration_ = header.duration;
  out.has_times_ = header.flags != 0;
  out.frame_count_ = header.frame_count;
  out.segment_frames_ = header.segment_frames;
  out.segment_count_ = sampled == 0 ? 0 : (header.frame_count - 2) / header.segment_frames + 1;
  out.weight_count_ = header.weight_count;
  out.constant_count_ = header.constant_count;
  out.rotation_count_ = header.rotation_count;
  out.vector_count_ = header.vector_count;
  out.curve_count_ = header.curve_count;
  // Every count is below 2^32 and every item below 2^6 bytes, so the sums fit 64 bits.
  std::uint64_t at = sizeof(ClipHeader);
  const auto array = [&](std::size_t& start, std::uint64_t count, std::size_t item) {
    start = static_cast<std::size_t>(at);
    at += count * item;
  };
  array(out.weights_at_, header.weight_count, sizeof(Weight));
  array(out.constants_at_, header.constant_count, sizeof(Constant));
  array(out.tags_at_, sampled, sizeof(std::uint32_t));
  array(out.vectors_at_, header.vector_count, sizeof(VectorRange));
  array(out.curves_at_, header.curve_count, sizeof(layout::Curve));
  array(out.segments_at_, out.segment_count_, sizeof(std::uint32_t));
  array(out.times_at_, out.has_times_ ? out.frame_count_ : 0, sizeof(float));
  if (at > clip.size()) {
    return fail_at(
        ErrorCode::kTruncated, byte_place(place + clip.size()),
        message("clip ", quote(name), ": found ", counted(clip.size(), "byte"), ", expected ", at, " for its tracks"),
        kDamagedHint);
  }
  for (std::uint32_t f = 0; out.has_times_ && f < out.frame_count_; ++f) {
    const float time = out.frame_time(f);
    if (!(time >= 0) || !(time <= out.duration_) || (f > 0 && !(time > out.frame_time(f - 1))))
      return refuse(
          out.times_at_ + f * sizeof(float),
          message("frame ", f, " is at ", time, " seconds, expected times that ascend from 0 to ", out.duration_));
  }
  ASSETC_CHECK(out.check_tracks(place));
  ASSETC_CHECK(out.check_curves(place));
  ASSETC_CHECK(out.check_segments(place));
  out.list_tracks();
  return out;
}

Result<void> CompressedClip::check_tracks(std::uint64_t place) const {
  const auto check = [&](std::size_t at, bool is_sampled, bool is_rotation) -> Result<void> {
    const std::uint32_t tag = u32(at);
    const auto property = static_cast<Property>(tag & 15);
    if (property == Property::kWeights && tag >> 6 >= weight_count_) {
      return invalid(place + at, message("clip ", quote(name_), ": found morph weights ", tag >> 6,
                                         ", expected less than ", weight_count_));
    }
    const Target target = target_of(tag);
    if (!has_components(property, target.components)) {
      return invalid(place + at, message("clip ", quote(name_), ": found ", int{target.components},
                                         " components of property ", int(property)));
    }
    if (is_sampled && (property == Property::kRotation) != is_rotation)
      return invalid(place + at, message("clip ", quote(name_), ": found property ", int(property), " among ",
                                         is_rotation ? "rotations" : "vectors"));
    return {};
  };
  for (std::uint32_t i = 0; i < constant_count_; ++i) {
    const std::size_t at = constants_at_ + i * sizeof(Constant);
    ASSETC_CHECK(check(at, false, false));
    if (!is_finite(load<Constant>(bytes_, at).value))
      return invalid(place + at + 4, message("clip ", quote(name_), ": a constant is not finite"));
    const bool is_rotation = (u32(at) & 15) == static_cast<std::uint32_t>(Property::kRotation);
    if (is_rotation && std::ranges::any_of(load<Constant>(bytes_, at).value, [](float v) { return std::fabs(v) > 1; }))
      return invalid(place + at + 4, message("clip ", quote(name_), ": a constant rotation is longer than 1"));
  }
  for (std::uint32_t i = 0; i < rotation_count_ + vector_count_; ++i)
    ASSETC_CHECK(check(tags_at_ + i * 4, true, i < rotation_count_));
  for (std::uint32_t i = 0; i < vector_count_; ++i) {
    const std::size_t at = vectors_at_ + i * sizeof(VectorRange);
    const auto range = load<VectorRange>(bytes_, at);
    // So that every value of the track is finite: below 2^13 base units and 2^15 steps of 2^32.
    constexpr float kMost = 0x1p+76f;
    const auto fits = [](float v) { return std::fabs(v) <= kMost; };
    if (!std::ranges::all_of(range.origin, fits) || !std::ranges::all_of(range.base_unit, fits) || !fits(range.step))
      return invalid(place + at, message("clip ", quote(name_), ": the range of a track is not finite or too large"));
  }
  for (std::uint32_t i = 0; i < curve_count_; ++i)
    ASSETC_CHECK(check(curves_at_ + i * sizeof(layout::Curve), false, false));
  return {};
}

Result<void> CompressedClip::check_curves(std::uint64_t place) const {
  std::uint64_t end = 0;  // of the keys before; keys do not overlap, so this takes linear time
  for (std::uint32_t i = 0; i < curve_count_; ++i) {
    const std::size_t at = curves_at_ + i * sizeof(layout::Curve);
    const auto from = load<layout::Curve>(bytes_, at);
    const auto refuse = [&](const auto&... what) {
      return invalid(place + at, message("clip ", quote(name_), ": curve ", i, " ", what...));
    };
    if (from.kind > 2) return refuse("has kind ", from.kind, ", expected 0 step, 1 linear or 2 cubic spline");
    if (from.key_count == 0) return refuse("has no keys, expected at least one");
    const std::uint64_t parts = from.kind == 2 ? 3 : 1;
    const std::uint64_t size =
        std::uint64_t{from.key_count} * sizeof(float) * (1 + target_of(from.tag).components * parts);
    if (from.offset % 4 != 0 || from.offset < end || !range_fits(from.offset, size, bytes_.size()))
      return refuse("has ", counted(size, "byte"), " of keys at byte ", from.offset, ", expected them after byte ", end,
                    " of ", bytes_.size());
    end = from.offset + size;
    const CurveView view = curve(i);
    float last = 0;
    for (std::size_t k = 0; k < view.key_count; ++k) {
      const float time = load<float>(view.times, k * sizeof(float));
      if (!(time >= last) || !(time <= duration_))
        return refuse("has a key at ", time, " seconds, expected times that ascend from 0 to ", duration_);
      last = time;
    }
    for (std::size_t k = 0; k < view.values.size(); k += sizeof(float))
      if (!std::isfinite(load<float>(view.values, k))) return refuse("holds a value that is not finite");
  }
  return {};
}

Result<void> CompressedClip::check_segments(std::uint64_t place) const {
  const std::uint64_t tracks = std::uint64_t{rotation_count_} + vector_count_;
  std::uint64_t last = 0;  // the end of the segment before; segments do not overlap, so this takes linear time
  for (std::uint32_t s = 0; s < segment_count_; ++s) {
    const std::size_t at = segments_at_ + s * std::size_t{4};
    const std::uint64_t offset = u32(at);
    const std::uint64_t modes_at = offset + tracks * 8;
    if (offset < last || !range_fits(offset, tracks * 8 + sizeof(std::uint32_t) + kPadBytes, bytes_.size())) {
      return invalid(place + at, message("clip ", quote(name_), ": segment ", s, " is at byte ", offset,
                                         ", expected its records after byte ", last, " of ", bytes_.size()));
    }
    std::array<std::uint64_t, kModeCount> row_bits{};
    std::uint32_t modes = 0;
    for (std::uint64_t t = 0; t < tracks; ++t) {
      const std::size_t record_at = static_cast<std::size_t>(offset + t * 8);
      const auto packed = load<std::uint64_t>(bytes_, record_at);
      const Record record = unpack(packed);
      if (!is_mode(record.mode) || !is_record(packed)) {
        return invalid(place + record_at,
                       message("clip ", quote(name_), ": found mode ", record.mode, ", expected 0 to 7 or 9 to 14"));
      }
      const auto& sizes = t < rotation_count_ ? kRotationBits : kVectorBits;
      for (const std::uint32_t size : record.sizes) {
        if (t < rotation_count_ &&
            kRotationStep * kSteps[record.step] * static_cast<float>((1u << sizes[size]) - 1) > 16)
          return invalid(place + record_at, message("clip ", quote(name_), ": a rotation has step ", record.step,
                                                    " for ", counted(int{sizes[size]}, "bit"), ", which exceeds 16"));
        row_bits[record.mode] += sizes[size];
      }
      modes |= 1u << record.mode;
    }
    if (u32(static_cast<std::size_t>(modes_at)) != modes) {
      return invalid(place + modes_at,
                     message("clip ", quote(name_), ": segment ", s, " has rows of modes ",
                             u32(static_cast<std::size_t>(modes_at)), ", expected those of its tracks, ", modes));
    }
    const std::uint64_t row_sizes_at = modes_at + sizeof(std::uint32_t);
    std::uint64_t end = row_sizes_at + sizeof(std::uint32_t) * static_cast<std::uint64_t>(std::popcount(modes));
    const std::uint32_t intervals = std::min(segment_frames_, frame_count_ - 1 - s * segment_frames_);
    std::uint64_t row_size_at = row_sizes_at;
    if (range_fits(end, kPadBytes, bytes_.size())) {
      for (std::uint32_t mode = 0; mode < kModeCount; ++mode) {
        if ((modes >> mode & 1) == 0) continue;
        const std::uint64_t row_size = (row_bits[mode] + 7) / 8;
        const std::uint32_t found = u32(static_cast<std::size_t>(row_size_at));
        if (found != row_size) {
          return invalid(place + row_size_at, message("clip ", quote(name_), ": a row of mode ", mode, " has ",
                                                      counted(found, "byte"), ", expected ", row_size));
        }
        row_size_at += sizeof(std::uint32_t);
        end += row_size * control_count(mode, intervals);
      }
    }
    if (!range_fits(end, kPadBytes, bytes_.size())) {
      return invalid(place + at, message("clip ", quote(name_), ": segment ", s, " ends at byte ", end,
                                         ", expected at most ", bytes_.size() - kPadBytes));
    }
    last = end;
  }
  return {};
}

void CompressedClip::list_tracks() {
  const auto add = [&](const Target& target) {
    if (is_transform(target.property)) return;
    properties_.push_back(target);
    property_float_count_ += target.components;
  };
  for (std::uint32_t i = 0; i < constant_count_; ++i) {
    const Target target = constant_target(i);
    if (is_transform(target.property)) {
      constant_transforms_.push_back({target.property, target.object, constant_value(i)});
    } else {
      add(target);
    }
  }
  for (std::uint32_t i = rotation_count_; i < rotation_count_ + vector_count_; ++i) add(sampled_target(i));
  for (std::uint32_t i = 0; i < curve_count_; ++i) add(curve(i).target);
}

Result<CompressedView> CompressedView::open(ByteSpan file) {
  ASSETC_CHECK(check_magic(file, kMagic, kCompressedVersion, "hanim"));
  Reader reader(file);
  ASSETC_TRY(const auto header, reader.read<CompressedHeader>("the header"));
  if ((header.flags & ~kOfScene) != 0 || (header.flags != 0 && header.joint_count != 0))
    return invalid(28, message("found flags ", header.flags, ", expected 0, or 1 without joints"));
  if (!(header.error >= 0) || !(header.radius >= 0) || !std::isfinite(header.error) || !std::isfinite(header.radius))
    return invalid(20, "found an error or radius that is negative or not finite");
  CompressedView view;
  view.is_of_scene_ = header.flags != 0;
  view.error_ = header.error;
  view.radius_ = header.radius;
  ASSETC_TRY(const ByteSpan joints, reader.take(header.joint_count * std::uint64_t{sizeof(FileJoint)}, "the joints"));
  const std::uint64_t clips_at = reader.position();
  ASSETC_TRY(const ByteSpan clips, reader.take(header.clip_count * std::uint64_t{sizeof(FileClip)}, "the clips"));
  ASSETC_TRY(const ByteSpan names, reader.take(header.name_bytes, "the names"));
  view.joints_.reserve(header.joint_count);
  for (std::uint32_t j = 0; j < header.joint_count; ++j) {
    const auto from = load<FileJoint>(joints, j * sizeof(FileJoint));
    const std::uint64_t place = sizeof(CompressedHeader) + j * sizeof(FileJoint);
    Joint joint;
    ASSETC_TRY(joint.name, name_at(names, from.name_offset, from.name_size, place));
    joint.parent = from.parent;
    joint.rest = from.rest;
    if (joint.parent < Joint::kNoParent || joint.parent >= static_cast<std::int64_t>(j))
      return invalid(place + 8,
                     message("joint ", j, " has parent ", joint.parent, ", expected -1 or a joint before it"));
    if (!is_finite(joint.rest.translation) || !is_finite(joint.rest.rotation) || !is_finite(joint.rest.scale))
      return invalid(place + 12, message("joint ", j, " holds a number that is not finite"));
    view.joints_.push_back(joint);
  }
  view.clips_.reserve(header.clip_count);
  std::uint64_t end = padded(reader.position());
  for (std::uint32_t c = 0; c < header.clip_count; ++c) {
    const auto from = load<FileClip>(clips, c * sizeof(FileClip));
    const std::uint64_t place = clips_at + c * sizeof(FileClip);
    ASSETC_TRY(const std::string_view name, name_at(names, from.name_offset, from.name_size, place));
    if (from.offset != end || !range_fits(from.offset, from.size, file.size()))
      return invalid(place + 8, message("clip ", quote(name), " has ", counted(from.size, "byte"), " at byte ",
                                        from.offset, ", expected it at byte ", end, " of the file's ", file.size()));
    ASSETC_TRY(CompressedClip clip, CompressedClip::open(file.subspan(from.offset, from.size), from.offset, name));
    view.clips_.push_back(std::move(clip));
    end = padded(from.offset + from.size);
  }
  ASSETC_CHECK(expect_end(end, file.size()));
  if (!view.joints_.empty()) ASSETC_CHECK(view.check_targets(view.joints_.size(), 0, 0));
  return view;
}

Result<void> CompressedView::check_targets(std::size_t node_count, std::size_t camera_count,
                                           std::size_t light_count) const {
  for (const CompressedClip& clip : clips_) {
    const auto check = [&](const Target& target) -> Result<void> {
      const bool is_node = target.property <= Property::kVisible, is_camera = target.property < Property::kLightColor;
      const std::size_t count = is_node ? node_count : is_camera ? camera_count : light_count;
      if (target.object < count) return {};
      const std::string_view kind = is_node ? "node" : is_camera ? "camera" : "light";
      return fail_at(ErrorCode::kInvalidData, message("clip ", quote(clip.name())),
                     message("moves ", kind, " ", target.object, ", expected less than ", count),
                     "compile the clips and their model from one source");
    };
    for (std::uint32_t i = 0; i < clip.constant_count(); ++i) ASSETC_CHECK(check(clip.constant_target(i)));
    for (std::uint32_t i = 0; i < clip.rotation_count() + clip.vector_count(); ++i)
      ASSETC_CHECK(check(clip.sampled_target(i)));
    for (std::uint32_t i = 0; i < clip.curve_count(); ++i) ASSETC_CHECK(check(clip.curve(i).target));
  }
  return {};
}

Result<ByteVector> write_compressed(std::span<const CompressedBytes> clips, std::span<const Joint> joints,
                                    float error_meters, float radius_meters, std::uint32_t flags) {
  ByteVector names;
  const auto add_name = [&](std::string_view name) {
    const auto offset = static_cast<std::uint32_t>(names.size());
    append_bytes(names, as_bytes(name));
    return offset;
  };
  ByteVector joint_bytes, clip_bytes;
  for (const Joint& joint : joints) {
    const auto size = static_cast<std::uint32_t>(joint.name.size());
    append(joint_bytes, FileJoint{add_name(joint.name), size, joint.parent, joint.rest});
  }
  std::vector<FileClip> table;
  for (const CompressedBytes& clip : clips)
    table.push_back({add_name(clip.name), static_cast<std::uint32_t>(clip.name.size()), 0, clip.bytes.size()});
  std::uint64_t at =
      padded(sizeof(CompressedHeader) + joint_bytes.size() + table.size() * sizeof(FileClip) + names.size());
  if (names.size() > std::numeric_limits<std::uint32_t>::max())
    return fail(ErrorCode::kLimit, "the names of clips and joints take more than 4 GiB");
  for (FileClip& clip : table) {
    clip.offset = at;
    at = padded(at + clip.size);
  }
  ByteVector file;
  file.reserve(at);
  append(file, CompressedHeader{kMagic, kCompressedVersion, static_cast<std::uint32_t>(clips.size()),
                                static_cast<std::uint32_t>(joints.size()), static_cast<std::uint32_t>(names.size()),
                                error_meters, radius_meters, flags});
  append_bytes(file, joint_bytes);
  append_array(file, std::span<const FileClip>(table));
  append_bytes(file, names);
  pad_to(file, 8);
  for (const CompressedBytes& clip : clips) {
    append_bytes(file, clip.bytes);
    pad_to(file, 8);
  }
  ASSETC_CHECK(CompressedView::open(file));
  return file;
}

}  // namespace assetc::hanim
