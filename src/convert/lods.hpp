// Levels of detail of a scene that is on its way to a .glb.
#pragma once

#include "scene/scene.hpp"

namespace assetc::convert {

// Takes levels of detail out until no node has more than most: the triangles that only they draw, and their nodes, but
// for those that are joints or moved by a clip. Requires levels without children.
void keep_lods(std::uint32_t most, scene::Scene& scene);

}  // namespace assetc::convert
