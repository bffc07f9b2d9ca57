// Values of pictures that a format cannot store.
#pragma once

#include <cstddef>
#include <cstdint>

#include "scene/image.hpp"

namespace assetc::texture {

struct Outside {
  std::uint64_t texel_count = 0;  // that have a value outside
  float least = 0, most = 0;      // of all values; 0 if texel_count is 0
};

// The texels of a picture of floats whose first channels have values below `least` or above `most`. NaN is inside.
// Requires PixelType::kF32 and at most 4 channels.
Outside values_outside(const scene::Image& image, std::size_t channels, float least, float most);

}  // namespace assetc::texture
