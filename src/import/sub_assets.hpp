// The assets that a model file holds.
#pragma once

#include <vector>

#include "identity/sub_assets.hpp"
#include "scene/scene.hpp"

namespace assetc::importer {

// Meshes, materials, skeletons, clips and embedded pictures, in this order, each kind in the source's. Fingerprints are
// of what is decoded: the same from a .gltf and a .glb of it. Names are the source's and may be empty.
std::vector<identity::FoundSubAsset> sub_assets_of(const scene::Scene& scene);

}  // namespace assetc::importer
