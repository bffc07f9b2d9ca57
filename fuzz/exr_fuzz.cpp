// Any bytes as an OpenEXR picture: texels of the size in the header, all numbers, or an error with a place. Seeds:
// fuzz/corpus/exr, one for each compression and layout, written with tests/import/exr_builders.hpp.
#include <cmath>

#include "fuzz.hpp"
#include "import/image/formats.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  const ByteSpan file = fuzz::bytes(data, size);
  const auto info = importer::read_exr_info(file);
  if (!info) {
    fuzz::require(!info.error().what.empty() && !info.error().place.empty());
    return 0;
  }
  // A few bytes of Deflate can stand for any number of equal texels. Skip large pictures: memory is not tested here.
  constexpr std::uint64_t kMostTexels = 1u << 18;
  if (info->texel_count() > kMostTexels || info->scratch_bytes > kMostTexels * 64) return 0;
  const auto image = importer::decode_exr(file, *info);
  if (!image) {
    fuzz::require(!image.error().what.empty() && !image.error().place.empty());
    return 0;
  }
  fuzz::require(image->width_texels == info->width_texels && image->height_texels == info->height_texels);
  fuzz::require(image->pixels.size() == info->decoded_bytes());
  for (std::size_t at = 0; at < image->pixels.size(); at += 4)
    fuzz::require(std::isfinite(load<float>(image->pixels, at)));
  return 0;
}
