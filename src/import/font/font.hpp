// Imports TrueType and OpenType fonts: outlines, metrics and kerning of some characters.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "process/child.hpp"
#include "scene/font.hpp"

namespace assetc::importer {

// The process in which FreeType and HarfBuzz read one font. For process::run_as.
extern const process::Role kFontReader;

inline constexpr process::Limits kFontLimits{.memory_bytes = 2ull << 30, .processor_seconds = 60};

// Reads the glyphs of the given characters, which are ascending code points, from a .ttf or .otf.
//
// If the platform allows it (process::can_start), FreeType and HarfBuzz run in a separate process with limits. It gets
// only the bytes of the file, and its result is checked here.
//
// The first glyph is the one that the font draws for missing characters. Characters share a glyph where they do so in
// the font. Kerning is that of GPOS, or of the table kern, between two characters without a shaper: no ligatures, no
// contextual forms. A variable font is read in its default instance, and glyphs in color by their outlines;
// Font::left_out says so.
//
// Errors name no place in the file. kTruncated: cut short. kInvalidData: not a font, damaged, or without outlines.
// kUnsupported: WOFF, a collection, or assetc was built without FreeType. kLimit and kInvalidData also occur if the
// process reached a limit or crashed. Thread-safe.
Result<scene::Font> import_font(ByteSpan file, std::span<const std::uint32_t> characters,
                                const process::Limits& limits = kFontLimits);

// Reads the file in this process.
Result<scene::Font> read_font_here(ByteSpan file, std::span<const std::uint32_t> characters);

// The libraries that read fonts: one line "name=version" each; "none" if the build leaves them out.
std::string font_libraries();

}  // namespace assetc::importer
