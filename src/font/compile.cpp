#include "font/compile.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/plural.hpp"
#include "font/field.hpp"
#include "font/pack.hpp"
#include "parallel/parallel.hpp"

namespace assetc::font {
namespace {

struct Picture {
  Outline outline;
  TexelBox box;
  PackedRect rect;

  std::int64_t texel_count() const { return box.width() * box.height(); }
};

// Bounds the memory and time of one glyph: texels, and texels times edges.
constexpr std::int64_t kMaxGlyphTexels = std::int64_t{1} << 22;
constexpr std::int64_t kMaxGlyphWork = std::int64_t{1} << 32;

Error too_large(const std::string& what, const Options& options) {
  return {ErrorCode::kLimit,
          {},
          {},
          what + " not fit an atlas of " + std::to_string(options.max_size_texels) + "x" +
              std::to_string(options.max_size_texels) + " texels",
          "set a smaller font.size, fewer font.characters or a larger font.max_size"};
}

Result<AtlasSize> place(std::vector<Picture>& pictures, const Options& options) {
  std::vector<PackedRect> rects;
  std::vector<std::size_t> owners;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const Picture& picture = pictures[i];
    if (picture.outline.is_empty()) continue;
    if (picture.box.width() > options.max_size_texels || picture.box.height() > options.max_size_texels)
      return std::unexpected(too_large("a glyph of " + std::to_string(picture.box.width()) + "x" +
                                           std::to_string(picture.box.height()) + " texels does",
                                       options));
    if (picture.texel_count() > kMaxGlyphTexels ||
        picture.texel_count() * static_cast<std::int64_t>(picture.outline.edges.size()) > kMaxGlyphWork) {
      return fail(ErrorCode::kLimit,
                  "a glyph of " + std::to_string(picture.box.width()) + "x" + std::to_string(picture.box.height()) +
                      " texels with " + plural(picture.outline.edges.size(), "edge") + " is too complex",
                  "set a smaller font.size, or leave the glyph out of font.characters");
    }
    rects.push_back(
        {static_cast<std::uint32_t>(picture.box.width()), static_cast<std::uint32_t>(picture.box.height())});
    owners.push_back(i);
  }
  constexpr std::uint32_t kEmptySide = 4;
  if (rects.empty()) return AtlasSize{kEmptySide, kEmptySide};
  const auto size = pack(rects, options.padding_texels, options.max_size_texels);
  if (!size) return std::unexpected(too_large(plural(rects.size(), "glyph") + " do", options));
  for (std::size_t i = 0; i < rects.size(); ++i) pictures[owners[i]].rect = rects[i];
  return *size;
}

hfont::Glyph glyph_of(const scene::FontGlyph& source, const Picture& picture, double units_per_em,
                      const Options& options) {
  hfont::Glyph glyph{.source_glyph = source.source_glyph, .advance = static_cast<float>(source.advance / units_per_em)};
  if (picture.outline.is_empty()) return glyph;
  const auto in_em = [&](std::int64_t texels) {
    return static_cast<float>(static_cast<double>(texels) / options.size_texels);
  };
  glyph.left = in_em(picture.box.left);
  glyph.bottom = in_em(picture.box.bottom);
  glyph.right = in_em(picture.box.right);
  glyph.top = in_em(picture.box.top);
  const auto side = [](std::uint32_t texels) { return static_cast<std::uint16_t>(texels); };
  glyph.atlas = {side(picture.rect.x), side(picture.rect.y), side(picture.rect.width), side(picture.rect.height)};
  return glyph;
}

}  // namespace

Result<CompiledFont> compile(const scene::Font& font, const Options& options) {
  const double units = font.units_per_em;
  const double scale = options.size_texels / units;
  std::vector<Picture> pictures(font.glyphs.size());
  parallel_for(pictures.size(), [&](std::size_t i) {
    Picture& picture = pictures[i];
    picture.outline = prepare_outline(font.glyphs[i], scale);
    if (!picture.outline.is_empty()) picture.box = field_box(picture.outline, options.range_texels);
  });
  ASSETC_TRY(const AtlasSize atlas, place(pictures, options));

  CompiledFont compiled;
  compiled.texels.resize(std::size_t{atlas.width} * atlas.height * 4);
  const std::size_t stride = std::size_t{atlas.width} * 4;
  auto* texels = reinterpret_cast<std::uint8_t*>(compiled.texels.data());
  parallel_for(pictures.size(), [&](std::size_t i) {
    const Picture& picture = pictures[i];
    if (picture.outline.is_empty()) return;
    write_field(picture.outline, picture.box, options.range_texels,
                {texels + picture.rect.y * stride + std::size_t{picture.rect.x} * 4, stride});
  });

  hfont::Model& model = compiled.model;
  const auto in_em = [units](std::int32_t value) { return static_cast<float>(value / units); };
  model.desc = {.texture = 0,
                .atlas_width_texels = atlas.width,
                .atlas_height_texels = atlas.height,
                .size_texels = static_cast<float>(options.size_texels),
                .range_texels = static_cast<float>(options.range_texels),
                .ascender = in_em(font.ascender),
                .descender = in_em(font.descender),
                .line_height = in_em(font.line_height),
                .underline_position = in_em(font.underline_position),
                .underline_thickness = in_em(font.underline_thickness),
                .missing_glyph = 0,
                .units_per_em = font.units_per_em};
  model.name = font.name;
  for (std::size_t i = 0; i < pictures.size(); ++i)
    model.glyphs.push_back(glyph_of(font.glyphs[i], pictures[i], units, options));
  for (const scene::FontCharacter& c : font.characters) model.characters.push_back({c.code_point, c.glyph});
  for (const scene::FontKerning& k : font.kerning) model.kerning.push_back({k.first, k.second, in_em(k.advance)});
  return compiled;
}

}  // namespace assetc::font
