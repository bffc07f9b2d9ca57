// Renders pictures of text from the atlas of a compiled font, as a shader draws it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"
#include "assetc/formats/hfont_view.hpp"
#include "scene/image.hpp"

namespace assetc::render {

struct TextPictureOptions {
  float size_texels = 48;           // of 1 em, above 0
  std::uint32_t margin_texels = 8;  // around the text
};

// How much of a texel the text covers, 0 to 1: rows from top to bottom.
struct TextCoverage {
  std::uint32_t width_texels = 0;
  std::uint32_t height_texels = 0;
  std::vector<float> values;
};

// Lays out text (runtime/text.hpp) and draws it by the rule of docs/formats/hfont.md: one bilinear sample of the atlas
// for each texel, and the median of three channels. The left margin ends at the start of the baseline.
// atlas: the texels of the font's texture. Thread-safe.
// Errors: kInvalidData if the atlas has another size than the font says; kLimit for a side above kMaxRenderSide.
Result<TextCoverage> cover_text(const hfont::View& font, const scene::Image& atlas, std::string_view utf8,
                                const TextPictureOptions& options);

// The same as black text on white, 8-bit sRGB.
Result<scene::Image> render_text(const hfont::View& font, const scene::Image& atlas, std::string_view utf8,
                                 const TextPictureOptions& options);

}  // namespace assetc::render
