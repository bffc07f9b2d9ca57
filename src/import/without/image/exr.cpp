// Replaces image/exr.cpp if ASSETC_EXR is off.
#include "import/image/formats.hpp"
#include "import/libraries.hpp"

namespace assetc::importer {

Result<ImageInfo> read_exr_info(ByteSpan) {
  return fail_at(ErrorCode::kUnsupported, "EXR header", "this assetc was built without OpenEXR",
                 "build it with -DASSETC_EXR=ON, or save the picture as HDR");
}

Result<ImageInfo> read_exr_layer_info(ByteSpan bytes, std::string_view) { return read_exr_info(bytes); }

Result<scene::Image> decode_exr(ByteSpan bytes, const ImageInfo&) {
  return std::unexpected(read_exr_info(bytes).error());
}

std::string openexr_version() { return "none"; }

}  // namespace assetc::importer
