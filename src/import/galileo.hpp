// A Galileo mesh asset as a scene.
#pragma once

#include "import/companions.hpp"
#include "import/source.hpp"

namespace assetc::importer {

// One mesh, a primitive a vertex group; one node that draws it and, where the file has assetc's skeleton extension, one
// node a joint. Texture coordinates are the exact ones where the file carries them. Joint channels beyond the first
// are further sets of influences. Extensions that are not ours are listed in Scene::dropped.
// Without companions materials have names at most: the file itself says no more of them.
// Errors: those of galileo::View and of add_companions. Any alignment. Thread-safe where the resolver is.
Result<Imported> import_galileo(const Bytes& file, const Companions& companions = {});

}  // namespace assetc::importer
