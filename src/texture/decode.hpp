// One image of a KTX 2 file as texels: for pictures, comparisons and conversion.
#pragma once

#include <string_view>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/ktx2.hpp"
#include "scene/image.hpp"

namespace assetc::texture {

// Which image of a texture: level 0 is the largest, slices are those of a 3D texture.
struct ImageIndex {
  std::uint32_t level = 0;
  std::uint32_t layer = 0;
  std::uint32_t face = 0;
  std::uint32_t slice = 0;
};

// kNotFound, saying what there is, where number `asked` is not below `count`. what: "level"; holder: "the texture has".
Result<void> check_number(std::string_view what, std::uint32_t asked, std::size_t count, std::string_view holder);

// Whose channels: those in the file, or those that a reader gets from them through KTXswizzle.
enum class Channels : std::uint8_t { kStored, kSwizzled };

// Of what decode_ktx2 gives: 8 bits a channel for UASTC, BC1, BC3, BC7, ETC2, ASTC and 8-bit formats, 16 for BC4, BC5,
// EAC and 16-bit formats, float for BC6H and for half and float formats.
scene::PixelType decoded_type(ktx2::Format format);

bool can_decode(ktx2::Format format);

// The texels (sRGB stays sRGB) as decoded_type says. A channel that the format lacks is 0, alpha 1.
// file: a whole KTX 2, any alignment. Zstd levels are inflated, to no more than the size that the view has checked.
// Errors: those of ktx2::View; kNotFound for an image that is not there; kUnsupported for a format without a decoder
// here (named); kInvalidData for a block or a Zstd frame that is damaged. Thread-safe.
Result<scene::Image> decode_ktx2(ByteSpan file, const ImageIndex& index = {}, Channels channels = Channels::kSwizzled);

}  // namespace assetc::texture
