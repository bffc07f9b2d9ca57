// .hfont version 1: metrics, glyphs and kerning of a font, whose atlas is a texture. Specification:
// docs/formats/hfont.md.
// This header reads files. hfont.hpp also writes them.
//
//   ASSETC_TRY(const hfont::View font, hfont::View::open(file));
//   const std::uint32_t glyph = font.find_glyph(U'A');
//   draw(font.glyphs()[glyph]);
//
// runtime/text.hpp lays out lines of text.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/fourcc.hpp"

namespace assetc::hfont {

inline constexpr std::uint32_t kMagic = fourcc("HFNT");
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kBufferAlignment = 8;
inline constexpr std::uint32_t kMaxGlyphs = 65536;
inline constexpr std::uint32_t kMaxAtlasSide = 32768;
inline constexpr std::size_t kMaxNameBytes = 1024;

// Lengths in em; +Y is up, and the baseline is at 0.
struct FontDesc {
  std::uint64_t texture = 0;  // hash_asset_ref() of the atlas, as in a .hmat; 0: none
  std::uint32_t atlas_width_texels = 0;
  std::uint32_t atlas_height_texels = 0;
  float size_texels = 0;   // texels of the atlas per em
  float range_texels = 0;  // the distance between the values 0 and 1 of a texel
  float ascender = 0;
  float descender = 0;  // usually negative
  float line_height = 0;
  float underline_position = 0;
  float underline_thickness = 0;
  std::uint32_t missing_glyph = 0;
  std::uint32_t units_per_em = 0;  // of the source
  std::array<std::uint8_t, 12> reserved{};
  bool operator==(const FontDesc&) const = default;
};
static_assert(sizeof(FontDesc) == 64);

struct AtlasRect {
  std::uint16_t x = 0, y = 0, width = 0, height = 0;  // texels; y points down
  bool operator==(const AtlasRect&) const = default;
};

struct Glyph {
  std::uint32_t source_glyph = 0;
  float advance = 0;
  float left = 0, bottom = 0, right = 0, top = 0;  // relative to the pen
  AtlasRect atlas{};                               // all 0: the glyph has no picture
  bool is_drawn() const { return atlas.width != 0; }
  bool operator==(const Glyph&) const = default;
};
static_assert(sizeof(Glyph) == 32);

struct Character {
  std::uint32_t code_point = 0;
  std::uint32_t glyph = 0;
  bool operator==(const Character&) const = default;
};
static_assert(sizeof(Character) == 8);

struct KerningPair {
  std::uint32_t first = 0, second = 0;  // glyphs
  float advance = 0;                    // added to the advance of the first
  bool operator==(const KerningPair&) const = default;
};
static_assert(sizeof(KerningPair) == 12);

// A validated file. It points into the file, which must outlive it. Thread-safe.
class View {
 public:
  // Checks everything once. file: aligned to kBufferAlignment.
  static Result<View> open(ByteSpan file);

  const FontDesc& desc() const { return *desc_; }
  std::span<const Glyph> glyphs() const { return glyphs_; }
  std::span<const Character> characters() const { return characters_; }
  std::span<const KerningPair> kerning() const { return kerning_; }
  std::string_view name() const { return name_; }

  // Returns the glyph of a character, or desc().missing_glyph. Time: logarithmic in the number of characters.
  std::uint32_t find_glyph(char32_t code_point) const;
  bool has_character(char32_t code_point) const;
  // Returns the kerning between two glyphs in em, 0 for most. Time: logarithmic in the number of pairs.
  float kerning(std::uint32_t first, std::uint32_t second) const;

 private:
  friend class Opener;
  const Character* find(char32_t code_point) const;

  const FontDesc* desc_ = nullptr;
  std::span<const Glyph> glyphs_;
  std::span<const Character> characters_;
  std::span<const KerningPair> kerning_;
  std::string_view name_;
};

}  // namespace assetc::hfont
