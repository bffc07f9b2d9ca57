#include "export/webp.hpp"

#include <webp/encode.h>

namespace assetc::exporter {
namespace {

int append_part(const std::uint8_t* data, std::size_t size, const WebPPicture* picture) {
  append_bytes(*static_cast<ByteVector*>(picture->custom_ptr), {reinterpret_cast<const std::byte*>(data), size});
  return 1;
}

struct Picture : WebPPicture {
  Picture() : is_valid(WebPPictureInit(this) != 0) {}
  ~Picture() { WebPPictureFree(this); }
  Picture(const Picture&) = delete;
  Picture& operator=(const Picture&) = delete;
  const bool is_valid;
};

std::unexpected<Error> refuse_library() {
  return fail(ErrorCode::kUnsupported, "this libwebp is not the one that assetc was built with");
}

}  // namespace

Result<ByteVector> write_webp(const scene::Image& image, const WebpOptions& options) {
  if (image.type != scene::PixelType::kU8)
    return fail(ErrorCode::kUnsupported, "WebP holds 8 bits for each channel, the picture has more");
  if (image.width_texels > kMostWebpSide || image.height_texels > kMostWebpSide) {
    return fail(ErrorCode::kLimit,
                "the picture has " + std::to_string(image.width_texels) + "x" + std::to_string(image.height_texels) +
                    " texels, WebP holds at most 16383 in each direction",
                "limit its size with --texture.max_size");
  }
  WebPConfig config;
  const bool is_lossless = options.quality >= 100;
  if (!WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, is_lossless ? 75.0f : static_cast<float>(options.quality)))
    return refuse_library();
  config.lossless = is_lossless ? 1 : 0;
  config.alpha_quality = 100;
  config.use_sharp_yuv = is_lossless ? 0 : 1;
  config.exact = options.keeps_transparent ? 1 : 0;
  Picture picture;
  if (!picture.is_valid) return refuse_library();
  picture.use_argb = 1;  // lossless, or sharp chroma, which begins with RGB
  picture.width = static_cast<int>(image.width_texels);
  picture.height = static_cast<int>(image.height_texels);
  ByteVector out;
  picture.writer = append_part;
  picture.custom_ptr = &out;
  const auto* rgba = reinterpret_cast<const std::uint8_t*>(image.pixels.data());
  if (!WebPPictureImportRGBA(&picture, rgba, static_cast<int>(image.row_bytes())) || !WebPEncode(&config, &picture)) {
    return fail(picture.error_code == VP8_ENC_ERROR_OUT_OF_MEMORY ? ErrorCode::kLimit : ErrorCode::kInvalidData,
                "libwebp cannot encode the picture: error " + std::to_string(static_cast<int>(picture.error_code)));
  }
  return out;
}

std::string webp_encoder_version() {
  const int version = WebPGetEncoderVersion();
  return std::to_string(version >> 16) + "." + std::to_string(version >> 8 & 255) + "." + std::to_string(version & 255);
}

}  // namespace assetc::exporter
