// Any text as a .cube table: a complete table of finite values, or an error.
#include <cmath>

#include "fuzz.hpp"
#include "import/cube_lut.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  const auto lut = importer::parse_cube_lut(fuzz::bytes(data, size));
  if (!lut) return 0;
  fuzz::require(lut->size >= 2 && lut->size <= importer::kMaxCubeLutSize);
  fuzz::require(lut->values.size() == std::size_t{lut->size} * lut->size * lut->size * 3);
  for (const float value : lut->values) fuzz::require(std::isfinite(value));
  for (int c = 0; c < 3; ++c)
    fuzz::require(lut->domain_min[static_cast<std::size_t>(c)] < lut->domain_max[static_cast<std::size_t>(c)]);
  return 0;
}
