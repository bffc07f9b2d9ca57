// Finds levels of detail that a source marks only by the names of its nodes.
#pragma once

#include "scene/scene.hpp"

namespace assetc::importer {

// Links Chair_LOD1, Chair_LOD2 ... to their sibling Chair_LOD0 or Chair, and lod1, lod2 ... to lod0, as Node::lods.
// Letter case and the separator before "lod" (_ - . or a blank) are ignored. A node takes part only if it has a mesh,
// no children and no levels yet. The numbers must have no gap and no duplicate.
void link_levels_by_name(scene::Scene& scene);

}  // namespace assetc::importer
