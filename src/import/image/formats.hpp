// Internal to src/import: a pair of functions per picture format, and the checks that they share.
#pragma once

#include <optional>
#include <string>

#include "import/image/image.hpp"

namespace assetc::importer {

// Checks in addition to the magic in the table of file types.
bool is_bmp(ByteSpan bytes);
bool is_hdr(ByteSpan bytes);
bool is_tiff(ByteSpan bytes);
bool is_avif(ByteSpan bytes);
// TGA has no magic. True if the header has only values that the format allows. Call it last.
bool is_tga(ByteSpan bytes);

Result<ImageInfo> read_png_info(ByteSpan bytes);
Result<ImageInfo> read_jpeg_info(ByteSpan bytes);
Result<ImageInfo> read_webp_info(ByteSpan bytes);
Result<ImageInfo> read_bmp_info(ByteSpan bytes);
Result<ImageInfo> read_hdr_info(ByteSpan bytes);
Result<ImageInfo> read_exr_info(ByteSpan bytes);
Result<ImageInfo> read_exr_layer_info(ByteSpan bytes, std::string_view layer);
Result<ImageInfo> read_tga_info(ByteSpan bytes);
Result<ImageInfo> read_psd_info(ByteSpan bytes);
Result<ImageInfo> read_tiff_info(ByteSpan bytes);
Result<ImageInfo> read_avif_info(ByteSpan bytes);

// `info` is the result of read_X_info for the same bytes and has passed check_image_size. Returns texels as they are
// stored.
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

// ImageInfo::left_out of pictures that are read at 8 bits.
inline constexpr std::string_view kBitsBeyond8 = "the bits of each channel beyond 8";
// Adds a part to ImageInfo::left_out.
void leave_out(ImageInfo& info, std::string_view part);
// Accepts sides of 1 to kMaxImageSide and at most kMaxImageTexels.
Result<void> check_image_size(std::uint64_t width, std::uint64_t height, std::string_view place);
// kTruncated if the header claims more texels than that many bytes can encode at the best ratio of the format. This
// keeps a short file from causing gigabytes of allocation.
Result<void> check_image_ratio(const ImageInfo& info, std::uint64_t size_bytes, std::uint64_t max_texels_per_byte);
// Sets info.primaries if colors need a conversion, or other_color if none is possible. Requires info.source_channels.
void declare_primaries(ImageInfo& info, std::string place, const Primaries& primaries);
// An Image with the shape of info and zero texels.
scene::Image make_image(const ImageInfo& info);
// Whether tools treat that name as sRGB: "sRGB IEC61966-2.1", but not "Linear sRGB".
bool names_srgb(std::string_view profile_name);
// The description inside an ICC profile, in printable ASCII. Empty if there is none that can be read.
std::string profile_description(ByteSpan profile);
// The report for a profile with that name and description. Nothing if either is that of sRGB.
std::optional<OtherColor> other_profile(std::string_view place, std::string_view name, std::string_view description);
// If every alpha is zero, makes the image opaque. Files that do not use the fourth byte write 0 there.
void repair_unused_alpha(scene::Image& image);

// The orientation in an Exif block, 1 to 8. The block may have the Exif prefix. 1 if there is none.
std::uint8_t exif_orientation(ByteSpan exif);
constexpr bool swaps_sides(std::uint8_t orientation) { return orientation >= 5; }
// Rotates or mirrors the picture to how it is seen. Requires 1 to 8.
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
