// Lays out text with a compiled font: one rectangle for each glyph, with its place in the atlas.
//
//   ASSETC_TRY(const hfont::View font, hfont::View::open(bytes));
//   const runtime::TextLayout text = runtime::layout_text(font, "Hello", {.size = 24});
//   for (const runtime::TextQuad& quad : text.quads) draw(quad, runtime::screen_range(font, 24));
//
// Characters become glyphs one by one, from left to right, with kerning. Scripts that need shaping (Arabic, Devanagari,
// ligatures, combining marks) need a shaper such as HarfBuzz: Glyph::source_glyph is the number that it uses.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/formats/hfont_view.hpp"
#include "assetc/runtime/handle.hpp"

namespace assetc::runtime {

// A font of a runtime folder.
struct FontData {
  Bytes bytes;
  hfont::View view;
  AssetHandle atlas;  // loaded before the font, as TextureData; nil: the font has none
};

struct TextOptions {
  float size = 16;           // of 1 em, in the unit of the result: pixels
  float line_spacing = 1;    // times the line height of the font
  float letter_spacing = 0;  // added after each glyph, in em
  float max_width = 0;       // lines break at spaces to stay within it, in the unit of the result; 0: no limit
  bool kerning = true;
};

// A glyph. x points right and y points down; (0, 0) is the start of the first baseline. Texture coordinates are from 0
// to 1, and (0, 0) is the first texel of the atlas.
struct TextQuad {
  float left = 0, top = 0, right = 0, bottom = 0;
  float u_left = 0, v_top = 0, u_right = 0, v_bottom = 0;
  std::uint32_t glyph = 0;
  std::uint32_t byte = 0;  // where its character begins in the text
};

struct TextLayout {
  std::vector<TextQuad> quads;  // of glyphs with a picture: not of spaces
  std::uint32_t line_count = 0;
  float width = 0;   // of the longest line: the sum of its advances
  float top = 0;     // of the first line: -ascender
  float bottom = 0;  // of the last line
};

// Lays out UTF-8. '\n' begins a new line; other control characters are ignored. A character that the font does not
// have, and a byte that is not UTF-8, get the font's missing glyph. A word that is wider than max_width stays in one
// line. Thread-safe. Time: linear in the text, times the logarithm of the number of kerning pairs.
TextLayout layout_text(const hfont::View& font, std::string_view utf8, const TextOptions& options = {});

// The range of the distance field in pixels of the screen, for text of this size: what the shader of
// docs/formats/hfont.md multiplies distances by. At least 1, which keeps very small text readable.
float screen_range(const hfont::View& font, float size);

}  // namespace assetc::runtime
