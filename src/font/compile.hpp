// Compiles a font to a multi-channel distance-field atlas.
#pragma once

#include <cstdint>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/hfont.hpp"
#include "scene/font.hpp"

namespace assetc::font {

struct Options {
  double size_texels = 40;           // per em
  double range_texels = 4;           // between the values 0 and 1
  std::uint32_t padding_texels = 1;  // between glyphs
  std::uint32_t max_size_texels = 4096;
};

struct CompiledFont {
  hfont::Model model;  // without its texture
  ByteVector texels;   // RGBA8: rows of the atlas from top to bottom
};

// Makes the distance field of every glyph, in parallel in the caller's TBB arena, and places them in one atlas. The
// same input gives the same bytes on every machine. Thread-safe.
// Errors: kLimit if the glyphs do not fit an atlas of max_size_texels.
Result<CompiledFont> compile(const scene::Font& font, const Options& options);

}  // namespace assetc::font
