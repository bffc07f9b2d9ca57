// Reads a .hmesh as the value that it was written from.
#pragma once

#include "assetc/formats/hmesh.hpp"
#include "recipes/mesh/compiled_mesh.hpp"

namespace assetc::recipes {

// The value that a compiled mesh was written from. Vertices, their order, levels of detail and meshlets are unchanged;
// normals and tangents have their decoded values; materials are known by their hashes only. Writing the value again
// gives the same bytes.
CompiledMesh read_hmesh(const hmesh::View& view);

}  // namespace assetc::recipes
