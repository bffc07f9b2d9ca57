// Packs many normals and tangents at 16 bits a component. Containers store this form, and vertices are compared at this
// precision.
#pragma once

#include <span>

#include "assetc/formats/octahedral.hpp"
#include "scene/math.hpp"

namespace assetc::mesh {

struct PackedFrame {
  OctahedralVector normal{};
  OctahedralVector tangent{};  // 0 without tangents
  bool operator==(const PackedFrame&) const = default;
};

// For each vertex, gives the bits of encode_octahedral and encode_octahedral_tangent.
// Requires normals.size() == out.size(), and as many tangents or none.
void pack_frames(std::span<const scene::Vec3> normals, std::span<const scene::Vec4> tangents,
                 std::span<PackedFrame> out);

}  // namespace assetc::mesh
