// Decodes the pictures of an encoded texture.
#pragma once

#include <algorithm>
#include <utility>

#include "texture/decode.hpp"
#include "texture/environment.hpp"

namespace assetc::texture {

struct ImageAt {
  std::uint32_t level = 0;
  std::uint32_t layer = 0;
  std::uint32_t face = 0;
};

inline Extent extent_of(const EncodedTexture& texture, std::uint32_t level) {
  return {std::max(texture.width_texels >> level, 1u), std::max(texture.height_texels >> level, 1u)};
}

// The stored channels, without the swizzle.
inline Result<scene::Image> decode_stored(const EncodedTexture& texture, const ImageAt& at = {}) {
  ASSETC_TRY(const Bytes level, texture.inflated_level(at.level));
  const Extent extent = extent_of(texture, at.level);
  const std::uint64_t size = image_bytes(extent, texture.format);
  const std::uint64_t image = std::uint64_t{at.layer} * texture.face_count + at.face;
  return decode_texels(texture.format, texture.is_srgb(), ByteSpan(level).subspan(image * size, size), extent);
}
inline Result<scene::Image> decode(const EncodedTexture& texture, const ImageAt& at = {}) {
  ASSETC_TRY(scene::Image image, decode_stored(texture, at));
  if (texture.swizzle) apply_channels(*texture.swizzle, image);
  return image;
}

}  // namespace assetc::texture
