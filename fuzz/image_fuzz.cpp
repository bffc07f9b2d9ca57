// Any bytes: a picture that matches its header, or an error.
#include "fuzz.hpp"
#include "import/image/image.hpp"
#include "import/image/program.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  const ByteSpan file = fuzz::bytes(data, size);
  const auto info = importer::read_image_info(file);
  // A few bytes of lossless WebP can stand for any number of equal texels. Skip large pictures: memory is not tested
  // here.
  constexpr std::uint64_t kMostTexels = 1u << 20;
  if (info && info->texel_count() > kMostTexels) return 0;
  if (importer::needs_image_program(file)) return 0;  // read its header only; a process per input is too slow
  const auto image = importer::decode_image(file);
  if (!image) {
    fuzz::require(!image.error().what.empty());
    return 0;
  }
  fuzz::require(info.has_value());
  fuzz::require(image->width_texels == info->width_texels && image->height_texels == info->height_texels);
  fuzz::require(image->type == info->type && image->pixels.size() == info->decoded_bytes());
  fuzz::touch(image->pixels);
  return 0;
}
