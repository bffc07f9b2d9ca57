// A compiled skeleton as nodes and a skin.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "assetc/formats/hmesh.hpp"
#include "scene/scene.hpp"

namespace assetc::importer {

// Appends one node a joint, in order, and the skin that binds them. name(i) is joint i's name or "".
void add_skeleton(std::span<const hmesh::GpuJoint> joints, const std::function<std::string_view(std::size_t)>& name,
                  scene::Scene& scene);

}  // namespace assetc::importer
