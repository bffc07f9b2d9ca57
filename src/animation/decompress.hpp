// Turns a compressed clip back into channels with keys.
#pragma once

#include "assetc/formats/hanim_compressed.hpp"
#include "scene/scene.hpp"

namespace assetc::animation {

// The channels of a clip. Curves keep their keys; samples become linear keys at the times of the frames; constants have
// one key. All weights of a node are one channel. Nodes, cameras and lights keep their numbers.
// Memory grows with the largest number of a node: call CompressedView::check_targets() first.
scene::Clip decompress(const hanim::CompressedClip& clip);

}  // namespace assetc::animation
