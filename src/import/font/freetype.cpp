// Reads fonts: outlines and metrics with FreeType, kerning with HarfBuzz.
#include <ft2build.h>
#include <hb-ot.h>
#include <hb.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include FT_FREETYPE_H
#include FT_OUTLINE_H

#include "assetc/formats/hfont.hpp"
#include "base/plural.hpp"
#include "formats/text.hpp"
#include "import/font/font.hpp"

namespace assetc::importer {
namespace {

constexpr std::uint32_t kMaxKernedGlyphs = 2048;  // all pairs of them are asked for
constexpr std::uint32_t kMaxSegments = 4096;      // of a glyph

template <class T, auto Destroy>
struct Destroyer {
  void operator()(T* object) const { Destroy(object); }
};
template <class T, auto Destroy>
using Owner = std::unique_ptr<T, Destroyer<T, Destroy>>;

struct ErrorText {
  FT_Error error;
  const char* text;
};
// FT_Error_String has no texts in usual builds, but the header has them.
#undef FTERRORS_H_
#define FT_ERRORDEF(error, value, text) {value, text},
#define FT_ERROR_START_LIST {
#define FT_ERROR_END_LIST \
  {                       \
    0, nullptr            \
  }                       \
  }                       \
  ;
constexpr ErrorText kErrorTexts[] =
#include FT_ERRORS_H

    std::string text_of(FT_Error error) {
  for (const ErrorText& known : kErrorTexts) {
    if (known.error == error && known.text != nullptr) return known.text;
  }
  return "FreeType error " + std::to_string(error);
}

Error damaged_font(std::string what) {
  return {ErrorCode::kInvalidData, {}, {}, std::move(what), "save the font again with a font editor"};
}

// Collects the contours of one outline.
class Collector {
 public:
  Result<std::vector<scene::Contour>> collect(FT_Outline& outline) {
    const FT_Outline_Funcs callbacks{
        .move_to = move_to, .line_to = line_to, .conic_to = conic_to, .cubic_to = cubic_to, .shift = 0, .delta = 0};
    if (const FT_Error error = FT_Outline_Decompose(&outline, &callbacks, this); error != 0 || is_full_) {
      if (!is_full_) return std::unexpected(damaged_font(text_of(error)));
      return fail(ErrorCode::kLimit, "has more than " + std::to_string(kMaxSegments) + " segments",
                  "simplify its outline, or leave it out of font.characters");
    }
    return std::move(contours_);
  }

 private:
  static scene::OutlinePoint point(const FT_Vector* at) {
    return {static_cast<std::int32_t>(at->x), static_cast<std::int32_t>(at->y)};
  }
  static int add(void* self, const scene::OutlineSegment& segment) {
    auto& collector = *static_cast<Collector*>(self);
    if (collector.contours_.empty()) return 1;
    collector.is_full_ = ++collector.segment_count_ > kMaxSegments;
    if (collector.is_full_) return 1;
    collector.contours_.back().segments.push_back(segment);
    return 0;
  }
  static int move_to(const FT_Vector* to, void* self) {
    static_cast<Collector*>(self)->contours_.push_back({point(to), {}});
    return 0;
  }
  static int line_to(const FT_Vector* to, void* self) { return add(self, {.degree = 1, .end = point(to)}); }
  static int conic_to(const FT_Vector* control, const FT_Vector* to, void* self) {
    return add(self, {.degree = 2, .control = {point(control), {}}, .end = point(to)});
  }
  static int cubic_to(const FT_Vector* first, const FT_Vector* second, const FT_Vector* to, void* self) {
    return add(self, {.degree = 3, .control = {point(first), point(second)}, .end = point(to)});
  }

  std::vector<scene::Contour> contours_;
  std::uint32_t segment_count_ = 0;
  bool is_full_ = false;
};

Result<void> load_glyph(FT_Face face, scene::FontGlyph& glyph) {
  // Without scaling, FreeType gives the integers of the font: the same on every machine.
  const FT_Error error =
      FT_Load_Glyph(face, glyph.source_glyph, FT_LOAD_NO_SCALE | FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP);
  const std::string place = "glyph " + std::to_string(glyph.source_glyph);
  if (error != 0) return std::unexpected(damaged_font(place + ": " + text_of(error)));
  glyph.advance = static_cast<std::int32_t>(face->glyph->metrics.horiAdvance);
  if (face->glyph->format != FT_GLYPH_FORMAT_OUTLINE) return {};
  auto contours = Collector().collect(face->glyph->outline);
  if (!contours) {
    Error failed = contours.error();
    failed.what = place + " " + failed.what;
    return std::unexpected(std::move(failed));
  }
  glyph.contours = std::move(*contours);
  return {};
}

using Blob = Owner<hb_blob_t, hb_blob_destroy>;
using HbFace = Owner<hb_face_t, hb_face_destroy>;
using HbFont = Owner<hb_font_t, hb_font_destroy>;
using HbSet = Owner<hb_set_t, hb_set_destroy>;
using HbBuffer = Owner<hb_buffer_t, hb_buffer_destroy>;

constexpr hb_tag_t kKernFeature = HB_TAG('k', 'e', 'r', 'n');

// Asks HarfBuzz for the kerning between pairs of characters.
class Kerner {
 public:
  Kerner(ByteSpan file, std::uint32_t units_per_em)
      : blob_(hb_blob_create(reinterpret_cast<const char*>(file.data()), static_cast<unsigned>(file.size()),
                             HB_MEMORY_MODE_READONLY, nullptr, nullptr)),
        face_(hb_face_create(blob_.get(), 0)),
        font_(hb_font_create(face_.get())),
        buffer_(hb_buffer_create()) {
    hb_font_set_scale(font_.get(), static_cast<int>(units_per_em), static_cast<int>(units_per_em));
    for (const char* feature : {"liga", "clig", "calt", "ccmp", "rlig", "rclt", "locl", "mark", "mkmk"}) {
      hb_feature_t off{};
      off.tag = hb_tag_from_string(feature, -1);
      off.end = HB_FEATURE_GLOBAL_END;
      features_.push_back(off);
    }
  }

  // glyphs and characters: of font, complete. Returns false if too many glyphs take part.
  bool add_pairs(scene::Font& font) {
    struct Kerned {
      std::uint32_t glyph, code_point;
      hb_codepoint_t source_glyph;
      hb_position_t advance;
    };
    const HbSet participants = find_participants();
    std::vector<Kerned> kerned;
    std::vector<bool> is_known(font.glyphs.size());
    for (const scene::FontCharacter& c : font.characters) {
      const hb_codepoint_t source = font.glyphs[c.glyph].source_glyph;
      if (is_known[c.glyph] || !hb_set_has(participants.get(), source) || is_mark(c.code_point)) continue;
      is_known[c.glyph] = true;
      kerned.push_back({c.glyph, c.code_point, source, hb_font_get_glyph_h_advance(font_.get(), source)});
    }
    if (kerned.size() > kMaxKernedGlyphs) return false;
    std::ranges::sort(kerned, {}, &Kerned::glyph);
    for (const Kerned& first : kerned) {
      for (const Kerned& second : kerned) {
        const auto advance = shape({first.code_point, second.code_point}, {first.source_glyph, second.source_glyph});
        if (advance && *advance != first.advance)
          font.kerning.push_back({first.glyph, second.glyph, *advance - first.advance});
      }
    }
    return true;
  }

 private:
  static bool is_mark(hb_codepoint_t code_point) {
    const auto category = hb_unicode_general_category(hb_unicode_funcs_get_default(), code_point);
    return category == HB_UNICODE_GENERAL_CATEGORY_NON_SPACING_MARK ||
           category == HB_UNICODE_GENERAL_CATEGORY_ENCLOSING_MARK;
  }

  // The glyphs that any kerning rule names.
  HbSet find_participants() const {
    HbSet all(hb_set_create());
    const HbSet lookups(hb_set_create());
    const std::array<hb_tag_t, 2> features{kKernFeature, HB_TAG_NONE};
    hb_ot_layout_collect_lookups(face_.get(), HB_OT_TAG_GPOS, nullptr, nullptr, features.data(), lookups.get());
    hb_codepoint_t lookup = HB_SET_VALUE_INVALID;
    while (hb_set_next(lookups.get(), &lookup)) {
      hb_ot_layout_lookup_collect_glyphs(face_.get(), HB_OT_TAG_GPOS, lookup, nullptr, all.get(), nullptr, nullptr);
    }
    const Blob table(hb_face_reference_table(face_.get(), kKernFeature));  // the older table has the same tag
    if (hb_set_is_empty(lookups.get()) && hb_blob_get_length(table.get()) > 0)
      hb_set_add_range(all.get(), 0, hb_face_get_glyph_count(face_.get()));
    return all;
  }

  // The distance between the pens of two characters; empty if the font draws other glyphs for them together.
  std::optional<hb_position_t> shape(const std::array<hb_codepoint_t, 2>& text,
                                     const std::array<hb_codepoint_t, 2>& glyphs) {
    hb_buffer_t* buffer = buffer_.get();
    hb_buffer_clear_contents(buffer);
    hb_buffer_set_flags(buffer, HB_BUFFER_FLAG_PRESERVE_DEFAULT_IGNORABLES);
    hb_buffer_add_codepoints(buffer, text.data(), 2, 0, 2);
    hb_buffer_guess_segment_properties(buffer);
    hb_buffer_set_language(buffer, hb_language_from_string("und", -1));  // not that of the machine
    hb_buffer_set_direction(buffer, HB_DIRECTION_LTR);
    hb_shape(font_.get(), buffer, features_.data(), static_cast<unsigned>(features_.size()));
    unsigned count = 0;
    const hb_glyph_info_t* infos = hb_buffer_get_glyph_infos(buffer, &count);
    if (count != 2 || infos[0].codepoint != glyphs[0] || infos[1].codepoint != glyphs[1]) return std::nullopt;
    // HarfBuzz divides the kerning of the older table between the advance of the first glyph and the place of the
    // second.
    const hb_glyph_position_t* places = hb_buffer_get_glyph_positions(buffer, &count);
    return places[0].x_advance - places[0].x_offset + places[1].x_offset;
  }

  Blob blob_;
  HbFace face_;
  HbFont font_;
  HbBuffer buffer_;
  std::vector<hb_feature_t> features_;
};

Result<void> read_metrics(FT_Face face, scene::Font& font) {
  if ((face->face_flags & FT_FACE_FLAG_SCALABLE) == 0)
    return fail(ErrorCode::kInvalidData, "the font has only bitmaps", "use a font with outlines");
  if (face->units_per_EM == 0) return std::unexpected(damaged_font("the font has 0 units per em"));
  font.units_per_em = face->units_per_EM;
  font.ascender = face->ascender;
  font.descender = face->descender;
  font.line_height = face->height;
  font.underline_position = face->underline_position;
  font.underline_thickness = face->underline_thickness;
  font.name = face->family_name == nullptr ? "" : face->family_name;
  if (face->style_name != nullptr && !font.name.empty()) font.name.append(" ").append(face->style_name);
  if (!formats::is_utf8(font.name) || font.name.size() > hfont::kMaxNameBytes) font.name.clear();
  return {};
}

}  // namespace

Result<scene::Font> read_font_here(ByteSpan file, std::span<const std::uint32_t> characters) {
  FT_Library library = nullptr;
  if (FT_Init_FreeType(&library) != 0) return fail(ErrorCode::kLimit, "FreeType cannot start: memory is full");
  const Owner<std::remove_pointer_t<FT_Library>, FT_Done_FreeType> owned_library(library);
  FT_Face face = nullptr;
  if (const FT_Error error = FT_New_Memory_Face(library, reinterpret_cast<const FT_Byte*>(file.data()),
                                                static_cast<FT_Long>(file.size()), 0, &face);
      error != 0) {
    return std::unexpected(damaged_font("FreeType cannot open the font: " + text_of(error)));
  }
  const Owner<std::remove_pointer_t<FT_Face>, FT_Done_Face> owned_face(face);
  scene::Font font;
  ASSETC_CHECK(read_metrics(face, font));
  if (FT_Select_Charmap(face, FT_ENCODING_UNICODE) != 0)
    return fail(ErrorCode::kUnsupported, "the font has no table of Unicode characters", "use a Unicode font");

  font.glyphs.push_back({});  // the glyph 0 of the source
  std::map<std::uint32_t, std::uint32_t> numbers{{0, 0}};
  for (const std::uint32_t code_point : characters) {
    const FT_UInt source = FT_Get_Char_Index(face, code_point);
    if (source == 0) {
      font.missing.push_back(code_point);
      continue;
    }
    const auto [at, is_new] = numbers.emplace(source, static_cast<std::uint32_t>(font.glyphs.size()));
    if (is_new) font.glyphs.push_back({.source_glyph = source, .advance = 0, .contours = {}});
    font.characters.push_back({code_point, at->second});
  }
  if (font.glyphs.size() > hfont::kMaxGlyphs) {
    return fail(
        ErrorCode::kLimit,
        "found " + plural(font.glyphs.size(), "glyph") + ", expected at most " + std::to_string(hfont::kMaxGlyphs),
        "choose fewer characters with font.characters");
  }
  for (scene::FontGlyph& glyph : font.glyphs) ASSETC_CHECK(load_glyph(face, glyph));
  if (!Kerner(file, font.units_per_em).add_pairs(font)) {
    return fail(ErrorCode::kLimit,
                "kerning names more than " + std::to_string(kMaxKernedGlyphs) + " of the chosen glyphs",
                "choose fewer characters with font.characters");
  }
  return font;
}

std::string font_libraries() {
  FT_Library library = nullptr;
  std::string version = "none";
  if (FT_Init_FreeType(&library) == 0) {
    FT_Int major = 0, minor = 0, patch = 0;
    FT_Library_Version(library, &major, &minor, &patch);
    FT_Done_FreeType(library);
    version = std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
  }
  return "freetype=" + version + "\nharfbuzz=" + hb_version_string() + "\n";
}

}  // namespace assetc::importer
