#include "assetc/runtime/text.hpp"

#include <algorithm>

namespace assetc::runtime {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

// The character at the front of the text, and its length in bytes.
struct Decoded {
  char32_t code_point;
  std::size_t bytes;
};

// Source: RFC 3629. A byte that begins no character counts as one replacement character.
Decoded decode(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 && lead < 0xF5   ? 4
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                                                           : 0;
  if (length == 0 || length > text.size()) return {kReplacement, 1};
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  char32_t code_point = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {kReplacement, 1};
    code_point = code_point << 6 | (byte(i) & 0x3Fu);
  }
  if (code_point < kLeast[length] || code_point > 0x10FFFF || (code_point >= 0xD800 && code_point <= 0xDFFF))
    return {kReplacement, 1};
  return {code_point, length};
}

// Places glyphs line by line.
class Layouter {
 public:
  Layouter(const hfont::View& font, const TextOptions& options) : font_(font), options_(options) {}

  TextLayout lay_out(std::string_view utf8) {
    for (std::size_t at = 0; at < utf8.size();) {
      const Decoded decoded = decode(utf8.substr(at));
      if (decoded.code_point == U'\n') {
        end_line();
        begin_line();
      } else if (decoded.code_point >= U' ' && decoded.code_point != 0x7F) {
        add(decoded.code_point, static_cast<std::uint32_t>(at));
      }
      at += decoded.bytes;
    }
    end_line();
    const hfont::FontDesc& desc = font_.desc();
    result_.top = -desc.ascender * options_.size;
    result_.bottom = baseline_ - desc.descender * options_.size;
    result_.line_count = line_count_;
    return std::move(result_);
  }

 private:
  static constexpr std::uint32_t kNoGlyph = 0xFFFFFFFF;
  static constexpr std::size_t kNoBreak = static_cast<std::size_t>(-1);

  void add(char32_t code_point, std::uint32_t byte) {
    const std::uint32_t index = font_.find_glyph(code_point);
    const hfont::Glyph& glyph = font_.glyphs()[index];
    if (options_.kerning && previous_ != kNoGlyph) pen_ += font_.kerning(previous_, index) * options_.size;
    const float advance = (glyph.advance + options_.letter_spacing) * options_.size;
    const bool is_space = code_point == U' ';
    if (options_.max_width > 0 && !is_space && pen_ + advance > options_.max_width && break_quad_ != kNoBreak) wrap();
    if (is_space) {
      break_width_ = pen_;
      break_quad_ = result_.quads.size();
    }
    if (glyph.is_drawn()) add_quad(glyph, index, byte);
    pen_ += advance;
    if (is_space) after_break_ = pen_;
    previous_ = index;
  }

  void add_quad(const hfont::Glyph& glyph, std::uint32_t index, std::uint32_t byte) {
    const hfont::FontDesc& desc = font_.desc();
    const float s = options_.size;
    const float u = 1.0f / static_cast<float>(desc.atlas_width_texels),
                v = 1.0f / static_cast<float>(desc.atlas_height_texels);
    const hfont::AtlasRect& a = glyph.atlas;
    result_.quads.push_back({.left = pen_ + glyph.left * s,
                             .top = baseline_ - glyph.top * s,
                             .right = pen_ + glyph.right * s,
                             .bottom = baseline_ - glyph.bottom * s,
                             .u_left = static_cast<float>(a.x) * u,
                             .v_top = static_cast<float>(a.y) * v,
                             .u_right = static_cast<float>(a.x + a.width) * u,
                             .v_bottom = static_cast<float>(a.y + a.height) * v,
                             .glyph = index,
                             .byte = byte});
  }

  // Moves the word after the last space to a new line.
  void wrap() {
    const float line_height = step();
    for (std::size_t i = break_quad_; i < result_.quads.size(); ++i) {
      TextQuad& quad = result_.quads[i];
      quad.left -= after_break_;
      quad.right -= after_break_;
      quad.top += line_height;
      quad.bottom += line_height;
    }
    result_.width = std::max(result_.width, break_width_);
    pen_ -= after_break_;
    baseline_ += line_height;
    ++line_count_;
    break_quad_ = kNoBreak;
  }

  void end_line() { result_.width = std::max(result_.width, pen_); }

  void begin_line() {
    baseline_ += step();
    ++line_count_;
    pen_ = 0;
    previous_ = kNoGlyph;
    break_quad_ = kNoBreak;
  }

  float step() const { return font_.desc().line_height * options_.line_spacing * options_.size; }

  const hfont::View& font_;
  const TextOptions& options_;
  TextLayout result_;
  float pen_ = 0, baseline_ = 0;
  std::uint32_t line_count_ = 1;
  std::uint32_t previous_ = kNoGlyph;
  std::size_t break_quad_ = kNoBreak;        // the first quad after the last space of the line
  float break_width_ = 0, after_break_ = 0;  // the pen before and after that space
};

}  // namespace

TextLayout layout_text(const hfont::View& font, std::string_view utf8, const TextOptions& options) {
  return Layouter(font, options).lay_out(utf8);
}

float screen_range(const hfont::View& font, float size) {
  const hfont::FontDesc& desc = font.desc();
  return std::max(1.0f, desc.range_texels * size / desc.size_texels);
}

}  // namespace assetc::runtime
