// Any bytes: open() refuses them or returns a view whose accessors all stay inside them.
#include "assetc/formats/hfont.hpp"
#include "assetc/runtime/text.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  const ByteSpan file = fuzz::bytes(data, size);
  const auto view = hfont::View::open(file);
  if (!view) return 0;
  fuzz::touch(std::as_bytes(view->glyphs()));
  fuzz::touch(as_bytes(view->name()));
  for (const hfont::Character& c : view->characters()) fuzz::require(view->find_glyph(c.code_point) == c.glyph);
  for (const hfont::KerningPair& pair : view->kerning()) (void)view->kerning(pair.first, pair.second);
  // The file itself as text, which is rarely UTF-8.
  for (const runtime::TextQuad& quad : runtime::layout_text(*view, as_text(file), {.max_width = 100}).quads)
    fuzz::require(quad.glyph < view->glyphs().size());
  return 0;
}
