// .hfont.
#include "assetc/formats/hfont_view.hpp"
#include "filetypes/readers.hpp"

namespace assetc::filetypes {
namespace {

FileContent describe(const hfont::View& font) {
  const hfont::FontDesc& desc = font.desc();
  return FontInfo{.name = std::string(font.name()),
                  .glyphs = static_cast<std::uint32_t>(font.glyphs().size()),
                  .characters = static_cast<std::uint32_t>(font.characters().size()),
                  .kerning_pairs = static_cast<std::uint32_t>(font.kerning().size()),
                  .atlas_width_texels = desc.atlas_width_texels,
                  .atlas_height_texels = desc.atlas_height_texels,
                  .size_texels = static_cast<double>(desc.size_texels),
                  .range_texels = static_cast<double>(desc.range_texels)};
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
