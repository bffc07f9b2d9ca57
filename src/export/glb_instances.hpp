// Writes nodes that differ only in their transform as instances (EXT_mesh_gpu_instancing).
#pragma once

#include <vector>

#include "export/glb_document.hpp"
#include "json/json.hpp"
#include "scene/scene.hpp"

namespace assetc::exporter {

// For every node, the nodes that become its instances: at least two children with one mesh and the name of the node, as
// an importer makes them of the extension. The node has no mesh of its own. Instances have nothing but a transform, and
// no clip, skin or level of detail refers to them.
std::vector<std::vector<std::uint32_t>> find_instances(const scene::Scene& scene);

// The data of the extension for these nodes. integer_rotations: GlbOptions::integer_rotations. Properties that all of
// them lack are left out.
Json instances_json(GlbDocument& document, const scene::Scene& scene, const std::vector<std::uint32_t>& instances,
                    bool integer_rotations);

}  // namespace assetc::exporter
