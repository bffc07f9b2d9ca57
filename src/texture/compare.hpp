// How far a texture is from the picture it was made of, in numbers and as a picture.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "scene/image.hpp"
#include "texture/decode.hpp"
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

// Decodes a plain picture; importer::decode_image, which lives on this floor and so is handed in.
using PictureReader = Result<scene::Image> (*)(ByteSpan);

struct CompareOptions {
  // What the texels mean, for the mips of a plain picture and for the channels that count. Unset: told by the textures
  // (an sRGB transfer: color; R and G alone: normal), else color.
  std::optional<TexelKind> kind;
  Filter filter = Filter::kKaiser;
  Wrap wrap = Wrap::kRepeat;
  // What errors call the two.
  std::string reference_name = "the first file";
  std::string other_name = "the second file";
};

struct ImageDifference {
  std::uint32_t level = 0, layer = 0, face = 0, slice = 0;
  Extent extent;
  TexelKind kind = TexelKind::kColor;
  Difference difference;
};

// Compares two files, each a KTX 2 or a plain picture, image by image: levels, and in them layers, faces and slices.
// A plain picture against a texture with mips has its own mips made, by our filters; it must be the size of level 0, or
// what texture.max_size makes that size of, and the texture 2D. Color of integers against a float texture is compared
// as linear light. Two plain pictures are one comparison, of level 0. Levels that only one texture has are left out.
// Errors: those of the readers; kInvalidData where the shapes differ; those of compare_images.
Result<std::vector<ImageDifference>> compare_files(ByteSpan reference, ByteSpan other, PictureReader read_picture,
                                                   const CompareOptions& options = {});

// The largest difference of the channels of each texel as a color: black for none, then blue, magenta, orange, yellow
// and white for 1/8 of full scale and more; the same scale for every picture, so that heat maps can be compared.
// Same errors as compare_images.
Result<scene::Image> heat_map(const scene::Image& reference, const scene::Image& other,
                              TexelKind kind = TexelKind::kColor);

// The reference and the other picture of one image of two files, as compare_files pairs them, e.g. for a heat map.
struct ImagePair {
  scene::Image reference;
  scene::Image other;
  TexelKind kind = TexelKind::kColor;
};
// Errors: those of compare_files; kNotFound for an image that they do not share.
Result<ImagePair> read_pair(ByteSpan reference, ByteSpan other, PictureReader read_picture, const ImageIndex& index,
                            const CompareOptions& options = {});

}  // namespace assetc::texture
