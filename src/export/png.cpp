#include "export/png.hpp"

#include <spng.h>

#include <cstdlib>
#include <memory>

#include "base/plural.hpp"

namespace assetc::exporter {

Result<ByteVector> write_png(const scene::Image& image) {
  if (image.type == scene::PixelType::kF32) {
    return fail(ErrorCode::kUnsupported, "the image has float channels, PNG holds integers",
                "write a KTX2 with a float format");
  }
  if (image.width_texels == 0 || image.height_texels == 0 ||
      image.pixels.size() != image.row_bytes() * image.height_texels) {
    return fail(ErrorCode::kInvalidData, "an image of " + std::to_string(image.width_texels) + "x" +
                                             std::to_string(image.height_texels) + " has " +
                                             counted(image.pixels.size(), "byte"));
  }
  const std::unique_ptr<spng_ctx, void (*)(spng_ctx*)> context(spng_ctx_new(SPNG_CTX_ENCODER), spng_ctx_free);
  spng_ihdr header{};
  header.width = image.width_texels;
  header.height = image.height_texels;
  header.bit_depth = image.type == scene::PixelType::kU16 ? 16 : 8;
  header.color_type = SPNG_COLOR_TYPE_TRUECOLOR_ALPHA;
  int status = spng_set_option(context.get(), SPNG_ENCODE_TO_BUFFER, 1);
  if (status == 0) status = spng_set_ihdr(context.get(), &header);
  // SPNG_FMT_PNG: samples have the format of the header, in the machine's byte order.
  if (status == 0) {
    status =
        spng_encode_image(context.get(), image.pixels.data(), image.pixels.size(), SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE);
  }
  std::size_t size = 0;
  const std::unique_ptr<void, void (*)(void*)> png(
      status == 0 ? spng_get_png_buffer(context.get(), &size, &status) : nullptr, std::free);
  if (png == nullptr) return fail(ErrorCode::kLimit, "the PNG encoder failed: " + std::string(spng_strerror(status)));
  const auto* bytes = static_cast<const std::byte*>(png.get());
  return ByteVector(bytes, bytes + size);
}

}  // namespace assetc::exporter
