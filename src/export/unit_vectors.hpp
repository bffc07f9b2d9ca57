// Converts direction attributes to the form that glTF requires.
#pragma once

#include <vector>

#include "scene/scene.hpp"

namespace assetc::exporter {

// The primitive's normals at unit length, as glTF requires; OBJ and damaged files have others. Normals within 0.5 % of
// unit length are returned unchanged. A normal without a direction becomes the area-weighted normal of its triangles,
// or (0, 0, 1). Requires one normal for each vertex and every index < positions.size(). Pure.
std::vector<scene::Vec3> unit_normals(const scene::Primitive& primitive);

// Whether a tangent is valid in glTF: unit length within 0.5 %, w of 1 or -1.
bool is_tangent(const scene::Vec4& tangent);

}  // namespace assetc::exporter
