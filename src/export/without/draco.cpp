// Replaces draco.cpp if ASSETC_DRACO is off.
#include "export/draco.hpp"

namespace assetc::exporter {

Result<DracoCode> encode_draco(const DracoTriangles&) {
  return fail(ErrorCode::kUnsupported, "this assetc was built without Draco",
              "build it with -DASSETC_DRACO=ON, or choose another --mesh.compress");
}

}  // namespace assetc::exporter
