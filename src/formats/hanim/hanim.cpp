// Version 1 is a sequence of sizes and arrays without a table, so opening it walks through all of it. Version 2 is in
// compressed.cpp.
#include "assetc/formats/hanim.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/plural.hpp"
#include "formats/hanim/table.hpp"
#include "formats/text.hpp"

namespace assetc::hanim {

using namespace formats;

namespace {

struct FileHeader {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint32_t clip_count;
  std::uint32_t flags;
};
static_assert(sizeof(FileHeader) == table::kHeader.size_bytes);

struct ChannelHeader {
  std::uint32_t joint;
  std::uint8_t path;
  std::uint8_t interpolation;
  std::uint8_t components;
  std::uint8_t pad;
  std::uint32_t key_count;
};
static_assert(sizeof(ChannelHeader) == table::kChannel.size_bytes && sizeof(Transform) == 40);

// The smallest clip and channel. They limit the memory that a forged count can make the reader reserve.
constexpr std::uint64_t kMinClipBytes = 2 + 4 + 4;
constexpr std::uint64_t kMinChannelBytes = sizeof(ChannelHeader) + 4 * sizeof(float);
constexpr std::uint64_t kMinJointBytes = 2 + 4 + 10 * sizeof(float);

// Reads a length and a name.
Result<std::string_view> read_name(Reader& reader, std::string_view what, std::size_t number) {
  const std::uint64_t place = reader.position();
  ASSETC_TRY(const auto size, reader.read<std::uint16_t>(message("the length of a ", what, "'s name")));
  ASSETC_TRY(const ByteSpan name, reader.take(size, message("a ", what, "'s name")));
  const std::string_view text = as_text(name);
  if (!is_utf8(text)) return invalid(place, message("the name of ", what, " ", number, " is not UTF-8"));
  return text;
}

Result<void> append_name(ByteVector& file, std::string_view what, std::string_view name) {
  if (name.size() > std::numeric_limits<std::uint16_t>::max()) {
    return fail(ErrorCode::kLimit,
                message("the name of ", what, " ", quote(name), " takes ", counted(name.size(), "byte"),
                        ", expected at most 65535"),
                message("give the ", what, " a shorter name"));
  }
  append(file, static_cast<std::uint16_t>(name.size()));
  append_bytes(file, as_bytes(name));
  return {};
}

}  // namespace

std::array<float, 16> to_matrix(const Transform& transform) {
  const auto& [x, y, z, w] = transform.rotation;
  const auto& t = transform.translation;
  const auto& s = transform.scale;
  return {(1 - 2 * (y * y + z * z)) * s[0],
          2 * (x * y + z * w) * s[0],
          2 * (x * z - y * w) * s[0],
          0,
          2 * (x * y - z * w) * s[1],
          (1 - 2 * (x * x + z * z)) * s[1],
          2 * (y * z + x * w) * s[1],
          0,
          2 * (x * z + y * w) * s[2],
          2 * (y * z - x * w) * s[2],
          (1 - 2 * (x * x + y * y)) * s[2],
          0,
          t[0],
          t[1],
          t[2],
          1};
}

std::array<float, 4> ChannelView::value(std::size_t i) const {
  std::array<float, 4> out{};
  std::memcpy(out.data(), keys_.data() + i * stride() + sizeof(float), components() * sizeof(float));
  return out;
}

Result<View> View::open(ByteSpan file) {
  ASSETC_CHECK(check_magic(file, kMagic, kVersion, "hanim"));
  Reader reader(file);
  const Context context;
  ASSETC_TRY(const ByteSpan head, take_record(reader, table::kHeader, context));
  const auto header = load<FileHeader>(head);
  View view;
  view.clips_.reserve(std::min<std::uint64_t>(header.clip_count, reader.remaining() / kMinClipBytes));
  for (std::uint32_t c = 0; c < header.clip_count; ++c) {
    ClipView clip;
    ASSETC_TRY(clip.name, read_name(reader, "clip", c));
    ASSETC_TRY(const ByteSpan clip_fields, take_record(reader, table::kClip, context, c));
    clip.duration_seconds = load<float>(clip_fields);
    const auto channel_count = load<std::uint32_t>(clip_fields, sizeof(float));
    clip.channels.reserve(std::min<std::uint64_t>(channel_count, reader.remaining() / kMinChannelBytes));
    for (std::uint32_t i = 0; i < channel_count; ++i) {
      const std::uint64_t place = reader.position();
      ASSETC_TRY(const ByteSpan row, take_record(reader, table::kChannel, context, i));
      const auto fields = load<ChannelHeader>(row);
      ChannelView channel;
      channel.joint_ = fields.joint;
      channel.path_ = static_cast<Path>(fields.path);
      channel.interpolation_ = static_cast<Interpolation>(fields.interpolation);
      channel.key_count_ = fields.key_count;
      if (fields.components != channel.components()) {
        return invalid(place + 6, message("found ", counted(int{fields.components}, "component"), ", expected ",
                                          int{channel.components()}, " for this path"));
      }
      const std::uint64_t keys_place = reader.position();
      ASSETC_TRY(channel.keys_,
                 reader.take(fields.key_count * std::uint64_t{channel.stride()}, "the keys of a channel"));
      float previous = 0;
      for (std::uint32_t k = 0; k < fields.key_count; ++k) {
        const float time = channel.time(k);
        if (!(time >= previous) || !(time <= clip.duration_seconds)) {
          return invalid(keys_place + k * channel.stride(),
                         message("key ", k, " is at ", time, " seconds, expected ", previous, " to ",
                                 clip.duration_seconds, ", the duration of the clip"));
        }
        previous = time;
        for (const float v : channel.value(k)) {
          if (!std::isfinite(v))
            return invalid(keys_place + k * channel.stride() + 4,
                           message("key ", k, " holds a number that is not finite"));
        }
      }
      clip.channels.push_back(channel);
    }
    view.clips_.push_back(std::move(clip));
  }
  if ((header.flags & kHasJoints) != 0) {
    ASSETC_TRY(const ByteSpan count_field, take_record(reader, table::kJointCount, context));
    const auto joint_count = load<std::uint32_t>(count_field);
    view.joints_.reserve(std::min<std::uint64_t>(joint_count, reader.remaining() / kMinJointBytes));
    for (std::uint32_t j = 0; j < joint_count; ++j) {
      Joint joint;
      ASSETC_TRY(joint.name, read_name(reader, "joint", j));
      ASSETC_TRY(const ByteSpan row, take_record(reader, table::kJoint, context, j));
      joint.parent = load<std::int32_t>(row);
      joint.rest = load<Transform>(row, sizeof joint.parent);
      view.joints_.push_back(joint);
    }
    ASSETC_CHECK(view.check_joints(joint_count));
  }
  ASSETC_CHECK(expect_end(reader.position(), file.size()));
  return view;
}

Result<void> View::check_joints(std::size_t joint_count) const {
  for (const ClipView& clip : clips_) {
    for (std::size_t i = 0; i < clip.channels.size(); ++i) {
      if (clip.channels[i].joint() < joint_count) continue;
      return fail_at(
          ErrorCode::kInvalidData, message("clip ", quote(clip.name), " channel ", i),
          message("moves joint ", clip.channels[i].joint(), ", expected less than the ", joint_count, " of the mesh"),
          "compile the mesh and its clips from one source");
    }
  }
  return {};
}

std::vector<Clip> View::to_clips() const {
  std::vector<Clip> clips;
  clips.reserve(clips_.size());
  for (const ClipView& from : clips_) {
    Clip clip{std::string(from.name), from.duration_seconds, {}};
    clip.channels.reserve(from.channels.size());
    for (const ChannelView& view : from.channels) {
      Channel channel{view.joint(), view.path(), view.interpolation(), {}, {}};
      for (std::size_t k = 0; k < view.key_count(); ++k) {
        channel.times.push_back(view.time(k));
        const auto value = view.value(k);
        channel.values.insert(channel.values.end(), value.begin(), value.begin() + view.components());
      }
      clip.channels.push_back(std::move(channel));
    }
    clips.push_back(std::move(clip));
  }
  return clips;
}

Result<ByteVector> write(std::span<const Clip> clips, std::span<const Joint> joints) {
  ByteVector file;
  append(file, FileHeader{kMagic, kVersion, static_cast<std::uint32_t>(clips.size()), joints.empty() ? 0 : kHasJoints});
  for (const Clip& clip : clips) {
    ASSETC_CHECK(append_name(file, "clip", clip.name));
    append(file, clip.duration_seconds);
    append(file, static_cast<std::uint32_t>(clip.channels.size()));
    for (const Channel& channel : clip.channels) {
      const std::uint8_t components = component_count(channel.path);
      if (channel.values.size() != channel.times.size() * components) {
        return fail(
            ErrorCode::kUsage,
            message("a channel of clip ", quote(clip.name), " has ", counted(channel.times.size(), "time"), " and ",
                    counted(channel.values.size(), "value"), ", expected ", int{components}, " for each time"));
      }
      append(file, ChannelHeader{channel.joint, static_cast<std::uint8_t>(channel.path),
                                 static_cast<std::uint8_t>(channel.interpolation), components, 0,
                                 static_cast<std::uint32_t>(channel.times.size())});
      for (std::size_t k = 0; k < channel.times.size(); ++k) {
        append(file, channel.times[k]);
        append_array(file, std::span<const float>(channel.values).subspan(k * components, components));
      }
    }
  }
  if (!joints.empty()) append(file, static_cast<std::uint32_t>(joints.size()));
  for (const Joint& joint : joints) {
    ASSETC_CHECK(append_name(file, "joint", joint.name));
    append(file, joint.parent);
    append(file, joint.rest);
  }
  ASSETC_CHECK(View::open(file));
  return file;
}

}  // namespace assetc::hanim
