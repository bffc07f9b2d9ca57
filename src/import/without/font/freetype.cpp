// Replaces font/freetype.cpp if ASSETC_FONTS is off.
#include "import/font/font.hpp"

namespace assetc::importer {

Result<scene::Font> read_font_here(ByteSpan, std::span<const std::uint32_t>) {
  return fail(ErrorCode::kUnsupported, "this assetc was built without fonts", "build it with -DASSETC_FONTS=ON");
}

std::string font_libraries() { return "freetype=none\nharfbuzz=none\n"; }

}  // namespace assetc::importer
