// Decodes stored texels of any format into a picture, for sources, comparisons and conversion.
#pragma once

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/texel_format.hpp"
#include "scene/image.hpp"
#include "texture/mips.hpp"

namespace assetc::texture {

// The type of decode_texels' result:
// - 8 bits a channel for UASTC, ETC1S, BC1, BC2, BC3, BC7, ETC2, ASTC and 8-bit formats
// - 16 bits for BC4, BC5, EAC and 16-bit formats
// - float for BC6H and for half and float formats
scene::PixelType decoded_type(TexelFormat format);

bool can_decode(TexelFormat format);

// The texels of one image, with the type of decoded_type; sRGB stays sRGB. A channel that the format lacks is 0, and
// alpha is 1 if the format lacks it.
// Requires can_decode(format), an extent within scene's limits, and exactly image_bytes of stored bytes (for ETC1S: 8
// for each block, or 16 with alpha first). is_srgb: the mode in which ASTC is decoded. Errors: kInvalidData for a
// damaged block. Thread-safe.
Result<scene::Image> decode_texels(TexelFormat format, bool is_srgb, ByteSpan stored, Extent extent);

}  // namespace assetc::texture
