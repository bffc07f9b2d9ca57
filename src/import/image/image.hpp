// Decodes pictures. The magic bytes of a file decide its format, never its name.
//
// decode_image returns texels as they are stored. The use of a game texture decides its transfer function (sRGB for
// color, linear for data), as glTF 2.0 also specifies. ImageInfo reports what a picture declares: primaries that a
// caller converts if the texels are color, and a gamma, profile or exposure of which a caller warns. The Exif
// orientation of a JPEG, PNG or WebP is applied, as viewers and modeling tools do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "import/image/primaries.hpp"
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

// What a picture declares about its colors if it is not sRGB and is not converted.
struct OtherColor {
  std::string place;  // "PNG gAMA"
  std::string found;  // "a gamma of 1", "the profile \"Display P3\"", "an exposure of 2"
};

struct ImageInfo {
  ImageFormat format = ImageFormat::kPng;
  std::uint32_t width_texels = 0;
  std::uint32_t height_texels = 0;
  scene::PixelType type = scene::PixelType::kU8;  // of the result of decode_image
  std::uint8_t source_channels = 4;               // as in scene::Image
  std::uint8_t exif_orientation = 1;              // 1: stored as seen; width and height are as seen
  std::string left_out = {};                      // other content of the file, for a warning: "channels Z; part 1"
  std::optional<OtherColor> other_color = {};
  std::optional<OtherPrimaries> primaries = {};  // of EXR, HDR, TIFF and AVIF with colors; convert_to_bt709
  bool declares_transfer = false;                // for PNG: cICP, iCCP, sRGB or gAMA
  std::string layer = {};                        // the layer that was asked for
  std::uint64_t scratch_bytes = 0;               // memory of decode_image besides the file and the Image

  std::uint64_t texel_count() const { return std::uint64_t{width_texels} * height_texels; }
  // Bytes of the Image that decode_image returns.
  std::uint64_t decoded_bytes() const { return texel_count() * 4 * scene::channel_bytes(type); }
};

// Reads size and kind of a picture from its header, and no texel. Supports every ImageFormat, also texture files (2D
// size of level 0). layer: the layer or part of an EXR to read; empty: the unnamed one, or the only one. Other formats
// ignore it. kInvalidData: no known magic, or a header that breaks its format. kTruncated, kUnsupported and
// kLimit: as decode_image. Thread-safe.
Result<ImageInfo> read_image_info(ByteSpan bytes, std::string_view layer = {});
// Instead of the name of a layer: any. For checks of a file before its settings are known. No layer has this name.
inline constexpr std::string_view kAnyLayer = "\n";

// Decodes the whole picture in the layout of scene::Image. Sources of 8 bits or less give kU8, 16-bit PNG gives kU16,
// Radiance HDR, OpenEXR and pictures of 32-bit floats give kF32 (linear). The first row is the top row, whatever the
// order in the file. CMYK becomes RGB without its profile: each ink absorbs its share of the light. A Photoshop
// document gives the composite of its layers. TIFF and AVIF are read by the program oiiotool. Thread-safe.
//
// Of an EXR, the display window is returned. Where the data window does not cover it, texels are black, and transparent
// if there is alpha. Alpha is associated. NaN becomes 0, and infinite values become 65504.
//
// - kTruncated or kInvalidData: a texel is missing or damaged. The result is never a part of a picture. Exception: a
//   JPEG that has its end marker, but has stray bytes or slightly too little data, is read as every viewer reads it,
//   and Image::damage describes the fault.
// - kLimit: larger than scene::kMaxImageSide or kMaxImageTexels; checked before memory is allocated.
// - kNotFound: TIFF or AVIF, and PATH has no oiiotool.
// - kUnsupported: 12-bit JPEG, animated WebP, deep, subsampled and DWA-compressed EXR, texture files (see
// import/texture/ktx2.hpp
//   and import/texture/file.hpp).
Result<scene::Image> decode_image(ByteSpan bytes);
// The same if the header was already read. Requires info to be read_image_info(bytes).
Result<scene::Image> decode_image(ByteSpan bytes, const ImageInfo& info);

}  // namespace assetc::importer
