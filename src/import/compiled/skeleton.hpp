// Converts a compiled skeleton to nodes and a skin.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "assetc/formats/hmesh.hpp"
#include "scene/scene.hpp"

namespace assetc::importer {

// Appends one node per joint, in order, and the skin that binds them. name(i) returns the name of joint i, or "".
void add_skeleton(std::span<const hmesh::GpuJoint> joints, const std::function<std::string_view(std::size_t)>& name,
                  scene::Scene& scene);

}  // namespace assetc::importer
