// .hanim.
#include <limits>
#include <memory>

#include "assetc/formats/hanim.hpp"
#include "assetc/formats/hanim_compressed.hpp"
#include "filetypes/readers.hpp"

namespace assetc::filetypes {
namespace {

FileContent describe(const hanim::View& animation) {
  AnimationInfo info;
  info.named_joints = static_cast<std::uint32_t>(animation.joints().size());
  for (const hanim::ClipView& clip : animation.clips()) {
    ClipInfo& added = info.clips.emplace_back(
        ClipInfo{std::string(clip.name), clip.duration_seconds, static_cast<std::uint32_t>(clip.channels.size()), 0});
    for (const hanim::ChannelView& channel : clip.channels) added.keys += channel.key_count();
  }
  return info;
}

FileContent describe_compressed(const hanim::CompressedView& animation) {
  AnimationInfo info;
  info.named_joints = static_cast<std::uint32_t>(animation.joints().size());
  for (const hanim::CompressedClip& clip : animation.clips()) {
    const std::uint32_t sampled = clip.rotation_count() + clip.vector_count();
    ClipInfo& added = info.clips.emplace_back(ClipInfo{std::string(clip.name()), clip.duration_seconds(),
                                                       clip.constant_count() + sampled + clip.curve_count(), 0});
    added.keys = clip.constant_count() + std::uint64_t{sampled} * clip.frame_count();
    for (std::uint32_t i = 0; i < clip.curve_count(); ++i) added.keys += clip.curve(i).key_count;
  }
  return info;
}

bool is_compressed(ByteSpan file) { return hanim::version_of(file) == hanim::kCompressedVersion; }

Result<void> open(ByteSpan file) {
  return is_compressed(file) ? open_with<hanim::CompressedView>(file) : open_with<hanim::View>(file);
}

Result<FileContent> inspect(ByteSpan file) {
  return is_compressed(file) ? inspect_with<hanim::CompressedView, describe_compressed>(file)
                             : inspect_with<hanim::View, describe>(file);
}

Result<References> compressed_references(ByteSpan file) {
  ASSETC_TRY(hanim::CompressedView opened, hanim::CompressedView::open(file));
  const auto animation = std::make_shared<const hanim::CompressedView>(std::move(opened));
  References out;
  // The clips belong to no particular mesh, or to a scene, which names this file.
  if (animation->is_of_scene()) {
    out.check_targets = [animation](std::size_t nodes, std::size_t cameras, std::size_t lights) {
      return animation->check_targets(nodes, cameras, lights);
    };
  }
  if (!animation->joints().empty() || animation->is_of_scene()) return out;
  constexpr auto kAny = std::numeric_limits<std::size_t>::max();
  out.check_joints = [animation](std::size_t joint_count) { return animation->check_targets(joint_count, kAny, kAny); };
  return out;
}

Result<References> clip_references(ByteSpan file) {
  if (is_compressed(file)) return compressed_references(file);
  ASSETC_TRY(hanim::View opened, hanim::View::open(file));
  const auto animation = std::make_shared<const hanim::View>(std::move(opened));
  References out;
  if (!animation->joints().empty()) return out;  // the clips belong to no particular mesh
  out.check_joints = [animation](std::size_t joint_count) { return animation->check_joints(joint_count); };
  return out;
}

}  // namespace

constinit const Reader kHanimReader{.open = open, .inspect = inspect, .references = clip_references};

}  // namespace assetc::filetypes
