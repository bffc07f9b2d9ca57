// Replaces webp.cpp if ASSETC_WEBP is off.
#include "export/webp.hpp"

namespace assetc::exporter {

Result<ByteVector> write_webp(const scene::Image&, const WebpOptions&) {
  return fail(ErrorCode::kUnsupported, "this assetc was built without WebP",
              "build it with -DASSETC_WEBP=ON, or choose another --texture.format");
}

std::string webp_encoder_version() { return "none"; }

}  // namespace assetc::exporter
