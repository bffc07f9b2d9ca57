// Replaces image/webp.cpp if ASSETC_WEBP is off.
#include "import/image/formats.hpp"
#include "import/libraries.hpp"

namespace assetc::importer {

Result<ImageInfo> read_webp_info(ByteSpan) {
  return fail_at(ErrorCode::kUnsupported, "WebP header", "this assetc was built without WebP",
                 "build it with -DASSETC_WEBP=ON, or save the picture as PNG");
}

Result<scene::Image> decode_webp(ByteSpan bytes, const ImageInfo&) {
  return std::unexpected(read_webp_info(bytes).error());
}

std::string webp_version() { return "none"; }

}  // namespace assetc::importer
