#include "texture/graphics.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "assetc/base/bytes.hpp"

namespace assetc::texture {
namespace {

constexpr std::uint64_t kTinyTexels = 64 * 64;
constexpr std::uint32_t kFewColors = 256, kPixelArtColors = 128, kVeryFewColors = 64, kFewRegions = 32;
// The least number of texels for each color, so that noise is no graphics.
constexpr std::uint64_t kTexelsOfColor = 4;

// RGBA, red in the lowest byte. The color of an invisible texel says nothing: it is 0.
using PackedTexel = std::uint32_t;
constexpr PackedTexel alpha_of(PackedTexel texel) { return texel >> 24; }

// Whether any channel of two texels differs by 32 of 255 or more: a step that blocks cannot hide.
constexpr bool is_hard_step(PackedTexel a, PackedTexel b) {
  constexpr std::uint64_t kEach = 0x0001'0001'0001'0001;  // one 16-bit lane for each channel
  const auto lanes = [](std::uint64_t texel) {
    texel = (texel | texel << 16) & 0x0000'FFFF'0000'FFFF;
    return (texel | texel << 8) & 0x00FF'00FF'00FF'00FF;
  };
  constexpr std::uint64_t kStep = 32, kSign = 512;
  const std::uint64_t difference = lanes(a) + 256 * kEach - lanes(b);  // 256 + a - b, from 1 to 511
  const std::uint64_t up = difference + (kSign - 256 - kStep) * kEach;
  const std::uint64_t down = difference + (kSign - 257 + kStep) * kEach;
  return ((up | ~down) & kSign * kEach) != 0;
}
static_assert(is_hard_step(0x20, 0) && is_hard_step(0, 0x20) && is_hard_step(0xFF000000, 0xDF000000));
static_assert(!is_hard_step(0x1F1F1F1F, 0) && !is_hard_step(0, 0x1F1F1F1F) && !is_hard_step(0xFF00FF00, 0xE01FE01F));

// Counts distinct colors, up to a limit.
class ColorCounter {
 public:
  void add(PackedTexel color) {
    if (count_ > kFewColors) return;
    constexpr PackedTexel kGolden = 0x9E3779B1;
    for (std::size_t at = color * kGolden >> 22;; at = (at + 1) % slots_.size()) {
      if (slots_[at] == std::uint64_t{color} + 1) return;
      if (slots_[at] != 0) continue;
      slots_[at] = std::uint64_t{color} + 1;
      ++count_;
      return;
    }
  }
  std::uint32_t count() const { return count_; }

 private:
  std::array<std::uint64_t, 1024> slots_{};  // a color + 1; 0: free. At most kFewColors + 1 are taken
  std::uint32_t count_ = 0;
};

// What texels have in common with their neighbors before and above.
struct NeighborCounts {
  std::uint64_t texels = 0;
  std::uint64_t pairs = 0;      // of neighbors, in the whole picture
  std::uint64_t differing = 0;  // pairs of two colors
  std::uint64_t hard = 0;       // differing pairs with a hard step
  std::uint64_t cut = 0;        // an invisible texel beside an opaque one
  std::uint64_t faded = 0;      // an invisible texel beside a translucent one
  std::uint64_t novel = 0;      // texels that no neighbor before or above equals
  ColorCounter colors;

  void add_pair(PackedTexel one, PackedTexel other) {
    ++differing;
    hard += is_hard_step(one, other);
    if (one != 0 && other != 0) return;
    const PackedTexel alpha = alpha_of(one | other);
    cut += alpha == 255;
    faded += alpha != 255;
  }
  bool has_few(std::uint32_t most) const { return colors.count() <= most && colors.count() * kTexelsOfColor <= texels; }
  bool is_hard() const { return differing > 0 && hard * 4 >= differing; }
  bool is_cut() const { return cut >= faded; }
  bool is_flat() const { return differing * 2 <= pairs; }
  bool repeats() const { return differing > 0 && novel * 2 <= texels; }
};

PackedTexel visible_texel(const scene::Image& image, std::uint64_t index) {
  const auto texel = load<PackedTexel>(image.pixels, index * sizeof(PackedTexel));
  return alpha_of(texel) == 0 ? 0 : texel;
}

// Recognizes most photographs from one row of eight: they have many colors, and hardly two neighbors are equal.
bool is_clearly_photograph(const scene::Image& image) {
  constexpr std::uint64_t kRows = 8;
  const std::uint64_t width = image.width_texels;
  std::uint64_t differing = 0, pairs = 0;
  ColorCounter colors;
  for (std::uint64_t y = 0; y < image.height_texels; y += kRows) {
    PackedTexel before = visible_texel(image, y * width);
    for (std::uint64_t x = 1; x < width; ++x) {
      const PackedTexel texel = visible_texel(image, y * width + x);
      differing += texel != before;
      colors.add(texel);
      before = texel;
    }
    pairs += width - 1;
  }
  return colors.count() > kFewColors && differing * 4 >= pairs * 3;
}

// The class of a picture whatever its size.
PictureClass class_of_data(const NeighborCounts& counts) {
  const bool is_map = counts.has_few(kFewRegions) && counts.differing > 0 && counts.hard * 2 >= counts.differing;
  return is_map ? PictureClass::kGraphics : PictureClass::kPhotograph;
}

PictureClass class_of_color(const NeighborCounts& counts) {
  const bool is_hard = counts.is_hard();
  // Two of three properties, so that neither noise of few colors nor a gradient is graphics.
  const bool has_colors = (is_hard && counts.has_few(kVeryFewColors)) ||
                          (counts.repeats() && counts.has_few(is_hard ? kFewColors : kVeryFewColors));
  if (has_colors && counts.is_cut() && counts.has_few(kPixelArtColors)) return PictureClass::kPixelArt;
  const bool is_flat = is_hard && counts.is_flat() && counts.repeats();
  return has_colors || is_flat ? PictureClass::kGraphics : PictureClass::kPhotograph;
}

}  // namespace

PictureLooks look_at(const scene::Image& image, TexelKind kind) {
  if (image.type != scene::PixelType::kU8 || kind == TexelKind::kNormal || kind == TexelKind::kHdr) return {};
  const bool is_color = kind == TexelKind::kColor;
  const std::uint64_t width = image.width_texels, height = image.height_texels;
  NeighborCounts counts;
  counts.texels = width * height;
  counts.pairs = width * (height - 1) + height * (width - 1);
  if (counts.texels > kTinyTexels && is_clearly_photograph(image)) return {};
  std::vector<PackedTexel> above(width), row(width);
  for (std::uint64_t y = 0; y < height; ++y) {
    for (std::uint64_t x = 0; x < width; ++x) {
      row[x] = visible_texel(image, y * width + x);
      const bool after_other = x > 0 && row[x] != row[x - 1], below_other = y > 0 && row[x] != above[x];
      if (after_other) counts.add_pair(row[x], row[x - 1]);
      if (below_other) counts.add_pair(row[x], above[x]);
      if ((x > 0 && !after_other) || (y > 0 && !below_other)) continue;
      ++counts.novel;
      counts.colors.add(row[x]);
    }
    std::swap(row, above);
    const bool may_be_graphics =
        is_color ? counts.has_few(kFewColors) || counts.is_flat() : counts.has_few(kFewRegions);
    if (!may_be_graphics && counts.texels > kTinyTexels) return {};
  }
  PictureLooks looks;
  looks.is = is_color ? class_of_color(counts) : class_of_data(counts);
  looks.is_at_any_size = looks.is != PictureClass::kPhotograph;
  if (looks.is == PictureClass::kPhotograph && counts.texels <= kTinyTexels) {
    const bool is_sprite = is_color && counts.is_hard() && counts.is_cut();
    looks.is = is_sprite ? PictureClass::kPixelArt : PictureClass::kTiny;
  }
  return looks;
}

CompileOptions options_for(const scene::Image& image, const CompileOptions& asked) {
  CompileOptions options = asked;
  options.keeps_graphics = false;
  if (!asked.keeps_graphics || is_lossless(asked.format)) return options;
  const Extent extent = level0_extent({image.width_texels, image.height_texels}, asked.mips);
  if (std::uint64_t{extent.width_texels} * extent.height_texels > kMostGraphicsTexels) return options;
  const PictureClass is = look_at(image, asked.mips.kind).is;
  if (is == PictureClass::kPhotograph) return options;
  options.format = TargetFormat::kRgba8;
  if (is == PictureClass::kPixelArt && asked.stands_alone) options.mips.all_levels = false;
  return options;
}

}  // namespace assetc::texture
