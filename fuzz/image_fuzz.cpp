// Any bytes: a picture whose header told the truth about it, or an error.
#include "fuzz.hpp"
#include "import/image.hpp"
#include "import/image_program.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  const ByteSpan file = fuzz::bytes(data, size);
  const auto info = importer::read_image_info(file);
  // Lossless WebP says any number of equal texels in a few bytes; that the memory is there is not the point here.
  constexpr std::uint64_t kMostTexels = 1u << 20;
  if (info && info->texel_count() > kMostTexels) return 0;
  if (importer::needs_image_program(file)) return 0;  // its header was read; a process an input would be too slow
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
