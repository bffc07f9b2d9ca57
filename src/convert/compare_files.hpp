// How far a texture file is from the picture that it was made of, or from another file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "import/ktx2.hpp"
#include "scene/image.hpp"
#include "texture/compare.hpp"

namespace assetc::convert {

// Decodes a plain picture: importer::decode_image.
using PictureReader = Result<scene::Image> (*)(ByteSpan);

struct CompareOptions {
  // What the texels mean, for the mips of a plain picture and for the channels that count. Unset: told by the textures
  // (an sRGB transfer: color; R and G alone: normal), else color.
  std::optional<texture::TexelKind> kind;
  texture::Filter filter = texture::Filter::kKaiser;
  texture::Wrap wrap = texture::Wrap::kRepeat;
  // What errors call the two.
  std::string reference_name = "the first file";
  std::string other_name = "the second file";
};

struct ImageDifference {
  std::uint32_t level = 0, layer = 0, face = 0, slice = 0;
  texture::Extent extent;
  texture::TexelKind kind = texture::TexelKind::kColor;
  texture::Difference difference;
};

// Compares two files, each a KTX 2 or a plain picture, image by image: levels, and in them layers, faces and slices.
// A plain picture against a texture with mips has its own mips made, by our filters; it must be the size of level 0, or
// what texture.max_size makes that size of, and the texture 2D. Color of integers against a float texture is compared
// as linear light. Two plain pictures are one comparison, of level 0. Levels that only one texture has are left out.
// Errors: those of the readers; kInvalidData where the shapes differ; those of compare_images.
Result<std::vector<ImageDifference>> compare_files(ByteSpan reference, ByteSpan other, PictureReader read_picture,
                                                   const CompareOptions& options = {});

// The reference and the other picture of one image of two files, as compare_files pairs them, e.g. for a heat map.
struct ImagePair {
  scene::Image reference;
  scene::Image other;
  texture::TexelKind kind = texture::TexelKind::kColor;
};
// Errors: those of compare_files; kNotFound for an image that they do not share.
Result<ImagePair> read_pair(ByteSpan reference, ByteSpan other, PictureReader read_picture,
                            const importer::ImageIndex& index, const CompareOptions& options = {});

}  // namespace assetc::convert
