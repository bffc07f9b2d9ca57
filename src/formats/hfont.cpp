#include "assetc/formats/hfont.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "assetc/formats/chunks.hpp"
#include "base/plural.hpp"
#include "formats/chunk_array.hpp"
#include "formats/reader.hpp"
#include "formats/text.hpp"

namespace assetc::hfont {
namespace {

using namespace formats;

constexpr chunks::Format kFormat{kMagic, "hfont"};
constexpr std::uint32_t kDescId = fourcc("DESC");
constexpr std::uint32_t kGlyphsId = fourcc("GLYF");
constexpr std::uint32_t kCharactersId = fourcc("CMAP");
constexpr std::uint32_t kKerningId = fourcc("KERN");
constexpr std::uint32_t kNameId = fourcc("NAME");
constexpr std::uint32_t kMaxUnitsPerEm = 65535;

bool is_code_point(std::uint32_t value) { return value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF); }

}  // namespace

// Opens one file. Each step relies on the checks of the steps before it.
class Opener {
 public:
  explicit Opener(ByteSpan file) : file_(file) {}

  Result<View> open() {
    ASSETC_TRY(table_, chunks::open_table(file_, kVersion, kFormat));
    ASSETC_CHECK(open_arrays());
    ASSETC_CHECK(check_desc());
    ASSETC_CHECK(check_glyphs());
    ASSETC_CHECK(check_characters());
    ASSETC_CHECK(check_kerning());
    return std::move(view_);
  }

 private:
  template <class T>
  Result<void> array(std::uint32_t id, std::span<const T>& out) {
    ASSETC_TRY(out, chunk_array<T>(file_, table_, id));
    return {};
  }

  std::uint64_t offset_of(const void* place) const {
    return static_cast<std::uint64_t>(static_cast<const std::byte*>(place) - file_.data());
  }

  Result<void> open_arrays() {
    std::span<const FontDesc> desc;
    ASSETC_CHECK(array(kDescId, desc));
    if (desc.size() != 1) {
      return invalid(sizeof(chunks::FileHeader),
                     message("found ", counted(desc.size(), "font descriptor"), ", expected one"));
    }
    view_.desc_ = desc.data();
    ASSETC_CHECK(array(kGlyphsId, view_.glyphs_));
    if (view_.glyphs_.empty() || view_.glyphs_.size() > kMaxGlyphs) {
      return invalid(sizeof(chunks::FileHeader),
                     message("found ", counted(view_.glyphs_.size(), "glyph"), ", expected 1 to ", kMaxGlyphs));
    }
    ASSETC_CHECK(array(kCharactersId, view_.characters_));
    ASSETC_CHECK(array(kKerningId, view_.kerning_));
    ASSETC_TRY(const ByteSpan name, chunk_payload(file_, table_, kNameId));
    if (name.size() > kMaxNameBytes) {
      return invalid(offset_of(name.data()),
                     message("found a name of ", counted(name.size(), "byte"), ", expected at most ", kMaxNameBytes));
    }
    view_.name_ = as_text(name);
    if (!is_utf8(view_.name_)) return invalid(offset_of(name.data()), "the name is not UTF-8");
    return {};
  }

  Result<void> glyph(const std::uint32_t& index) const {
    if (index < view_.glyphs_.size()) return {};
    return invalid(offset_of(&index), message("found glyph ", index, ", expected less than ", view_.glyphs_.size()));
  }
  Result<void> finite(std::initializer_list<const float*> values, std::string_view of) const {
    for (const float* value : values) {
      if (!std::isfinite(*value)) return invalid(offset_of(value), message(of, " has a number that is not finite"));
    }
    return {};
  }

  Result<void> check_desc() const {
    const FontDesc& d = *view_.desc_;
    for (const std::uint32_t* side : {&d.atlas_width_texels, &d.atlas_height_texels}) {
      if (*side == 0 || *side > kMaxAtlasSide) {
        return invalid(offset_of(side),
                       message("found an atlas with a side of ", *side, " texels, expected 1 to ", kMaxAtlasSide));
      }
    }
    ASSETC_CHECK(finite({&d.size_texels, &d.range_texels, &d.ascender, &d.descender, &d.line_height,
                         &d.underline_position, &d.underline_thickness},
                        "the font"));
    if (d.size_texels <= 0)
      return invalid(offset_of(&d.size_texels), message("found a size of ", d.size_texels, ", expected more than 0"));
    if (d.range_texels <= 0)
      return invalid(offset_of(&d.range_texels),
                     message("found a range of ", d.range_texels, ", expected more than 0"));
    if (d.units_per_em == 0 || d.units_per_em > kMaxUnitsPerEm) {
      return invalid(offset_of(&d.units_per_em),
                     message("found ", d.units_per_em, " units per em, expected 1 to ", kMaxUnitsPerEm));
    }
    if (std::ranges::any_of(d.reserved, [](std::uint8_t byte) { return byte != 0; }))
      return invalid(offset_of(&d.reserved), "found a byte that is not 0 in a reserved place, expected 0");
    return glyph(d.missing_glyph);
  }

  Result<void> check_glyphs() const {
    const FontDesc& d = *view_.desc_;
    for (const Glyph& g : view_.glyphs_) {
      ASSETC_CHECK(finite({&g.advance, &g.left, &g.bottom, &g.right, &g.top}, "the glyph"));
      const AtlasRect& a = g.atlas;
      if (std::uint32_t{a.x} + a.width > d.atlas_width_texels ||
          std::uint32_t{a.y} + a.height > d.atlas_height_texels || (a.width == 0) != (a.height == 0)) {
        return invalid(offset_of(&a),
                       message("found a rectangle of ", a.width, "x", a.height, " texels at ", a.x, ", ", a.y,
                               ", expected it in the atlas of ", d.atlas_width_texels, "x", d.atlas_height_texels));
      }
      if (g.right < g.left || g.top < g.bottom)
        return invalid(offset_of(&g.left), "found a rectangle whose sides are swapped");
    }
    return {};
  }

  Result<void> check_characters() const {
    const Character* previous = nullptr;
    for (const Character& c : view_.characters_) {
      if (!is_code_point(c.code_point))
        return invalid(offset_of(&c), message("found the code point ", c.code_point, ", which is no character"));
      if (previous != nullptr && previous->code_point >= c.code_point) {
        return invalid(offset_of(&c), message("found the code point ", c.code_point, " after ", previous->code_point,
                                              ", expected ascending code points"));
      }
      ASSETC_CHECK(glyph(c.glyph));
      previous = &c;
    }
    return {};
  }

  Result<void> check_kerning() const {
    const KerningPair* previous = nullptr;
    for (const KerningPair& pair : view_.kerning_) {
      ASSETC_CHECK(glyph(pair.first));
      ASSETC_CHECK(glyph(pair.second));
      ASSETC_CHECK(finite({&pair.advance}, "the pair"));
      if (previous != nullptr && std::tie(previous->first, previous->second) >= std::tie(pair.first, pair.second)) {
        return invalid(offset_of(&pair), message("found the pair ", pair.first, ", ", pair.second,
                                                 " out of order, expected ascending pairs"));
      }
      previous = &pair;
    }
    return {};
  }

  ByteSpan file_;
  std::span<const chunks::ChunkEntry> table_;
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
  std::vector<chunks::Chunk> list{{kDescId, object_bytes(model.desc)}};
  const auto add = [&](std::uint32_t id, const auto& array) {
    if (!array.empty()) list.push_back({id, std::as_bytes(std::span(array))});
  };
  add(kGlyphsId, model.glyphs);
  add(kCharactersId, model.characters);
  add(kKerningId, model.kerning);
  add(kNameId, model.name);
  ByteVector file = chunks::write_file(kVersion, list, kFormat);
  // A file that the reader would refuse is never written.
  ASSETC_CHECK(View::open(file));
  return file;
}

}  // namespace assetc::hfont
