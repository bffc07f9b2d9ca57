// Writes an Image as PNG.
#pragma once

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "scene/image.hpp"

namespace assetc::exporter {

// RGBA with 8 or 16 bits a channel, like the image. Deterministic for one version of zlib.
// Errors: kUnsupported for a float image (tone-map or scale it first), kInvalidData if the pixel data has the wrong
// size. Thread-safe.
// Source: PNG specification, W3C 2003.
Result<ByteVector> write_png(const scene::Image& image);

}  // namespace assetc::exporter
