#include "assetc/runtime/text.hpp"

#include <gtest/gtest.h>

#include "assetc/formats/hfont.hpp"
#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/catalog.hpp"
#include "assetc/runtime/manager.hpp"

namespace assetc::runtime {
namespace {

// The code of docs/guide/fonts.md, which engine_guide_test.cpp compares with the page.
void draw(const TextQuad&, float) {}
[[maybe_unused]] void code_of_the_guide(Manager& manager, const Catalog& catalog) {
  const std::optional<runtime::AssetHandle> ui = catalog.find_by_path("fonts/ui.hfont");
  runtime::AssetRef<runtime::FontData> font = manager.load_async<runtime::FontData>(*ui);
  // Later, when it is ready:
  const runtime::TextLayout text = runtime::layout_text(font.get()->view, "Hello", {.size = 24});
  const float range = runtime::screen_range(font.get()->view, 24);
  for (const runtime::TextQuad& quad : text.quads) draw(quad, range);
}

// At size 10: A and V advance by 6, the space by 2; A before V is 1 nearer. A line is 12 high.
class Text : public ::testing::Test {
 protected:
  Text() {
    hfont::Model m;
    m.desc = {.atlas_width_texels = 64,
              .atlas_height_texels = 32,
              .size_texels = 40,
              .range_texels = 4,
              .ascender = 0.8f,
              .descender = -0.2f,
              .line_height = 1.2f,
              .units_per_em = 1000};
    const hfont::Glyph letter{36, 0.6f, 0, -0.1f, 0.5f, 0.7f, {0, 0, 16, 32}};
    m.glyphs = {letter, {.source_glyph = 3, .advance = 0.2f}, letter, letter};
    m.glyphs[3].atlas.x = 32;
    m.characters = {{' ', 1}, {'A', 2}, {'V', 3}};
    m.kerning = {{2, 3, -0.1f}};
    file_ = *hfont::write(m);
    font_ = *hfont::View::open(file_);
  }

  ByteVector file_;
  hfont::View font_;
};

TEST_F(Text, places_glyphs_with_kerning) {
  const TextLayout text = layout_text(font_, "AV A", {.size = 10});
  ASSERT_EQ(text.quads.size(), 3u) << "the space has no picture";
  EXPECT_FLOAT_EQ(text.quads[0].left, 0);
  EXPECT_FLOAT_EQ(text.quads[1].left, 5);
  EXPECT_FLOAT_EQ(text.quads[2].left, 13);
  EXPECT_FLOAT_EQ(text.quads[0].right, 5);
  EXPECT_FLOAT_EQ(text.quads[0].top, -7);
  EXPECT_FLOAT_EQ(text.quads[0].bottom, 1);
  EXPECT_FLOAT_EQ(text.quads[1].u_left, 0.5f);
  EXPECT_FLOAT_EQ(text.quads[1].u_right, 0.75f);
  EXPECT_FLOAT_EQ(text.quads[1].v_bottom, 1);
  EXPECT_EQ(text.quads[2].byte, 3u);
  EXPECT_EQ(text.quads[2].glyph, 2u);
  EXPECT_FLOAT_EQ(text.width, 19);
  EXPECT_FLOAT_EQ(text.top, -8);
  EXPECT_FLOAT_EQ(text.bottom, 2);
  EXPECT_EQ(text.line_count, 1u);
  EXPECT_FLOAT_EQ(layout_text(font_, "AV A", {.size = 10, .kerning = false}).width, 20);
  EXPECT_FLOAT_EQ(layout_text(font_, "AA", {.size = 10, .letter_spacing = 0.1f}).width, 14);
}

TEST_F(Text, breaks_lines) {
  const TextLayout text = layout_text(font_, "A\nV", {.size = 10, .line_spacing = 2});
  ASSERT_EQ(text.quads.size(), 2u);
  EXPECT_EQ(text.line_count, 2u);
  EXPECT_FLOAT_EQ(text.quads[1].left, 0);
  EXPECT_FLOAT_EQ(text.quads[1].top, 17);
  EXPECT_FLOAT_EQ(text.bottom, 26);
  const TextLayout wrapped = layout_text(font_, "AA AA AA", {.size = 10, .max_width = 27});
  EXPECT_EQ(wrapped.line_count, 2u);
  EXPECT_FLOAT_EQ(wrapped.quads[4].left, 0);
  EXPECT_FLOAT_EQ(wrapped.quads[5].left, 6);
  EXPECT_FLOAT_EQ(wrapped.quads[5].top, 5);
  EXPECT_FLOAT_EQ(wrapped.width, 26);
  EXPECT_EQ(layout_text(font_, "AAAAAAA", {.size = 10, .max_width = 10}).line_count, 1u) << "a word stays whole";
}

TEST_F(Text, draws_the_missing_glyph_for_what_it_does_not_know) {
  const auto glyphs = [&](std::string_view text) {
    std::string out;
    for (const TextQuad& quad : layout_text(font_, text).quads) out += static_cast<char>('0' + quad.glyph);
    return out;
  };
  EXPECT_EQ(glyphs("AZ"), "20");
  EXPECT_EQ(glyphs("A\xE2\x82\xAC"), "20") << "a euro sign";
  EXPECT_EQ(glyphs("\xFF\xC0\xAF"), "000") << "no UTF-8";
  EXPECT_EQ(glyphs("A\xE2\x82"), "200") << "cut short";
  EXPECT_EQ(glyphs("\xED\xA0\x80"), "000") << "a surrogate";
  EXPECT_EQ(glyphs("A\t\rV"), "23") << "control characters";
  EXPECT_EQ(glyphs(""), "");
}

TEST_F(Text, the_range_on_the_screen_is_at_least_one) {
  EXPECT_FLOAT_EQ(screen_range(font_, 80), 8);
  EXPECT_FLOAT_EQ(screen_range(font_, 5), 1);
}

}  // namespace
}  // namespace assetc::runtime
