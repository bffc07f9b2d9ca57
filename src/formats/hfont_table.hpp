// The table of .hfont: docs/formats/hfont.md. Internal to its reader and writer.
#pragma once

#include "assetc/formats/hfont.hpp"
#include "formats/table.hpp"

namespace assetc::hfont {

inline constexpr chunks::Format kFormat{kMagic, "hfont"};

namespace table {

using namespace formats;
using formats::Field, formats::Record, formats::Size;
using enum Type;
using enum Rule;

// The arrays of a font.
enum Count : std::uint8_t { kGlyphs, kCharacters, kPairs };
inline constexpr std::string_view kCountNames[] = {"glyphs", "characters", "pairs"};

inline constexpr Field kFontFields[] = {
    {"texture", kU64},
    {"atlas_width_texels", kU32, 1, kRange, 1, kMaxAtlasSide, "width of the atlas"},
    {"atlas_height_texels", kU32, 1, kRange, 1, kMaxAtlasSide, "height of the atlas"},
    {"size_texels", kF32, 1, kFinite, 0, 0, "size"},    // and above 0: check_font()
    {"range_texels", kF32, 1, kFinite, 0, 0, "range"},  // and above 0: check_font()
    {"ascender", kF32, 1, kFinite},
    {"descender", kF32, 1, kFinite},
    {"line_height", kF32, 1, kFinite, 0, 0, "line height"},
    {"underline_position", kF32, 1, kFinite, 0, 0, "underline position"},
    {"underline_thickness", kF32, 1, kFinite, 0, 0, "underline thickness"},
    {"missing_glyph", kU32, 1, kIndex, kGlyphs, 0, "glyph"},
    {"units_per_em", kU32, 1, kRange, 1, 65535, "units per em"},
    {"reserved", kU8, 12, kZero},
};
inline constexpr Record kFont{"font", kFontFields, true};

inline constexpr Field kGlyphFields[] = {
    {"source_glyph", kU32},       {"advance", kF32, 1, kFinite},
    {"left", kF32, 1, kFinite},  // the sides in order: check_glyphs()
    {"bottom", kF32, 1, kFinite}, {"right", kF32, 1, kFinite},
    {"top", kF32, 1, kFinite},    {"atlas", kU16, 4},  // x, y, width, height: check_glyphs()
};
inline constexpr Record kGlyph{"glyph", kGlyphFields};

inline constexpr Field kCharacterFields[] = {
    {"code_point", kU32, 1, kRange, 0, 0x10FFFF, "code point"},  // no surrogates, ascending: check_characters()
    {"glyph", kU32, 1, kIndex, kGlyphs},
};
inline constexpr Record kCharacter{"character", kCharacterFields};

inline constexpr Field kPairFields[] = {
    {"first", kU32, 1, kIndex, kGlyphs, 0, "glyph"},  // pairs ascend: check_kerning()
    {"second", kU32, 1, kIndex, kGlyphs, 0, "glyph"},
    {"advance", kF32, 1, kFinite},
};
inline constexpr Record kPair{"kerning pair", kPairFields};

// The chunks, in the order in which they are written. A number of this list is that of a row of OpenChunks.
enum Chunk : std::size_t { kFontChunk, kGlyphChunk, kCharacterChunk, kKerningChunk, kNameChunk };
inline constexpr ChunkRow kChunks[] = {
    {fourcc("DESC"), &kFont, Size::kOne, kNoCount, true},
    {fourcc("GLYF"), &kGlyph, Size::kFree, kGlyphs, true},
    {fourcc("CMAP"), &kCharacter, Size::kFree, kCharacters},
    {fourcc("KERN"), &kPair, Size::kFree, kPairs},
    {fourcc("NAME"), nullptr, Size::kPart},  // text: check_name()
};

static_assert(kFont.size_bytes == sizeof(FontDesc) && kGlyph.size_bytes == sizeof(Glyph));
static_assert(kCharacter.size_bytes == sizeof(Character) && kPair.size_bytes == sizeof(KerningPair));

}  // namespace table
}  // namespace assetc::hfont
