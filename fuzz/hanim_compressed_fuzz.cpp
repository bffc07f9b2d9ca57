// Any bytes: open() refuses them or returns a view whose clips can be sampled at any time, with unit rotations.
#include <cmath>

#include "animation/decompress.hpp"
#include "assetc/runtime/animation.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  const auto view = hanim::CompressedView::open(fuzz::bytes(data, size));
  if (!view) return 0;
  const bool is_of_small_scene = view->check_targets(1000, 1000, 1000).has_value();
  for (const hanim::CompressedClip& clip : view->clips()) {
    std::vector<runtime::Transform> pose(4);
    std::vector<float> values(clip.property_float_count());
    for (const float share : {0.0f, 0.1f, 0.5f, 0.99f, 1.0f, 2.0f, -1.0f}) {
      runtime::sample(clip, clip.duration_seconds() * share, pose);
      runtime::sample_properties(clip, clip.duration_seconds() * share, values);
      for (const runtime::Transform& transform : pose) {
        const auto& q = transform.rotation;
        const float length2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        fuzz::require(std::isfinite(length2));
      }
    }
    if (is_of_small_scene && clip.frame_count() < 100) (void)animation::decompress(clip);
  }
  return 0;
}
