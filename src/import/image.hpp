// Pictures from files. The format is told by its magic bytes, never by the file's name.
//
// Color metadata (PNG gAMA, cHRM, iCCP; JPEG ICC; HDR EXPOSURE; EXR chromaticities) is not applied: a game texture's
// transfer function is what its use says (sRGB for color, linear for data), as glTF 2.0 also rules. ImageInfo reports a
// gamma or profile that is not sRGB's, so that a caller can warn. The Exif orientation of a JPEG, PNG or WebP is
// applied, as viewers and modelling tools do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "scene/image.hpp"

namespace assetc::importer {

enum class ImageFormat : std::uint8_t {
  kPng,
  kJpeg,
  kWebp,
  kTga,
  kBmp,
  kHdr,
  kExr,
  kPsd,
  kTiff,
  kAvif,
  kKtx2,
  kKtx1,
  kDds
};

// "PNG", "JPEG", …
std::string_view to_string(ImageFormat format);

// What a picture says of its colors where that is not sRGB.
struct OtherColor {
  std::string place;  // "PNG gAMA"
  std::string found;  // "a gamma of 1", "the profile \"Display P3\""
};

struct ImageInfo {
  ImageFormat format = ImageFormat::kPng;
  std::uint32_t width_texels = 0;
  std::uint32_t height_texels = 0;
  scene::PixelType type = scene::PixelType::kU8;  // what decode_image gives
  std::uint8_t source_channels = 4;               // as scene::Image
  std::uint8_t exif_orientation = 1;              // 1: stored the way it is seen; extents are those that are seen
  std::string left_out = {};                      // what else the file holds, for a warning: "channels Z; part 1"
  std::optional<OtherColor> other_color = {};     // of PNG and JPEG
  std::uint64_t scratch_bytes = 0;                // that decode_image holds beyond the file and the Image

  std::uint64_t texel_count() const { return std::uint64_t{width_texels} * height_texels; }
  // Bytes of the Image that decode_image would return.
  std::uint64_t decoded_bytes() const { return texel_count() * 4 * scene::channel_bytes(type); }
};

// Size and kind of a picture from its header; reads no texel. Every ImageFormat, also KTX 2, KTX 1 and DDS
// (2D size of level 0).
// kInvalidData: no known magic, or a header that breaks its format. kTruncated, kUnsupported, kLimit as decode_image.
// Thread-safe.
Result<ImageInfo> read_image_info(ByteSpan bytes);

// The whole picture, in the layout of scene::Image: 8-bit sources and those of fewer bits as kU8, PNG of 16 bits as
// kU16, Radiance HDR and OpenEXR as kF32 (linear). Rows are top first whatever the file's order. Of an EXR: its display
// window (black, and transparent where it has alpha, where the data window leaves it uncovered); alpha is associated;
// values that are no number become 0, infinite ones 65504.
// kTruncated or kInvalidData when any texel is missing or damaged: never part of a picture. A JPEG that has its end but
// bytes that do not belong there, or a bit too few, is read as every viewer does, and Image::damage says so. kLimit
// past scene::kMaxImageSide or kMaxImageTexels, checked before memory is taken. A CMYK JPEG becomes RGB without its
// profile: each ink takes its share of the light. Of a Photoshop document: all layers together. TIFF
// and AVIF are read by the program oiiotool: kNotFound where PATH leads to none. kUnsupported: 12-bit JPEG, animated
// WebP, deep, subsampled and DWA-compressed EXR, texture files (import/ktx2.hpp, import/texture_file.hpp). Thread-safe.
Result<scene::Image> decode_image(ByteSpan bytes);
// The same where the header was read. Requires info to be read_image_info(bytes).
Result<scene::Image> decode_image(ByteSpan bytes, const ImageInfo& info);

}  // namespace assetc::importer
