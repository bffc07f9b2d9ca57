// Imports a Galileo mesh asset as a scene.
#pragma once

#include "import/compiled/companions.hpp"
#include "import/model/source.hpp"

namespace assetc::importer {

// The scene has one mesh with a primitive per vertex group, and one node that draws it. If the file has assetc's
// skeleton extension, there is also one node per joint. Exact texture coordinates are used if the file has them. Joint
// channels after the first become further sets of influences. Scene::dropped lists extensions of other tools. Without
// companions, materials have only names, because the file has no other material data.
//
// Errors: those of galileo::View and of add_companions. Any alignment. Thread-safe if the resolver is.
Result<Imported> import_galileo(const Bytes& file, const Companions& companions = {});

}  // namespace assetc::importer
