#include "assetc/formats/hfont.hpp"

#include <functional>
#include <limits>

#include "formats/support.hpp"

namespace assetc::hfont {
namespace {

using namespace formats_test;

// A missing glyph, a space, A and V, which are kerned.
Model sample() {
  Model m;
  m.desc = {.texture = 7,
            .atlas_width_texels = 64,
            .atlas_height_texels = 32,
            .size_texels = 40,
            .range_texels = 4,
            .ascender = 0.9f,
            .descender = -0.25f,
            .line_height = 1.2f,
            .underline_position = -0.1f,
            .underline_thickness = 0.05f,
            .missing_glyph = 0,
            .units_per_em = 1000};
  m.glyphs = {{.source_glyph = 0, .advance = 0.5f},
              {.source_glyph = 3, .advance = 0.25f},
              {36, 0.7f, -0.05f, -0.05f, 0.75f, 0.8f, {0, 0, 32, 32}},
              {57, 0.7f, -0.05f, -0.05f, 0.75f, 0.8f, {32, 0, 32, 32}}};
  m.characters = {{' ', 1}, {'A', 2}, {'V', 3}, {0x410, 2}};
  m.kerning = {{2, 3, -0.1f}, {3, 2, -0.08f}};
  m.name = "Test Sans";
  return m;
}

std::string words(const std::function<void(Model&)>& change) {
  Model model = sample();
  change(model);
  const auto file = write(model);
  return file ? "no error" : file.error().what;
}

TEST(Hfont, round_trips) {
  const ByteVector file = *write(sample());
  const auto view = View::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_EQ(view->desc(), sample().desc);
  EXPECT_TRUE(std::ranges::equal(view->glyphs(), sample().glyphs));
  EXPECT_TRUE(std::ranges::equal(view->characters(), sample().characters));
  EXPECT_TRUE(std::ranges::equal(view->kerning(), sample().kerning));
  EXPECT_EQ(view->name(), "Test Sans");
  expect_golden("sample.hfont", file);
}

TEST(Hfont, finds_glyphs_and_kerning) {
  const ByteVector file = *write(sample());
  const View view = *View::open(file);
  EXPECT_EQ(view.find_glyph(U'A'), 2u);
  EXPECT_EQ(view.find_glyph(U'\u0410'), 2u);
  EXPECT_EQ(view.find_glyph(U'B'), 0u);
  EXPECT_TRUE(view.has_character(U' '));
  EXPECT_FALSE(view.has_character(U'B'));
  EXPECT_EQ(view.kerning(2, 3), -0.1f);
  EXPECT_EQ(view.kerning(3, 2), -0.08f);
  EXPECT_EQ(view.kerning(2, 2), 0);
}

TEST(Hfont, rejects_damage) {
  const ByteVector file = *write(sample());
  expect_every_prefix_refused(file, View::open);
  expect_survives_changed_bytes(file, View::open);
  EXPECT_EQ(View::open(with_extra(file, 1, 1)).error().code, ErrorCode::kInvalidData);
  EXPECT_EQ(View::open(with(file, 4, std::uint32_t{2})).error().what, "found hfont version 2, expected 1");
}

TEST(Hfont, says_which_rule_is_broken) {
  EXPECT_EQ(words([](Model&) {}), "no error");
  EXPECT_EQ(words([](Model& m) { m.glyphs.clear(); }), "found no chunk GLYF, which every file has");
  EXPECT_EQ(words([](Model& m) { m.desc.missing_glyph = 4; }), "found glyph 4, expected less than 4");
  EXPECT_EQ(words([](Model& m) { m.characters[1].glyph = 9; }), "character 1: found glyph 9, expected less than 4");
  EXPECT_EQ(words([](Model& m) { m.kerning[0].second = 4; }), "kerning pair 0: found glyph 4, expected less than 4");
  EXPECT_EQ(words([](Model& m) { m.characters[1].code_point = ' '; }),
            "found the code point 32 after 32, expected ascending code points");
  EXPECT_EQ(words([](Model& m) { m.characters[3].code_point = 0xD800; }),
            "found the code point 55296, which is no character");
  EXPECT_EQ(words([](Model& m) { m.kerning[1] = m.kerning[0]; }),
            "found the pair 2, 3 out of order, expected ascending pairs");
  EXPECT_EQ(words([](Model& m) { m.glyphs[3].atlas.x = 33; }),
            "found a rectangle of 32x32 texels at 33, 0, expected it in the atlas of 64x32");
  EXPECT_EQ(words([](Model& m) { m.glyphs[3].atlas.width = 0; }),
            "found a rectangle of 0x32 texels at 32, 0, expected it in the atlas of 64x32");
  EXPECT_EQ(words([](Model& m) { m.glyphs[3].right = -1; }), "found a rectangle whose sides are swapped");
  EXPECT_EQ(words([](Model& m) { m.glyphs[1].advance = std::numeric_limits<float>::quiet_NaN(); }),
            "glyph 1: the advance holds a number that is not finite");
  EXPECT_EQ(words([](Model& m) { m.desc.ascender = std::numeric_limits<float>::infinity(); }),
            "the ascender holds a number that is not finite");
  EXPECT_EQ(words([](Model& m) { m.desc.size_texels = 0; }), "found a size of 0, expected more than 0");
  EXPECT_EQ(words([](Model& m) { m.desc.range_texels = -1; }), "found a range of -1, expected more than 0");
  EXPECT_EQ(words([](Model& m) { m.desc.units_per_em = 0; }), "found units per em 0, expected 1 to 65535");
  EXPECT_EQ(words([](Model& m) { m.desc.atlas_width_texels = 40000; }),
            "found width of the atlas 40000, expected 1 to 32768");
  EXPECT_EQ(words([](Model& m) { m.desc.reserved[3] = 1; }),
            "found a byte that is not 0 in a reserved place, expected 0");
  EXPECT_EQ(words([](Model& m) { m.name = "\xff"; }), "the name is not UTF-8");
  EXPECT_EQ(words([](Model& m) { m.name.assign(1025, 'x'); }), "found a name of 1025 bytes, expected at most 1024");
}

}  // namespace
}  // namespace assetc::hfont
