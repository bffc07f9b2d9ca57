// Removes what a scene does not need.
#pragma once

#include <optional>
#include <vector>

#include "mesh/compact.hpp"
#include "scene/scene.hpp"
#include "warnings/warnings.hpp"

namespace assetc::optimize {

// Removes the primitives of meshes that no node draws, and materials and images that nothing uses. Nodes, cameras,
// lights, skins, variants and clips stay: applications find them by name. Each kind that is removed gives one note.
std::vector<Error> remove_unused(scene::Scene& scene);

// Removes channels of clips that do not move: every key has the value that the node has anyway, within a millionth. A
// channel that determines how long its clip is stays. A channel with the same value at all keys keeps the first and the
// last one.
void remove_still_channels(scene::Scene& scene);

// Welds and orders the vertices of all primitives (mesh/compact.hpp). ratio: also simplifies triangles to this share of
// them, within 5 % of the size of the mesh. Parts whose error would be larger keep more triangles. Primitives with
// morph targets or without normals are not simplified. Runs in parallel.
void compact_meshes(scene::Scene& scene, mesh::TriangleOrder order, std::optional<float> ratio);

}  // namespace assetc::optimize
