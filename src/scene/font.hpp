// The result of a font importer: outlines and metrics in font units. +Y is up, and the baseline is at 0.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scene/left_out.hpp"

namespace assetc::scene {

struct OutlinePoint {
  std::int32_t x = 0, y = 0;
  bool operator==(const OutlinePoint&) const = default;
};

// A curve from the end of the one before it: a line, or a Bézier curve of degree 2 or 3.
struct OutlineSegment {
  std::uint32_t degree = 1;   // 1 to 3
  OutlinePoint control[2]{};  // degree - 1 of them
  OutlinePoint end{};
  bool operator==(const OutlineSegment&) const = default;
};

// A closed path: the last segment ends at the start.
struct Contour {
  OutlinePoint start{};
  std::vector<OutlineSegment> segments;
  bool operator==(const Contour&) const = default;
};

struct FontGlyph {
  std::uint32_t source_glyph = 0;
  std::int32_t advance = 0;
  std::vector<Contour> contours;  // filled where the winding number is not 0
};

struct FontCharacter {
  std::uint32_t code_point = 0;
  std::uint32_t glyph = 0;  // index of Font::glyphs
};

struct FontKerning {
  std::uint32_t first = 0, second = 0;  // indices of Font::glyphs
  std::int32_t advance = 0;
};

struct Font {
  std::string name;
  std::uint32_t units_per_em = 0;
  std::int32_t ascender = 0, descender = 0, line_height = 0;
  std::int32_t underline_position = 0, underline_thickness = 0;
  std::vector<FontGlyph> glyphs;          // the first is drawn for missing characters
  std::vector<FontCharacter> characters;  // ascending
  std::vector<FontKerning> kerning;       // ascending by first, then second
  std::vector<std::uint32_t> missing;     // characters that were asked for and that the font does not have, ascending
  std::vector<LeftOut> left_out;          // by import_font() alone
};

}  // namespace assetc::scene
