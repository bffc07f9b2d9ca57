// Fonts: a multi-channel distance-field atlas, and a file with its glyphs.
#include "import/font/font.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "assetc/formats/hfont.hpp"
#include "base/plural.hpp"
#include "font/compile.hpp"
#include "formats/text.hpp"
#include "recipes/recipe.hpp"
#include "recipes/texture/picture.hpp"
#include "texture/libraries.hpp"

namespace assetc::recipes {
namespace {

constexpr std::array kFontClaims{Claim{.suffix = ".ttf", .strip = ".ttf"}, Claim{.suffix = ".otf", .strip = ".otf"}};
constexpr std::array<std::string_view, 1> kFontGroups{"font"};
constexpr std::string_view kAtlasName = ".atlas";
constexpr std::uint32_t kFirstSurrogate = 0xD800, kLastSurrogate = 0xDFFF;

// The code points of UTF-8 text.
template <class Take>
void each_code_point(std::string_view text, Take take) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    std::uint32_t code_point = length == 1 ? lead : lead & (0x7Fu >> length);
    for (std::size_t k = 1; k < length; ++k)
      code_point = code_point << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3Fu);
    take(code_point);
    i += length;
  }
}

// The characters of the texts, except for those that draw nothing.
Result<std::set<std::uint32_t>> characters_of_texts(const TextFiles& files, Inputs& inputs) {
  constexpr std::uint32_t kFirstDrawn = 0x20, kDelete = 0x7F, kByteOrderMark = 0xFEFF;
  std::set<std::uint32_t> characters;
  for (const std::string& path : files.paths) {
    const auto bytes = inputs.read(path);
    if (!bytes) {
      Error error = bytes.error();
      if (error.hint.empty()) error.hint = "correct font.strings: its paths begin at the input folder";
      return std::unexpected(std::move(error).in(path));
    }
    const std::string_view text = as_text(*bytes);
    if (!formats::is_utf8(text)) {
      return std::unexpected(Error{ErrorCode::kInvalidData, path, {}, "the text is not UTF-8", "save it as UTF-8"});
    }
    each_code_point(text, [&](std::uint32_t c) {
      if (c >= kFirstDrawn && c != kDelete && c != kByteOrderMark) characters.insert(c);
    });
  }
  return characters;
}

std::string name_characters(std::span<const std::uint32_t> characters) {
  constexpr std::size_t kMostNamed = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(characters.size(), kMostNamed); ++i)
    text.append(text.empty() ? "" : ", ").append(print(CharacterRanges{{{characters[i], characters[i]}}}));
  return characters.size() > kMostNamed ? text + " …" : text;
}

Result<void> add_atlas(const font::CompiledFont& compiled, ByteVector texels, const Step& step, Product& product) {
  texture::EncodedTexture atlas;
  atlas.format = TexelFormat::kRgba8;
  atlas.width_texels = compiled.model.desc.atlas_width_texels;
  atlas.height_texels = compiled.model.desc.atlas_height_texels;
  atlas.zstd_level = texture::zstd_level_of(atlas.format, 0);
  ASSETC_CHECK(atlas.add_level(std::move(texels)));
  return add_texture(atlas, step, product, kAtlasName);
}

Result<Product> cook_font(const Step& step, Inputs& inputs) {
  const FontSettings& settings = step.settings.font;
  ASSETC_TRY(const std::set<std::uint32_t> needed, characters_of_texts(settings.strings, inputs));
  std::set<std::uint32_t> all = needed;
  for (const CharacterRange& range : settings.characters.ranges) {
    for (std::uint32_t c = range.first; c <= range.last; ++c) {
      if (c < kFirstSurrogate || c > kLastSurrogate) all.insert(all.end(), c);
    }
  }
  if (all.empty()) {
    return fail(ErrorCode::kUsage, "font.characters and font.strings name no characters",
                "set one of them, for example font.characters: U+20-U+7E");
  }
  ASSETC_TRY(const Bytes file, step.input(inputs));
  const std::vector<std::uint32_t> characters(all.begin(), all.end());
  ASSETC_TRY(const scene::Font source, importer::import_font(file, characters));
  if (source.characters.empty()) {
    return fail(ErrorCode::kInvalidData,
                "the font has none of the " + plural(characters.size(), "character") + " that the settings choose",
                "set font.characters or font.strings");
  }
  Product product;
  std::vector<std::uint32_t> lacked;
  std::ranges::set_intersection(source.missing, needed, std::back_inserter(lacked));
  for (const scene::LeftOut& left : source.left_out) {
    product.diagnostics.push_back(
        warning(WarningKind::kDroppedContent, ErrorCode::kUnsupported, "", "dropped: " + left.what, left.hint));
  }
  if (!lacked.empty()) {
    product.diagnostics.push_back(
        warning(WarningKind::kMissingCharacters, ErrorCode::kNotFound, "",
                "the font lacks " + plural(lacked.size(), "character") + " of font.strings: " + name_characters(lacked),
                "use a font with these characters, or remove them from the texts"));
  }
  ASSETC_TRY(font::CompiledFont compiled, font::compile(source, {.size_texels = settings.size_texels,
                                                                 .range_texels = settings.range_texels,
                                                                 .padding_texels = settings.padding_texels,
                                                                 .max_size_texels = settings.max_size_texels}));
  compiled.model.desc.texture = inputs.ref(step.stem + std::string(kAtlasName));
  ASSETC_TRY(ByteVector bytes, hfont::write(compiled.model));
  product.outputs.push_back({".hfont", Bytes(std::move(bytes)), {AssetKind::kFont}});
  ASSETC_CHECK(add_atlas(compiled, std::move(compiled.texels), step, product));
  return product;
}

// The file in two processes, the outlines, and the atlas three times: as texels, compressed and in the file.
std::uint64_t font_peak_bytes(const Step& step, Inputs& inputs) {
  constexpr std::uint64_t kUsualBytes = 64u << 20;
  const FontSettings& settings = step.settings.font;
  std::uint64_t glyph_count = 1;
  for (const CharacterRange& range : settings.characters.ranges) glyph_count += range.last - range.first + 1;
  const double side = settings.size_texels + settings.range_texels + 1;
  const std::uint64_t atlas =
      std::min<std::uint64_t>(glyph_count, hfont::kMaxGlyphs) * static_cast<std::uint64_t>(side * side) * 4;
  const std::uint64_t most = std::uint64_t{settings.max_size_texels} * settings.max_size_texels * 4;
  const auto head = step.head(inputs, 4);
  return head ? 4 * head->size() + kUsualBytes + 3 * std::min(atlas, most) : 0;
}

std::string font_libraries() { return importer::font_libraries() + texture::libraries(); }

}  // namespace

extern const Recipe kFontRecipe;
constinit const Recipe kFontRecipe{.name = "font",
                                   .version = 1,
                                   .claims = kFontClaims,
                                   .setting_groups = kFontGroups,
                                   .stem_matters = true,
                                   .cook = cook_font,
                                   .estimate_peak_bytes = font_peak_bytes,
                                   .libraries = font_libraries};

}  // namespace assetc::recipes
