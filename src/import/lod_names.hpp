// Levels of detail that a source tells by the names of its nodes alone.
#pragma once

#include "scene/scene.hpp"

namespace assetc::importer {

// Links Chair_LOD1, Chair_LOD2 ... to their sibling Chair_LOD0 or Chair, and lod1, lod2 ... to lod0, as Node::lods.
// Case and the sign before "lod" (_ - . or a blank) are ignored. Only nodes with a mesh and without children, numbered
// without a gap or a double, and none that has levels already.
void link_levels_by_name(scene::Scene& scene);

}  // namespace assetc::importer
