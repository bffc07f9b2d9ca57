// Replaces fbx/ufbx.cpp if ASSETC_FBX is off.
#include "import/fbx/fbx.hpp"
#include "import/libraries.hpp"

namespace assetc::importer {

Result<Imported> read_fbx_here(ByteSpan) {
  return fail(ErrorCode::kUnsupported, "this assetc was built without FBX",
              "build it with -DASSETC_FBX=ON, or export the model as glTF");
}

std::string ufbx_version() { return "none"; }

}  // namespace assetc::importer
