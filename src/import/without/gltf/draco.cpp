// Replaces gltf/draco.cpp if ASSETC_DRACO is off.
#include "import/gltf/parts.hpp"
#include "import/libraries.hpp"

namespace assetc::importer {

Result<DracoPrimitive> decode_draco(GltfContext&, const Value&, const Value& extension) {
  return extension.refuse(ErrorCode::kUnsupported, "this assetc was built without Draco",
                          "build it with -DASSETC_DRACO=ON, or export the model without Draco compression");
}

std::string draco_version() { return "none"; }

}  // namespace assetc::importer
