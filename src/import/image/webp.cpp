// Reads WebP (RFC 9649), lossy and lossless, with libwebp.
#include <webp/decode.h>

#include "import/image/formats.hpp"
#include "import/libraries.hpp"

namespace assetc::importer {
namespace {

std::unexpected<Error> webp_failure(VP8StatusCode status, std::size_t size_bytes) {
  if (status == VP8_STATUS_NOT_ENOUGH_DATA || status == VP8_STATUS_SUSPENDED) {
    return fail_at(ErrorCode::kTruncated, byte_place(size_bytes), "the file ends before the WebP picture does",
                   "export the picture again");
  }
  return fail_at(status == VP8_STATUS_OUT_OF_MEMORY ? ErrorCode::kLimit : ErrorCode::kInvalidData, "WebP data",
                 "damaged: decoder status " + std::to_string(static_cast<int>(status)), "export the picture again");
}

// The content of a chunk; empty if there is none. Chunks follow the RIFF header and are padded to even sizes.
ByteSpan webp_chunk(ByteSpan bytes, std::string_view wanted) {
  for (std::uint64_t at = 12; range_fits(at, 8, bytes.size());) {
    const std::uint64_t size = load<std::uint32_t>(bytes, at + 4);
    if (as_text(bytes.subspan(at, 4)) == wanted)
      return range_fits(at + 8, size, bytes.size()) ? bytes.subspan(at + 8, size) : ByteSpan();
    at += 8 + size + size % 2;
  }
  return {};
}

}  // namespace

Result<ImageInfo> read_webp_info(ByteSpan bytes) {
  WebPBitstreamFeatures features;
  const auto status = WebPGetFeatures(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), &features);
  if (status != VP8_STATUS_OK) return webp_failure(status, bytes.size());
  if (features.has_animation) {
    return fail_at(ErrorCode::kUnsupported, "WebP header", "found an animation, expected one picture",
                   "export its first frame as PNG");
  }
  ImageInfo info{ImageFormat::kWebp, static_cast<std::uint32_t>(features.width),
                 static_cast<std::uint32_t>(features.height)};
  info.source_channels = features.has_alpha ? 4 : 3;
  ASSETC_CHECK(check_image_size(info.width_texels, info.height_texels, "WebP header"));
  if (const ByteSpan exif = webp_chunk(bytes, "EXIF"); !exif.empty()) info.exif_orientation = exif_orientation(exif);
  if (const ByteSpan profile = webp_chunk(bytes, "ICCP"); !profile.empty())
    info.other_color = other_profile("WebP ICCP", {}, profile_description(profile));
  return info;
}

Result<scene::Image> decode_webp(ByteSpan bytes, const ImageInfo& info) {
  WebPDecoderConfig config;
  if (!WebPInitDecoderConfig(&config))
    return fail(ErrorCode::kUnsupported, "this libwebp is not the one that assetc was built with");
  scene::Image image = make_image(info);
  config.output.colorspace = MODE_RGBA;
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = reinterpret_cast<std::uint8_t*>(image.pixels.data());
  config.output.u.RGBA.stride = static_cast<int>(image.row_bytes());
  config.output.u.RGBA.size = image.pixels.size();
  const auto status = WebPDecode(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), &config);
  WebPFreeDecBuffer(&config.output);
  if (status != VP8_STATUS_OK) return webp_failure(status, bytes.size());
  return image;
}

// One byte each: major, minor, revision.
std::string webp_version() {
  const int version = WebPGetDecoderVersion();
  return std::to_string(version >> 16) + "." + std::to_string(version >> 8 & 255) + "." + std::to_string(version & 255);
}

}  // namespace assetc::importer
