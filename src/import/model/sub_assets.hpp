// Lists the assets inside a model file.
#pragma once

#include <vector>

#include "identity/sub_assets.hpp"
#include "scene/scene.hpp"

namespace assetc::importer {

// Meshes, materials, skeletons, clips and embedded pictures, in this order; each kind in the order of the source.
// Fingerprints are of the decoded content, so a .gltf and the same model as .glb have equal ones. Names come from the
// source and may be empty.
std::vector<identity::FoundSubAsset> sub_assets_of(const scene::Scene& scene);

}  // namespace assetc::importer
