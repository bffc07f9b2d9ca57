// .hanim.
#include <memory>

#include "assetc/formats/hanim.hpp"
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

Result<References> clip_references(ByteSpan file) {
  ASSETC_TRY(hanim::View opened, hanim::View::open(file));
  const auto animation = std::make_shared<const hanim::View>(std::move(opened));
  References out;
  if (!animation->joints().empty()) return out;  // the clips belong to no particular mesh
  out.check_joints = [animation](std::size_t joint_count) { return animation->check_joints(joint_count); };
  return out;
}

}  // namespace

constinit const Reader kHanimReader{
    .open = open_with<hanim::View>, .inspect = inspect_with<hanim::View, describe>, .references = clip_references};

}  // namespace assetc::filetypes
