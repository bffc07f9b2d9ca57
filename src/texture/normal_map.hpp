// Normal maps as other programs read them: three channels, Z in blue.
#pragma once

#include "scene/image.hpp"

namespace assetc::texture {

// Where a decoded normal map holds its coordinates.
enum class NormalLayout : std::uint8_t {
  kXyz,   // red, green, blue
  kXy,    // red and green; no texel's blue reaches 1/2, which is where Z of a normal out of its surface begins
  kXxxy,  // X in red, green and blue alike, Y in an alpha that is not 1 everywhere
  k1y0x,  // 1 in red, Y in green, nothing in blue, X in such an alpha
};

// Requires an image of integers that is a normal map.
NormalLayout find_normal_layout(const scene::Image& image);

// Whether a picture of which nothing is known can only be a normal map without Z: nothing in blue, alpha 1, and every
// (X, Y) within the unit circle, to within what block formats lose. Requires an image of integers.
bool looks_like_xy_normals(const scene::Image& image);

// Makes it (X, Y, Z, 1), Z >= 0 by unit length; X and Y stay as they are. Nothing for kXyz. Requires integers.
void complete_normals(scene::Image& image, NormalLayout layout);

}  // namespace assetc::texture
