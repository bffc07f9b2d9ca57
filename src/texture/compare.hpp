// How far one picture is from another, in numbers and as a picture.
#pragma once

#include <array>
#include <cstdint>

#include "assetc/base/result.hpp"
#include "scene/image.hpp"
#include "texture/mips.hpp"

namespace assetc::texture {

// Two pictures of one size. Integer texels are compared as stored (sRGB codes as codes), on a scale of 0 to 1.
struct Difference {
  // Decibels, with the full scale as the peak (float pictures: the reference's largest value). Infinite when equal.
  double psnr_rgb = 0;
  std::array<double, 4> psnr_channel{};  // R, G, B, A
  // Of luma (BT.601), 0 to 1: mean over 11x11 Gaussian windows of sigma 1.5 (Wang et al., 2004), cut off at the edges.
  double ssim = 0;
  double max_difference = 0;  // the largest of any channel
  // Of (R, G) as the X and Y of a unit vector, in degrees.
  double mean_angle_degrees = 0;
  double max_angle_degrees = 0;
};

// kInvalidData where sizes differ; kUnsupported for a float picture against an integer one. Thread-safe.
Result<Difference> compare_images(const scene::Image& reference, const scene::Image& other);

// The largest difference of the channels of each texel as a color: black for none, then blue, magenta, orange, yellow
// and white for 1/8 of full scale and more; the same scale for every picture, so that heat maps can be compared.
// Same errors as compare_images.
Result<scene::Image> heat_map(const scene::Image& reference, const scene::Image& other,
                              TexelKind kind = TexelKind::kColor);

}  // namespace assetc::texture
