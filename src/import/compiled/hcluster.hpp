// Imports a cut of a compiled .hcluster as a Scene.
#pragma once

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "import/compiled/companions.hpp"
#include "scene/scene.hpp"

namespace assetc::importer {

// Which cut of a .hcluster: the coarsest clusters with at most this error, in the units of the file:
//   error + error_per_distance * max(distance from eye, near)
// 0: the triangles of the source, with the precision of the file. The distance of a skinned mesh is that of the nearest
// bounds of its poses, the same for all clusters.
struct ClusterCut {
  float error = 0;
  float error_per_distance = 0;
  scene::Vec3 eye{};
  float near = 0;  // more than 0 if error_per_distance is
};

// The scene has one mesh with a primitive for each material, and one node that draws it. Primitive::clusters is the
// cluster of each triangle. Vertices are merged if all their integers are equal, those of offsets included. A skinned
// mesh has its skin, with a node for each joint. Morph targets have their names and default weights.
//
// Buffers may have any alignment. Errors: those of the formats' readers; they do not name the file.
Result<scene::Scene> import_hcluster(const Bytes& file, const Companions& companions, const ClusterCut& cut);

}  // namespace assetc::importer
