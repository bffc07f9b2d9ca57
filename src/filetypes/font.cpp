// .hfont.
#include "assetc/formats/hfont_view.hpp"
#include "filetypes/readers.hpp"
#include "text/format.hpp"

namespace assetc::filetypes {
namespace {

FileContent describe(const hfont::View& font) {
  const hfont::FontDesc& desc = font.desc();
  Facts facts;
  facts.add("name", std::string(font.name()), formatted("\"{}\"", font.name()));
  facts.count("characters", font.characters().size(), "character").count("glyphs", font.glyphs().size(), "glyph");
  facts.count("kerning_pairs", font.kerning().size(), "kerning pair");
  facts.add("width", std::uint64_t{desc.atlas_width_texels},
            formatted("atlas {}x{}", desc.atlas_width_texels, desc.atlas_height_texels));
  facts.add("height", std::uint64_t{desc.atlas_height_texels});
  facts.add("size", double{desc.size_texels}, formatted("{} texels per em", double{desc.size_texels}));
  facts.add("range", double{desc.range_texels}, formatted("range {}", double{desc.range_texels}));
  return facts;
}

Result<References> atlas_reference(ByteSpan file) {
  ASSETC_TRY(const hfont::View font, hfont::View::open(file));
  References out;
  if (font.desc().texture != 0) out.textures.push_back({"font", "atlas", font.desc().texture});
  return out;
}

}  // namespace

constinit const Reader kHfontReader{
    .open = open_with<hfont::View>, .inspect = inspect_with<hfont::View, describe>, .references = atlas_reference};

}  // namespace assetc::filetypes
