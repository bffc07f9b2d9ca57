// Normals and tangents in 16 bits a component, many at a time: what containers store, and the precision at which
// vertices are told apart.
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

// The bits of encode_octahedral and encode_octahedral_tangent of each vertex.
// Requires normals.size() == out.size(), and tangents as many or none.
void pack_frames(std::span<const scene::Vec3> normals, std::span<const scene::Vec4> tangents,
                 std::span<PackedFrame> out);

}  // namespace assetc::mesh
