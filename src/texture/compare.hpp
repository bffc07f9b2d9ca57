// Compares two pictures, in numbers and as a heat map.
#pragma once

#include <array>
#include <cstdint>

#include "assetc/base/result.hpp"
#include "scene/image.hpp"
#include "texture/mips.hpp"

namespace assetc::texture {

// The difference of two pictures of the same size. Integer texels are compared as stored (sRGB codes as codes), on a
// scale of 0 to 1.
struct Difference {
  // Decibels relative to full scale, or for float pictures to the reference's largest value. Infinite if equal.
  double psnr_rgb = 0;
  std::array<double, 4> psnr_channel{};  // R, G, B, A
  // SSIM of luma (BT.601), 0 to 1: the mean over 11x11 Gaussian windows of sigma 1.5 (Wang et al., 2004), cut off at
  // the edges.
  double ssim = 0;
  double max_difference = 0;  // the largest in any channel
  // Angles between normals, in degrees; (R, G) are X and Y of a unit vector.
  double mean_angle_degrees = 0;
  double max_angle_degrees = 0;
};

// Errors: kInvalidData if sizes differ; kUnsupported if one picture is float and the other integer. Thread-safe.
Result<Difference> compare_images(const scene::Image& reference, const scene::Image& other);

// A picture whose color shows the largest difference among the channels of each texel: black for none, then blue,
// magenta, orange, yellow, and white for 1/8 of full scale or more. The scale is the same for every picture, so that
// heat maps can be compared. Same errors as compare_images.
Result<scene::Image> heat_map(const scene::Image& reference, const scene::Image& other,
                              TexelKind kind = TexelKind::kColor);

}  // namespace assetc::texture
