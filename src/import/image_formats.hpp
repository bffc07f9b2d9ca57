// Internal to src/import: one pair of functions a picture format, and the checks they share.
#pragma once

#include <optional>
#include <string>

#include "import/image.hpp"

namespace assetc::importer {

// Beyond the magic of its row of file types.
bool is_bmp(ByteSpan bytes);
bool is_hdr(ByteSpan bytes);
bool is_tiff(ByteSpan bytes);
bool is_avif(ByteSpan bytes);
// TGA has no magic: true when the header holds only values that the format allows. Ask it last.
bool is_tga(ByteSpan bytes);

Result<ImageInfo> read_png_info(ByteSpan bytes);
Result<ImageInfo> read_jpeg_info(ByteSpan bytes);
Result<ImageInfo> read_webp_info(ByteSpan bytes);
Result<ImageInfo> read_bmp_info(ByteSpan bytes);
Result<ImageInfo> read_hdr_info(ByteSpan bytes);
Result<ImageInfo> read_exr_info(ByteSpan bytes);
Result<ImageInfo> read_tga_info(ByteSpan bytes);
Result<ImageInfo> read_psd_info(ByteSpan bytes);
Result<ImageInfo> read_tiff_info(ByteSpan bytes);
Result<ImageInfo> read_avif_info(ByteSpan bytes);

// `info` is what read_X_info said of the same bytes; it has passed check_image_size. Texels as they are stored.
Result<scene::Image> decode_png(ByteSpan bytes, const ImageInfo& info);
Result<scene::Image> decode_jpeg(ByteSpan bytes, const ImageInfo& info);
Result<scene::Image> decode_webp(ByteSpan bytes, const ImageInfo& info);
Result<scene::Image> decode_bmp(ByteSpan bytes, const ImageInfo& info);
Result<scene::Image> decode_hdr(ByteSpan bytes, const ImageInfo& info);
Result<scene::Image> decode_exr(ByteSpan bytes, const ImageInfo& info);
Result<scene::Image> decode_tga(ByteSpan bytes, const ImageInfo& info);
Result<scene::Image> decode_psd(ByteSpan bytes, const ImageInfo& info);
// Runs oiiotool; kNotFound where it is not installed.
Result<scene::Image> decode_with_program(ByteSpan bytes, const ImageInfo& info);

// Sides of 1 to kMaxImageSide and at most kMaxImageTexels.
Result<void> check_image_size(std::uint64_t width, std::uint64_t height, std::string_view place);
// kTruncated when the texels claimed exceed what that many bytes can say at the format's best ratio, so that a short
// file cannot make us allocate gigabytes.
Result<void> check_image_ratio(const ImageInfo& info, std::uint64_t size_bytes, std::uint64_t max_texels_per_byte);
// An Image of info's shape, texels zero.
scene::Image make_image(const ImageInfo& info);
// Whether that is what tools call sRGB: "sRGB IEC61966-2.1", but not "Linear sRGB".
bool names_srgb(std::string_view profile_name);
// The description that an ICC profile gives of itself, in printable ASCII; empty where it has none that can be read.
std::string profile_description(ByteSpan profile);
// What to say of a profile of that name and description; nothing where either is sRGB's.
std::optional<OtherColor> other_profile(std::string_view place, std::string_view name, std::string_view description);
// Opaque where every alpha is zero: files that leave the fourth byte unused write 0 there.
void repair_unused_alpha(scene::Image& image);

// 1 to 8: how an Exif block, with its prefix or without, says that the picture is seen. 1 where it says nothing.
std::uint8_t exif_orientation(ByteSpan exif);
constexpr bool swaps_sides(std::uint8_t orientation) { return orientation >= 5; }
// The picture as it is seen. Requires 1 to 8.
scene::Image oriented(scene::Image image, std::uint8_t orientation);

inline std::uint8_t u8_at(ByteSpan bytes, std::size_t offset) { return std::to_integer<std::uint8_t>(bytes[offset]); }
inline std::uint32_t be16_at(ByteSpan bytes, std::size_t offset) {
  return static_cast<std::uint32_t>(u8_at(bytes, offset) << 8 | u8_at(bytes, offset + 1));
}
inline std::uint32_t be32_at(ByteSpan bytes, std::size_t offset) {
  return be16_at(bytes, offset) << 16 | be16_at(bytes, offset + 2);
}
inline bool has_prefix(ByteSpan bytes, std::string_view magic) { return as_text(bytes).starts_with(magic); }

}  // namespace assetc::importer
