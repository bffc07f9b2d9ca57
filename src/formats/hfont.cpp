#include <algorithm>
#include <tuple>

#include "formats/hfont_table.hpp"
#include "formats/hmesh/rules.hpp"
#include "formats/text.hpp"

namespace assetc::hfont {

using namespace formats;

// Opens one file. The table has the rules of single records, and the functions below rely on them.
class Opener {
 public:
  explicit Opener(ByteSpan file) : file_(file), place_(file) {}

  Result<View> open() {
    ASSETC_TRY(const auto chunk_table, chunks::open_table(file_, kVersion, kFormat));
    ASSETC_TRY(chunks_, open_chunks(table::kChunks, file_, chunk_table, context_.counts));
    view_.desc_ = chunks_.rows<FontDesc>(table::kFontChunk).data();
    view_.glyphs_ = chunks_.rows<Glyph>(table::kGlyphChunk);
    view_.characters_ = chunks_.rows<Character>(table::kCharacterChunk);
    view_.kerning_ = chunks_.rows<KerningPair>(table::kKerningChunk);
    view_.name_ = as_text(chunks_.payloads[table::kNameChunk]);
    if (view_.glyphs_.empty() || view_.glyphs_.size() > kMaxGlyphs) {
      return invalid(chunks_.place(table::kGlyphChunk),
                     message("found ", counted(view_.glyphs_.size(), "glyph"), ", expected 1 to ", kMaxGlyphs));
    }
    ASSETC_CHECK(check_chunks(table::kChunks, chunks_, context_));
    ASSETC_CHECK(check_name());
    ASSETC_CHECK(check_font());
    ASSETC_CHECK(check_glyphs());
    ASSETC_CHECK(check_characters());
    ASSETC_CHECK(check_kerning());
    return std::move(view_);
  }

 private:
  Result<void> check_name() const {
    const std::uint64_t place = chunks_.place(table::kNameChunk);
    if (view_.name_.size() > kMaxNameBytes) {
      return invalid(place, message("found a name of ", counted(view_.name_.size(), "byte"), ", expected at most ",
                                    kMaxNameBytes));
    }
    if (!is_utf8(view_.name_)) return invalid(place, "the name is not UTF-8");
    return {};
  }

  Result<void> check_font() const {
    const FontDesc& d = *view_.desc_;
    if (d.size_texels <= 0)
      return invalid(place_(d.size_texels), message("found a size of ", d.size_texels, ", expected more than 0"));
    if (d.range_texels <= 0)
      return invalid(place_(d.range_texels), message("found a range of ", d.range_texels, ", expected more than 0"));
    return {};
  }

  Result<void> check_glyphs() const {
    const FontDesc& d = *view_.desc_;
    for (const Glyph& g : view_.glyphs_) {
      const AtlasRect& a = g.atlas;
      if (std::uint32_t{a.x} + a.width > d.atlas_width_texels ||
          std::uint32_t{a.y} + a.height > d.atlas_height_texels || (a.width == 0) != (a.height == 0)) {
        return invalid(place_(a),
                       message("found a rectangle of ", a.width, "x", a.height, " texels at ", a.x, ", ", a.y,
                               ", expected it in the atlas of ", d.atlas_width_texels, "x", d.atlas_height_texels));
      }
      if (g.right < g.left || g.top < g.bottom)
        return invalid(place_(g.left), "found a rectangle whose sides are swapped");
    }
    return {};
  }

  Result<void> check_characters() const {
    const Character* previous = nullptr;
    for (const Character& c : view_.characters_) {
      if (c.code_point >= 0xD800 && c.code_point <= 0xDFFF)
        return invalid(place_(c), message("found the code point ", c.code_point, ", which is no character"));
      if (previous != nullptr && previous->code_point >= c.code_point) {
        return invalid(place_(c), message("found the code point ", c.code_point, " after ", previous->code_point,
                                          ", expected ascending code points"));
      }
      previous = &c;
    }
    return {};
  }

  Result<void> check_kerning() const {
    const KerningPair* previous = nullptr;
    for (const KerningPair& pair : view_.kerning_) {
      if (previous != nullptr && std::tie(previous->first, previous->second) >= std::tie(pair.first, pair.second)) {
        return invalid(place_(pair), message("found the pair ", pair.first, ", ", pair.second,
                                             " out of order, expected ascending pairs"));
      }
      previous = &pair;
    }
    return {};
  }

  ByteSpan file_;
  Places place_;
  OpenChunks chunks_;
  Context context_;
  View view_;
};

Result<View> View::open(ByteSpan file) { return Opener(file).open(); }

const Character* View::find(char32_t code_point) const {
  const auto found = std::ranges::lower_bound(characters_, std::uint32_t{code_point}, {}, &Character::code_point);
  return found != characters_.end() && found->code_point == code_point ? &*found : nullptr;
}

std::uint32_t View::find_glyph(char32_t code_point) const {
  const Character* found = find(code_point);
  return found == nullptr ? desc_->missing_glyph : found->glyph;
}

bool View::has_character(char32_t code_point) const { return find(code_point) != nullptr; }

float View::kerning(std::uint32_t first, std::uint32_t second) const {
  const auto key = [](const KerningPair& pair) { return std::pair(pair.first, pair.second); };
  const auto found = std::ranges::lower_bound(kerning_, std::pair(first, second), {}, key);
  return found != kerning_.end() && key(*found) == std::pair(first, second) ? found->advance : 0;
}

Result<ByteVector> write(const Model& model) {
  std::vector<chunks::Chunk> list{{fourcc("DESC"), object_bytes(model.desc)}};
  const auto add = [&](std::uint32_t id, const auto& array) {
    if (!array.empty()) list.push_back({id, std::as_bytes(std::span(array))});
  };
  add(fourcc("GLYF"), model.glyphs);
  add(fourcc("CMAP"), model.characters);
  add(fourcc("KERN"), model.kerning);
  add(fourcc("NAME"), model.name);
  ByteVector file = chunks::write_file(kVersion, list, kFormat);
  // A file that the reader would refuse is never written.
  ASSETC_CHECK(View::open(file));
  return file;
}

}  // namespace assetc::hfont
