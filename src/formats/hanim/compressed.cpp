#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "assetc/formats/hanim_compressed.hpp"
#include "formats/hanim/table.hpp"
#include "formats/text.hpp"

namespace assetc::hanim {

using namespace formats;
using namespace layout;

namespace {

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

// Frames, the length of segments and times of frames exist only with samples.
Result<void> check_samples(const ClipHeader& header, std::uint64_t place) {
  const bool has_samples = header.rotation_count != 0 || header.vector_count != 0;
  if (has_samples ? header.frame_count < 2 || header.frame_count > kMaxFrames : header.frame_count != 0)
    return invalid(place + 4, message("has ", counted(header.frame_count, "frame"), ", expected 2 to ", kMaxFrames,
                                      ", or 0 without samples"));
  if (has_samples ? !std::has_single_bit(header.segment_frames) || header.segment_frames < kMinSegmentFrames ||
                        header.segment_frames > kMaxSegmentFrames
                  : header.segment_frames != 0) {
    return invalid(place + 8, message("has segments of ", header.segment_frames,
                                      " frames, expected a power of two from 4 to 128, or 0 without samples"));
  }
  if (!has_samples && header.flags != 0)
    return invalid(place + 10, message("has flags ", header.flags, ", expected 0 without samples"));
  return {};
}

// The table checked that the name lies in the names.
Result<std::string_view> name_at(std::string_view names, std::uint32_t offset, std::uint32_t size,
                                 std::uint64_t place) {
  const std::string_view text = names.substr(offset, size);
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
  Context context;
  ASSETC_TRY(const OpenPart part, open_part(table::kClipPart, clip, place, context));
  const auto header = part.head<ClipHeader>();
  ASSETC_CHECK(check_samples(header, place));
  const std::uint64_t sampled = std::uint64_t{header.rotation_count} + header.vector_count;
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
  const auto start = [&](ByteSpan bytes) { return static_cast<std::size_t>(bytes.data() - clip.data()); };
  out.weights_at_ = start(part.sections[table::kWeightSection]);
  out.constants_at_ = start(part.sections[table::kConstantSection]);
  out.tags_at_ = start(part.sections[table::kTagSection]);
  out.vectors_at_ = start(part.sections[table::kVectorSection]);
  out.curves_at_ = start(part.sections[table::kCurveSection]);
  out.segments_at_ = start(part.more);
  out.times_at_ = out.segments_at_ + out.segment_count_ * sizeof(std::uint32_t);
  const std::uint64_t end = out.times_at_ + (out.has_times_ ? out.frame_count_ * sizeof(float) : 0);
  if (end > clip.size()) {
    return fail_at(ErrorCode::kTruncated, byte_place(place + clip.size()),
                   message("found ", counted(clip.size(), "byte"), ", expected ", end, " for its tracks"),
                   kDamagedHint);
  }
  for (std::uint32_t f = 0; out.has_times_ && f < out.frame_count_; ++f) {
    const float time = out.frame_time(f);
    if (!(time >= 0) || !(time <= out.duration_) || (f > 0 && !(time > out.frame_time(f - 1)))) {
      return invalid(
          place + out.times_at_ + f * sizeof(float),
          message("frame ", f, " is at ", time, " seconds, expected times that ascend from 0 to ", out.duration_));
    }
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
      return invalid(place + at, message("found morph weights ", tag >> 6, ", expected less than ", weight_count_));
    }
    const Target target = target_of(tag);
    if (!has_components(property, target.components)) {
      return invalid(place + at, message("found ", int{target.components}, " components of property ", int(property)));
    }
    if (is_sampled && (property == Property::kRotation) != is_rotation)
      return invalid(place + at,
                     message("found property ", int(property), " among ", is_rotation ? "rotations" : "vectors"));
    return {};
  };
  for (std::uint32_t i = 0; i < constant_count_; ++i) {
    const std::size_t at = constants_at_ + i * sizeof(Constant);
    ASSETC_CHECK(check(at, false, false));
    const bool is_rotation = (u32(at) & 15) == static_cast<std::uint32_t>(Property::kRotation);
    if (is_rotation && std::ranges::any_of(load<Constant>(bytes_, at).value, [](float v) { return std::fabs(v) > 1; }))
      return invalid(place + at + 4, "a constant rotation is longer than 1");
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
      return invalid(place + at, "the range of a track is not finite or too large");
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
    const auto refuse = [&](const auto&... what) { return invalid(place + at, message("curve ", i, " ", what...)); };
    const std::uint64_t parts = from.kind == 2 ? 3 : 1;
    const std::uint64_t size =
        std::uint64_t{from.key_count} * sizeof(float) * (1 + target_of(from.tag).components * parts);
    if (from.offset < end || !range_fits(from.offset, size, bytes_.size()))
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
      return invalid(place + at, message("segment ", s, " is at byte ", offset, ", expected its records after byte ",
                                         last, " of ", bytes_.size()));
    }
    std::array<std::uint64_t, kModeCount> row_bits{};
    std::uint32_t modes = 0;
    for (std::uint64_t t = 0; t < tracks; ++t) {
      const std::size_t record_at = static_cast<std::size_t>(offset + t * 8);
      const auto packed = load<std::uint64_t>(bytes_, record_at);
      const layout::Record record = unpack(packed);
      if (!is_mode(record.mode) || !is_record(packed)) {
        return invalid(place + record_at, message("found mode ", record.mode, ", expected 0 to 7 or 9 to 14"));
      }
      const auto& sizes = t < rotation_count_ ? kRotationBits : kVectorBits;
      for (const std::uint32_t size : record.sizes) {
        if (t < rotation_count_ &&
            kRotationStep * kSteps[record.step] * static_cast<float>((1u << sizes[size]) - 1) > 16)
          return invalid(place + record_at, message("a rotation has step ", record.step, " for ",
                                                    counted(int{sizes[size]}, "bit"), ", which exceeds 16"));
        row_bits[record.mode] += sizes[size];
      }
      modes |= 1u << record.mode;
    }
    if (u32(static_cast<std::size_t>(modes_at)) != modes) {
      return invalid(place + modes_at,
                     message("segment ", s, " has rows of modes ", u32(static_cast<std::size_t>(modes_at)),
                             ", expected those of its tracks, ", modes));
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
          return invalid(place + row_size_at,
                         message("a row of mode ", mode, " has ", counted(found, "byte"), ", expected ", row_size));
        }
        row_size_at += sizeof(std::uint32_t);
        end += row_size * control_count(mode, intervals);
      }
    }
    if (!range_fits(end, kPadBytes, bytes_.size())) {
      return invalid(place + at,
                     message("segment ", s, " ends at byte ", end, ", expected at most ", bytes_.size() - kPadBytes));
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
  Context context;
  ASSETC_TRY(const OpenPart part, open_part(table::kFile, file, 0, context));
  const auto header = part.head<CompressedHeader>();
  if (header.flags != 0 && header.joint_count != 0)
    return invalid(28, message("found flags ", header.flags, ", expected 0 in a file with joints"));
  CompressedView view;
  view.is_of_scene_ = header.flags != 0;
  view.error_ = header.error;
  view.radius_ = header.radius;
  const ByteSpan joints = part.sections[0], clips = part.sections[1];
  const std::uint64_t clips_at = sizeof(CompressedHeader) + joints.size();
  view.joints_.reserve(header.joint_count);
  for (std::uint32_t j = 0; j < header.joint_count; ++j) {
    const auto from = load<FileJoint>(joints, j * sizeof(FileJoint));
    ASSETC_TRY(const std::string_view name,
               name_at(part.texts, from.name_offset, from.name_size, sizeof(CompressedHeader) + j * sizeof(FileJoint)));
    view.joints_.push_back({name, from.parent, from.rest});
  }
  view.clips_.reserve(header.clip_count);
  std::uint64_t end = padded(file.size() - part.more.size());
  for (std::uint32_t c = 0; c < header.clip_count; ++c) {
    const auto from = load<FileClip>(clips, c * sizeof(FileClip));
    const std::uint64_t place = clips_at + c * sizeof(FileClip);
    ASSETC_TRY(const std::string_view name, name_at(part.texts, from.name_offset, from.name_size, place));
    if (from.offset != end || !range_fits(from.offset, from.size, file.size()))
      return invalid(place + 8, message("clip ", quote(name), " has ", counted(from.size, "byte"), " at byte ",
                                        from.offset, ", expected it at byte ", end, " of the file's ", file.size()));
    auto clip = CompressedClip::open(file.subspan(from.offset, from.size), from.offset, name);
    if (!clip) {
      clip.error().what = message("clip ", quote(name), ": ", clip.error().what);
      return std::unexpected(std::move(clip).error());
    }
    view.clips_.push_back(*std::move(clip));
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
