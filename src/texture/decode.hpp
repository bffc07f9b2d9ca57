// One image of a KTX 2 file as texels: for pictures, comparisons and conversion.
#pragma once

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "scene/image.hpp"

namespace assetc::texture {

// Which image of a texture: level 0 is the largest, slices are those of a 3D texture.
struct ImageIndex {
  std::uint32_t level = 0;
  std::uint32_t layer = 0;
  std::uint32_t face = 0;
  std::uint32_t slice = 0;
};

// Whose channels: those in the file, or those that a reader gets from them through KTXswizzle.
enum class Channels : std::uint8_t { kStored, kSwizzled };

// The texels (sRGB stays sRGB): 8 bits a channel for UASTC, BCn, ETC2, EAC, ASTC and 8-bit formats, 16
// for 16-bit ones, float for half and float formats. A channel that the format lacks is 0, alpha 1.
// file: a whole KTX 2, any alignment. Zstd levels are inflated, to no more than the size that the view has checked.
// Errors: those of ktx2::View; kNotFound for an image that is not there; kUnsupported for a format without a decoder
// here (named); kInvalidData for a block or a Zstd frame that is damaged. Thread-safe.
Result<scene::Image> decode_ktx2(ByteSpan file, const ImageIndex& index = {}, Channels channels = Channels::kSwizzled);

}  // namespace assetc::texture
