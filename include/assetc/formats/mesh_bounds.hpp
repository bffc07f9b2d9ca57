// The bounds that mesh formats store. Specification: docs/formats/hmesh.md.
#pragma once

namespace assetc::hmesh {

struct MeshBounds {
  float aabb_min[3];
  float aabb_max[3];
  float sphere_center[3];
  float sphere_radius;
  bool operator==(const MeshBounds&) const = default;
};
static_assert(sizeof(MeshBounds) == 40);

}  // namespace assetc::hmesh
