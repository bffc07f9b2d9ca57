// Primitives of a glTF document as KHR_draco_mesh_compression.
#pragma once

#include <cstddef>
#include <map>
#include <optional>

#include "assetc/base/result.hpp"
#include "export/glb.hpp"
#include "export/glb_document.hpp"
#include "export/glb_json.hpp"
#include "json/json.hpp"

namespace assetc::exporter {

// A cube around all positions of a mesh, so that borders of its primitives are rounded to the same points.
struct Cube {
  scene::Vec3 low;
  float size = 0;  // 0: of a single point, or not finite
};
Cube cube_of(const scene::Mesh& mesh);

// The primitives of a document.
class DracoPrimitives {
 public:
  // The primitive with its attributes and indices, whose accessors have no data; nothing if it has no triangles, has
  // morph targets or an attribute that Draco cannot hold, or if Draco refuses it. Primitives with the same data share
  // the accessors. A reader needs no KHR_mesh_quantization: positions, normals, tangents and texture coordinates are
  // floats for it, rounded to the bits in the options.
  //
  // Errors: those of pack_attributes(); kUnsupported if this program was built without Draco.
  Result<std::optional<Json>> add(GlbDocument& document, const scene::Primitive& primitive, const Cube& cube,
                                  const GlbOptions& options, UsedExtensions& used);

 private:
  std::map<std::size_t, Json> by_view_;
};

}  // namespace assetc::exporter
