// What `ktx create` does with a picture before it is encoded. All functions change the picture in place.
#pragma once

#include "assetc/formats/ktx2.hpp"
#include "scene/image.hpp"

namespace assetc::ktx {

// Turns the picture upside down.
void flip_rows(scene::Image& image);
// Converts color between sRGB codes and linear light. Alpha stays. Does nothing if both are the same. Requires
// integers.
void convert_transfer(scene::Image& image, ktx2::Transfer from, ktx2::Transfer to);
// Multiplies the light of the color channels by alpha. The transfer function says how numbers stand for light.
void premultiply_alpha(scene::Image& image, ktx2::Transfer transfer);
// Makes (R, G, B), or (R, G) if channels is 2, a vector of length 1; 0 to 1 means -1 to 1. Alpha becomes 1 for four
// channels. A vector of length 0 becomes the one of an undisturbed surface: (0, 0, 1), or (0, 0).
void normalize_vectors(scene::Image& image, std::uint32_t channels);

}  // namespace assetc::ktx
