#include "import/font/message.hpp"

#include <tuple>
#include <utility>

namespace assetc::importer {
namespace {

using process::MessageReader;
using process::MessageWriter;
using scene::OutlinePoint;

constexpr std::uint32_t kMaxDegree = 3;

// The number of items that follow, each of at least least_bytes.
std::uint32_t item_count(MessageReader& from, std::size_t least_bytes) {
  const auto count = from.number<std::uint32_t>();
  if (from.ok() && count <= from.left() / least_bytes) return count;
  from.refuse();
  return 0;
}

void write_outline(MessageWriter& to, const scene::FontGlyph& glyph) {
  to.number(glyph.source_glyph).number(glyph.advance).number(static_cast<std::uint32_t>(glyph.contours.size()));
  for (const scene::Contour& contour : glyph.contours) {
    to.number(contour.start).number(static_cast<std::uint32_t>(contour.segments.size()));
    for (const scene::OutlineSegment& segment : contour.segments) {
      to.number(segment.degree);
      for (std::uint32_t c = 0; c + 1 < segment.degree; ++c) to.number(segment.control[c]);
      to.number(segment.end);
    }
  }
}

scene::FontGlyph read_outline(MessageReader& from) {
  scene::FontGlyph glyph;
  glyph.source_glyph = from.number<std::uint32_t>();
  glyph.advance = from.number<std::int32_t>();
  glyph.contours.resize(item_count(from, sizeof(OutlinePoint) + 4));
  for (scene::Contour& contour : glyph.contours) {
    contour.start = from.number<OutlinePoint>();
    contour.segments.resize(item_count(from, sizeof(OutlinePoint) + 4));
    for (scene::OutlineSegment& segment : contour.segments) {
      segment.degree = from.number<std::uint32_t>();
      if (segment.degree < 1 || segment.degree > kMaxDegree) return from.refuse(), glyph;
      for (std::uint32_t c = 0; c + 1 < segment.degree; ++c) segment.control[c] = from.number<OutlinePoint>();
      segment.end = from.number<OutlinePoint>();
    }
  }
  return glyph;
}

bool follows_rules(const scene::Font& font) {
  if (font.glyphs.empty() || font.units_per_em == 0 || font.units_per_em > 0xFFFF) return false;
  for (std::size_t i = 0; i < font.characters.size(); ++i) {
    if (font.characters[i].glyph >= font.glyphs.size()) return false;
    if (i > 0 && font.characters[i - 1].code_point >= font.characters[i].code_point) return false;
  }
  const auto key = [](const scene::FontKerning& pair) { return std::pair(pair.first, pair.second); };
  for (std::size_t i = 0; i < font.kerning.size(); ++i) {
    if (font.kerning[i].first >= font.glyphs.size() || font.kerning[i].second >= font.glyphs.size()) return false;
    if (i > 0 && key(font.kerning[i - 1]) >= key(font.kerning[i])) return false;
  }
  return true;
}

}  // namespace

void write_font(MessageWriter& to, const scene::Font& font) {
  to.text(font.name).number(font.units_per_em).number(font.ascender).number(font.descender).number(font.line_height);
  to.number(font.underline_position).number(font.underline_thickness);
  to.number(static_cast<std::uint32_t>(font.glyphs.size()));
  for (const scene::FontGlyph& glyph : font.glyphs) write_outline(to, glyph);
  to.number(static_cast<std::uint32_t>(font.characters.size()));
  for (const scene::FontCharacter& character : font.characters) to.number(character);
  to.number(static_cast<std::uint32_t>(font.kerning.size()));
  for (const scene::FontKerning& pair : font.kerning) to.number(pair);
  to.number(static_cast<std::uint32_t>(font.missing.size()));
  for (const std::uint32_t code_point : font.missing) to.number(code_point);
}

Result<scene::Font> read_font(MessageReader& from) {
  constexpr std::size_t kLeastGlyphBytes = 12;
  scene::Font font;
  font.name = from.text();
  font.units_per_em = from.number<std::uint32_t>();
  font.ascender = from.number<std::int32_t>();
  font.descender = from.number<std::int32_t>();
  font.line_height = from.number<std::int32_t>();
  font.underline_position = from.number<std::int32_t>();
  font.underline_thickness = from.number<std::int32_t>();
  const std::uint32_t glyph_count = item_count(from, kLeastGlyphBytes);
  font.glyphs.reserve(glyph_count);
  for (std::uint32_t i = 0; i < glyph_count && from.ok(); ++i) font.glyphs.push_back(read_outline(from));
  font.characters.resize(item_count(from, sizeof(scene::FontCharacter)));
  for (scene::FontCharacter& character : font.characters) character = from.number<scene::FontCharacter>();
  font.kerning.resize(item_count(from, sizeof(scene::FontKerning)));
  for (scene::FontKerning& pair : font.kerning) pair = from.number<scene::FontKerning>();
  font.missing.resize(item_count(from, sizeof(std::uint32_t)));
  for (std::uint32_t& code_point : font.missing) code_point = from.number<std::uint32_t>();
  if (!from.ok() || !follows_rules(font))
    return fail(ErrorCode::kInvalidData, "the answer of the font reader cannot be read");
  return font;
}

}  // namespace assetc::importer
