// What glTF asks of direction attributes, made of what sources have.
#pragma once

#include <vector>

#include "scene/scene.hpp"

namespace assetc::exporter {

// The primitive's normals at unit length, as glTF wants them; OBJ and damaged files have others. Those within 0.5 % are
// returned as they are; one without a direction becomes the area-weighted normal of its triangles, or (0, 0, 1).
// Requires one normal a vertex and every index < positions.size(). Thread safety: pure.
std::vector<scene::Vec3> unit_normals(const scene::Primitive& primitive);

// Whether a tangent is what glTF takes: unit length within 0.5 %, w of 1 or -1.
bool is_tangent(const scene::Vec4& tangent);

}  // namespace assetc::exporter
