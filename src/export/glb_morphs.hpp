// Morph targets of a glTF primitive.
#pragma once

#include <vector>

#include "export/glb_document.hpp"
#include "scene/scene.hpp"

namespace assetc::exporter {

// Adds the accessors of the targets and returns the value of primitive.targets. All targets of a primitive get the same
// attributes: readers such as three.js rely on it.
Json add_targets(GlbDocument& document, const std::vector<scene::MorphTarget>& targets, std::size_t vertex_count);

}  // namespace assetc::exporter
