// Makes vertices equal that a file would store as equal.
#pragma once

#include "optimize/texcoords.hpp"
#include "recipes/settings.hpp"
#include "scene/scene.hpp"

namespace assetc::optimize {

// Gives vertices that differ by less than the precision of the settings (mesh.normal_bits and so on) the values of the
// first of them, so that mesh::compact_primitive() merges them. Positions and attributes of 0 bits have to be equal.
// Nothing that the file stores changes. grids: of texture coordinates. compresses: normals are stored as octahedral
// coordinates. Runs in parallel.
void snap_vertices(scene::Scene& scene, const recipes::MeshSettings& settings, const TexcoordGrids& grids,
                   bool compresses);

}  // namespace assetc::optimize
