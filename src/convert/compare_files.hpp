// Compares a texture file with the picture that it was made from, or with another file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "import/texture/ktx2.hpp"
#include "scene/image.hpp"
#include "texture/compare.hpp"

namespace assetc::convert {

// Decodes a plain picture: importer::decode_image.
using PictureReader = Result<scene::Image> (*)(ByteSpan);

struct CompareOptions {
  // The meaning of the texels, which decides how mips of a plain picture are made and which channels count. Unset:
  // taken from the textures (sRGB transfer: color; R and G only: normal), otherwise color.
  std::optional<texture::TexelKind> kind;
  bool turns_y = false;  // a picture that is a normal map has Y down, so that of its texture was turned up
  texture::Filter filter = texture::Filter::kKaiser;
  texture::Wrap wrap = texture::Wrap::kRepeat;
  // The names of the two files in errors.
  std::string reference_name = "the first file";
  std::string other_name = "the second file";
};

struct ImageDifference {
  std::uint32_t level = 0, layer = 0, face = 0, slice = 0;
  texture::Extent extent;
  texture::TexelKind kind = texture::TexelKind::kColor;
  texture::Difference difference;
};

// Compares two files, each a KTX 2 or a plain picture, image by image: by level, then layer, face and slice.
// - Picture and texture: the mips of the picture are generated with our filters. The texture must be 2D, and the
//   picture must have the size of level 0, or be scaled to it by texture.max_size. Integer color and a float texture
//   are compared as linear light.
// - Two pictures: one comparison, of level 0.
// - Two textures: levels that only one of them has are ignored.
//
// Errors: those of the readers; kInvalidData if the shapes differ; those of compare_images.
Result<std::vector<ImageDifference>> compare_files(ByteSpan reference, ByteSpan other, PictureReader read_picture,
                                                   const CompareOptions& options = {});

// The two pictures of one image of two files, paired as in compare_files, for example for a heat map.
struct ImagePair {
  scene::Image reference;
  scene::Image other;
  texture::TexelKind kind = texture::TexelKind::kColor;
};
// Errors: those of compare_files; kNotFound for an image that only one file, or neither, has.
Result<ImagePair> read_pair(ByteSpan reference, ByteSpan other, PictureReader read_picture,
                            const importer::ImageIndex& index, const CompareOptions& options = {});

}  // namespace assetc::convert
