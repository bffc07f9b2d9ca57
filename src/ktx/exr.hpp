// Writes pictures of floats as OpenEXR, without compression.
#pragma once

#include <cstdint>

#include "assetc/base/bytes.hpp"
#include "scene/image.hpp"

namespace assetc::ktx {

struct ExrOptions {
  std::uint32_t channels = 4;  // 1 to 4: R, RG, RGB or RGBA
  bool halves = false;         // 16 bits a channel; values beyond are clamped
  bool is_bt709 = false;       // states the primaries of BT.709; otherwise the file states none
};

// Returns a file of scan lines, from the top. Requires PixelType::kF32.
ByteVector write_exr(const scene::Image& image, const ExrOptions& options);

}  // namespace assetc::ktx
