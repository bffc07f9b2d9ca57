// Converts normal maps to the form that other programs read: three channels, Z in blue.
#pragma once

#include "scene/image.hpp"

namespace assetc::texture {

// The channels in which a decoded normal map holds its coordinates.
enum class NormalLayout : std::uint8_t {
  kXyz,   // red, green, blue
  kXy,    // red and green; blue is below 1/2 in every texel, and Z of a visible normal is 1/2 or more
  kXxxy,  // X in red, green and blue, Y in alpha; alpha is not 1 everywhere
  k1y0x,  // 1 in red, Y in green, 0 in blue, X in alpha; alpha is not 1 everywhere
};

// Requires an image of integers that is a normal map.
NormalLayout find_normal_layout(const scene::Image& image);

// Whether a picture of unknown use can only be a normal map without Z: blue is 0, alpha is 1, and every (X, Y) is
// within the unit circle, allowing for the loss of block formats. Requires an image of integers.
bool looks_like_xy_normals(const scene::Image& image);

// Scales normals of another length to length 1, so that X and Y alone give the direction that a reader of glTF sees. A
// normal whose length is 1 within 1 % stays as it is, bit for bit. Does nothing if blue cannot be Z: it is the same in
// all texels, or below 1/2 in more than 1 % of them.
void normalize_normals(scene::Image& image);

// Turns Y of normals stored as 0 to 1 from down to up, or from up to down: green becomes 1 - green.
void turn_y(scene::Image& image);

// Converts the image to (X, Y, Z, 1), with Z >= 0 from unit length; X and Y are unchanged. Does nothing for kXyz.
// Requires integers.
void complete_normals(scene::Image& image, NormalLayout layout);

}  // namespace assetc::texture
