// Any .hanim at any times: sampling reads only keys, cursors do not change the result, and rotations are unit.
#include <cmath>

#include "assetc/runtime/animation.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  const auto view = hanim::View::open(fuzz::bytes(data, size));
  if (!view) return 0;
  // A mesh that has some of the clips' joints, by name, in another order.
  std::vector<std::string_view> names;
  for (std::size_t j = view->joints().size(); j-- != 0 && names.size() < 4;) names.push_back(view->joints()[j].name);
  const std::vector<hanim::Match> joints = hanim::match_joints(view->joints(), names);
  fuzz::require(joints.size() == view->joints().size());
  for (const hanim::ClipView& clip : view->clips()) {
    std::vector<std::uint32_t> cursors(clip.channels.size());
    std::vector<runtime::Transform> pose(4), fresh(4);
    for (const float share : {0.0f, 0.1f, 0.15f, 0.9f, 1.0f, 0.5f, 2.3f, -0.7f}) {
      const float asked = clip.duration_seconds * share;
      for (const auto playback : {runtime::Playback::kClamp, runtime::Playback::kLoop}) {
        const float time = runtime::time_in_clip(asked, clip.duration_seconds, playback);
        fuzz::require(time >= 0 && time <= clip.duration_seconds);
        runtime::sample(clip, time, cursors, pose, joints);
        runtime::sample(clip, time, {}, fresh, joints);
      }
      for (std::size_t j = 0; j < pose.size(); ++j) {
        const auto& q = pose[j].rotation;
        fuzz::require(q == fresh[j].rotation);
        fuzz::require(std::fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1) < 1e-3f);
      }
    }
  }
  return 0;
}
