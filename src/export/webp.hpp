// Writes a decoded image as a WebP file (RFC 9649).
#pragma once

#include <cstdint>
#include <string>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "scene/image.hpp"

namespace assetc::exporter {

inline constexpr std::uint32_t kMostWebpSide = 16383;

struct WebpOptions {
  std::uint32_t quality = 85;  // 0 to 99, lossy; 100: lossless
  // Alpha holds data, so that the colors of transparent texels are kept.
  bool keeps_transparent = false;
};

// The file of an image of 8 bits for each channel. Alpha is kept exactly. The same bytes on any number of threads.
//
// Errors: kUnsupported for other images, and if this program was built without WebP; kLimit for a side of more than
// kMostWebpSide. Thread-safe.
Result<ByteVector> write_webp(const scene::Image& image, const WebpOptions& options);

// The version of libwebp's encoder, or "none".
std::string webp_encoder_version();

}  // namespace assetc::exporter
