#include "import/image/image.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "filetypes/filetypes.hpp"
#include "import/image/formats.hpp"

namespace assetc::importer {
namespace {

struct Format {
  ImageFormat format;
  std::string_view name;
  std::string_view suffix;  // of its row in the table of file types, which has the magic
  bool (*is)(ByteSpan);     // an additional check, or the only one if there is no magic
  Result<ImageInfo> (*info)(ByteSpan);
  Result<scene::Image> (*decode)(ByteSpan, const ImageInfo&);
};

Result<ImageInfo> read_ktx2_info(ByteSpan bytes) {
  constexpr std::size_t kHeaderBytes = 80;
  if (bytes.size() < kHeaderBytes) {
    return fail_at(ErrorCode::kTruncated, byte_place(bytes.size()), "KTX2 header of 80 bytes is cut short");
  }
  const auto height = load<std::uint32_t>(bytes, 24);
  ImageInfo info{ImageFormat::kKtx2, load<std::uint32_t>(bytes, 20), std::max(height, 1u)};
  ASSETC_CHECK(check_image_size(info.width_texels, info.height_texels, "KTX2 header"));
  return info;
}

Result<ImageInfo> read_ktx1_info(ByteSpan bytes) {
  constexpr std::size_t kHeaderBytes = 64;
  if (bytes.size() < kHeaderBytes)
    return fail_at(ErrorCode::kTruncated, byte_place(bytes.size()), "KTX header of 64 bytes is cut short");
  const bool is_swapped = u8_at(bytes, 12) == 4;
  const std::uint32_t width = is_swapped ? be32_at(bytes, 36) : load<std::uint32_t>(bytes, 36);
  const std::uint32_t height = is_swapped ? be32_at(bytes, 40) : load<std::uint32_t>(bytes, 40);
  ImageInfo info{ImageFormat::kKtx1, width, std::max(height, 1u)};
  ASSETC_CHECK(check_image_size(info.width_texels, info.height_texels, "KTX header"));
  return info;
}

Result<ImageInfo> read_dds_info(ByteSpan bytes) {
  constexpr std::size_t kHeaderBytes = 128;
  if (bytes.size() < kHeaderBytes)
    return fail_at(ErrorCode::kTruncated, byte_place(bytes.size()), "DDS header of 128 bytes is cut short");
  ImageInfo info{ImageFormat::kDds, load<std::uint32_t>(bytes, 16), load<std::uint32_t>(bytes, 12)};
  ASSETC_CHECK(check_image_size(info.width_texels, info.height_texels, "DDS header"));
  return info;
}

Result<scene::Image> refuse_texture(ByteSpan, const ImageInfo& info) {
  return fail(ErrorCode::kUnsupported,
              "found a " + std::string(to_string(info.format)) + " file where a picture is expected",
              "use the PNG or JPEG it was made from");
}

// In the order of checking. TGA is last because it has no magic.
constexpr std::array kFormats{
    Format{ImageFormat::kPng, "PNG", ".png", nullptr, read_png_info, decode_png},
    Format{ImageFormat::kJpeg, "JPEG", ".jpg", nullptr, read_jpeg_info, decode_jpeg},
    Format{ImageFormat::kWebp, "WebP", ".webp", nullptr, read_webp_info, decode_webp},
    Format{ImageFormat::kKtx2, "KTX2", ".ktx2", nullptr, read_ktx2_info, refuse_texture},
    Format{ImageFormat::kHdr, "HDR", ".hdr", is_hdr, read_hdr_info, decode_hdr},
    Format{ImageFormat::kExr, "EXR", ".exr", nullptr, read_exr_info, decode_exr},
    Format{ImageFormat::kDds, "DDS", ".dds", nullptr, read_dds_info, refuse_texture},
    Format{ImageFormat::kKtx1, "KTX", ".ktx", nullptr, read_ktx1_info, refuse_texture},
    Format{ImageFormat::kPsd, "PSD", ".psd", nullptr, read_psd_info, decode_psd},
    Format{ImageFormat::kTiff, "TIFF", ".tif", is_tiff, read_tiff_info, decode_with_program},
    Format{ImageFormat::kAvif, "AVIF", ".avif", is_avif, read_avif_info, decode_with_program},
    Format{ImageFormat::kBmp, "BMP", ".bmp", is_bmp, read_bmp_info, decode_bmp},
    Format{ImageFormat::kTga, "TGA", ".tga", is_tga, read_tga_info, decode_tga},
};

Result<const Format*> sniff(ByteSpan bytes) {
  if (bytes.empty()) return fail_at(ErrorCode::kTruncated, byte_place(0), "the file is empty, expected a picture");
  for (const Format& format : kFormats) {
    const filetypes::Row& row = *filetypes::find_row(format.suffix);
    if (!row.magic[0].bytes.empty() && !has_magic(row, bytes)) continue;
    if (format.is == nullptr || format.is(bytes)) return &format;
  }
  return fail_at(ErrorCode::kInvalidData, byte_place(0), "the first bytes match no supported picture format",
                 "save it as PNG, JPEG, WebP, TGA, BMP, HDR, EXR, PSD or TIFF");
}

}  // namespace

std::string_view to_string(ImageFormat format) { return std::ranges::find(kFormats, format, &Format::format)->name; }

Result<ImageInfo> read_image_info(ByteSpan bytes, std::string_view layer) {
  ASSETC_TRY(const Format* format, sniff(bytes));
  ASSETC_TRY(ImageInfo info,
             format->format == ImageFormat::kExr ? read_exr_layer_info(bytes, layer) : format->info(bytes));
  if (info.exif_orientation != 1) info.scratch_bytes += info.decoded_bytes();
  if (swaps_sides(info.exif_orientation)) std::swap(info.width_texels, info.height_texels);
  return info;
}

Result<scene::Image> decode_image(ByteSpan bytes) {
  ASSETC_TRY(const ImageInfo info, read_image_info(bytes));
  return decode_image(bytes, info);
}

Result<scene::Image> decode_image(ByteSpan bytes, const ImageInfo& info) {
  ImageInfo stored = info;
  if (swaps_sides(info.exif_orientation)) std::swap(stored.width_texels, stored.height_texels);
  ASSETC_TRY(scene::Image image, std::ranges::find(kFormats, info.format, &Format::format)->decode(bytes, stored));
  return oriented(std::move(image), info.exif_orientation);
}

void leave_out(ImageInfo& info, std::string_view part) {
  info.left_out.append(info.left_out.empty() ? "" : "; ").append(part);
}

Result<void> check_image_size(std::uint64_t width, std::uint64_t height, std::string_view place) {
  const auto size = [&] { return std::to_string(width) + "x" + std::to_string(height) + " texels"; };
  if (width == 0 || height == 0) {
    return fail_at(ErrorCode::kInvalidData, std::string(place),
                   "found a picture of " + size() + ", expected at least 1x1");
  }
  if (width > scene::kMaxImageSide || height > scene::kMaxImageSide || width * height > scene::kMaxImageTexels) {
    return fail_at(ErrorCode::kLimit, std::string(place),
                   "found a picture of " + size() + ", the limits are " + std::to_string(scene::kMaxImageSide) +
                       " a side and " + std::to_string(scene::kMaxImageTexels) + " texels",
                   "scale it down or cut it into tiles");
  }
  return {};
}

Result<void> check_image_ratio(const ImageInfo& info, std::uint64_t size_bytes, std::uint64_t max_texels_per_byte) {
  if (info.texel_count() / max_texels_per_byte <= size_bytes) return {};
  return fail_at(ErrorCode::kTruncated, byte_place(size_bytes),
                 "the file ends here, too short for the " + std::to_string(info.width_texels) + "x" +
                     std::to_string(info.height_texels) + " texels of its header",
                 "export the picture again");
}

void declare_primaries(ImageInfo& info, std::string place, const Primaries& primaries) {
  if (are_bt709(primaries) || info.source_channels < 3) return;
  if (matrix_to_bt709(primaries)) {
    info.primaries = {std::move(place), primaries};
  } else {
    info.other_color = {std::move(place), "primaries that describe no colors (" + name_of(primaries) + ")"};
  }
}

scene::Image make_image(const ImageInfo& info) {
  scene::Image image{info.width_texels, info.height_texels, info.type, info.source_channels, {}};
  image.pixels.resize(info.decoded_bytes());
  return image;
}

void repair_unused_alpha(scene::Image& image) {
  auto& p = image.pixels;
  for (std::size_t i = 3; i < p.size(); i += 4) {
    if (p[i] != std::byte{0}) return;
  }
  for (std::size_t i = 3; i < p.size(); i += 4) p[i] = std::byte{255};
  --image.source_channels;
}

}  // namespace assetc::importer
