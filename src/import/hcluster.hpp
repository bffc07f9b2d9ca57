// Imports a cut of a compiled .hcluster as a Scene.
#pragma once

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "import/companions.hpp"
#include "scene/scene.hpp"

namespace assetc::importer {

// The scene has one mesh with a primitive for each material, and one node that draws it. The triangles are those of the
// cut whose error is at most max_error everywhere, in the units of the file; 0: those of the source, with the precision
// of the file. Primitive::clusters is the cluster of each triangle. Vertices are merged if all their integers are
// equal.
//
// Buffers may have any alignment. Errors: those of the formats' readers; they do not name the file.
Result<scene::Scene> import_hcluster(const Bytes& file, const Companions& companions, float max_error);

}  // namespace assetc::importer
