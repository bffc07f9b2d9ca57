// One table. Its rows are in the order of the numbers, so that a lookup is an index.
#include "assetc/formats/texel_format.hpp"

#include <iterator>

namespace assetc {
namespace {

using F = TexelFormat;

struct Row {
  TexelFormat format;
  std::string_view name;
  std::uint8_t block_width, block_height;
  std::uint8_t block_bytes;
  bool has_srgb;
};
constexpr Row kRows[] = {
    {F::kUastc, "uastc", 4, 4, 16, true},
    {F::kEtc1s, "etc1s", 4, 4, 0, true},
    {F::kR8, "r8", 1, 1, 1, true},
    {F::kRg8, "rg8", 1, 1, 2, true},
    {F::kRgb8, "rgb8", 1, 1, 3, true},
    {F::kRgba8, "rgba8", 1, 1, 4, true},
    {F::kR16, "r16", 1, 1, 2, false},
    {F::kRg16, "rg16", 1, 1, 4, false},
    {F::kRgba16, "rgba16", 1, 1, 8, false},
    {F::kR16f, "r16f", 1, 1, 2, false},
    {F::kRg16f, "rg16f", 1, 1, 4, false},
    {F::kRgba16f, "rgba16f", 1, 1, 8, false},
    {F::kR32f, "r32f", 1, 1, 4, false},
    {F::kRg32f, "rg32f", 1, 1, 8, false},
    {F::kRgba32f, "rgba32f", 1, 1, 16, false},
    {F::kBc1Rgb, "bc1rgb", 4, 4, 8, true},
    {F::kBc1Rgba, "bc1", 4, 4, 8, true},
    {F::kBc2, "bc2", 4, 4, 16, true},
    {F::kBc3, "bc3", 4, 4, 16, true},
    {F::kBc4, "bc4", 4, 4, 8, false},
    {F::kBc4Signed, "bc4snorm", 4, 4, 8, false},
    {F::kBc5, "bc5", 4, 4, 16, false},
    {F::kBc5Signed, "bc5snorm", 4, 4, 16, false},
    {F::kBc6h, "bc6h", 4, 4, 16, false},
    {F::kBc6hSigned, "bc6hs", 4, 4, 16, false},
    {F::kBc7, "bc7", 4, 4, 16, true},
    {F::kEtc2Rgb, "etc2rgb", 4, 4, 8, true},
    {F::kEtc2Rgba, "etc2", 4, 4, 16, true},
    {F::kEacR11, "eacr11", 4, 4, 8, false},
    {F::kEacR11Signed, "eacr11snorm", 4, 4, 8, false},
    {F::kEacRg11, "eacrg11", 4, 4, 16, false},
    {F::kEacRg11Signed, "eacrg11snorm", 4, 4, 16, false},
    {F::kAstc4x4, "astc4x4", 4, 4, 16, true},
    {F::kAstc5x4, "astc5x4", 5, 4, 16, true},
    {F::kAstc5x5, "astc5x5", 5, 5, 16, true},
    {F::kAstc6x5, "astc6x5", 6, 5, 16, true},
    {F::kAstc6x6, "astc6x6", 6, 6, 16, true},
    {F::kAstc8x5, "astc8x5", 8, 5, 16, true},
    {F::kAstc8x6, "astc8x6", 8, 6, 16, true},
    {F::kAstc8x8, "astc8x8", 8, 8, 16, true},
    {F::kAstc10x5, "astc10x5", 10, 5, 16, true},
    {F::kAstc10x6, "astc10x6", 10, 6, 16, true},
    {F::kAstc10x8, "astc10x8", 10, 8, 16, true},
    {F::kAstc10x10, "astc10x10", 10, 10, 16, true},
    {F::kAstc12x10, "astc12x10", 12, 10, 16, true},
    {F::kAstc12x12, "astc12x12", 12, 12, 16, true},
};
static_assert(std::size(kRows) == kTexelFormatCount);
static_assert([] {
  for (std::size_t i = 0; i < kTexelFormatCount; ++i) {
    if (static_cast<std::size_t>(kRows[i].format) != i) return false;
  }
  return true;
}());

const Row& row_of(TexelFormat format) { return kRows[static_cast<std::size_t>(format)]; }

}  // namespace

std::string_view to_string(TexelFormat format) { return row_of(format).name; }

BlockShape block_shape(TexelFormat format) {
  const Row& row = row_of(format);
  return {row.block_width, row.block_height, 1, row.block_bytes};
}

bool is_block_compressed(TexelFormat format) { return row_of(format).block_width > 1; }

bool has_srgb_form(TexelFormat format) { return row_of(format).has_srgb; }

}  // namespace assetc
