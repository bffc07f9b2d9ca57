// Removes levels of detail from a scene that will become a .glb.
#pragma once

#include "scene/scene.hpp"

namespace assetc::convert {

// Removes levels of detail until no node has more than most. Removes the triangles that only they draw, and their
// nodes, except nodes that are joints or moved by a clip. Requires levels without children.
void keep_lods(std::uint32_t most, scene::Scene& scene);

}  // namespace assetc::convert
