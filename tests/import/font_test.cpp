#include "import/font/font.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <numeric>

#include "import/font/message.hpp"
#include "places.hpp"

namespace assetc::importer {
namespace {

ByteVector read_font_file(const std::string& name) {
  std::ifstream file(std::string(places::kSource) + "/tests/data/corpus/fonts/" + name, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return {as_bytes(text).begin(), as_bytes(text).end()};
}

std::vector<std::uint32_t> ascii() {
  std::vector<std::uint32_t> characters(0x7F - 0x20);
  std::iota(characters.begin(), characters.end(), 0x20u);
  return characters;
}

TEST(Font, metrics_outlines_and_kerning_are_those_of_the_source) {
  for (const char* name : {"blocks.ttf", "blocks.otf"}) {
    const auto font = import_font(read_font_file(name), ascii());
    ASSERT_TRUE(font) << name << font.error().to_string();
    EXPECT_EQ(font->name, "Blocks Regular");
    EXPECT_EQ(font->units_per_em, 1000u);
    EXPECT_EQ(font->ascender, 800);
    EXPECT_EQ(font->descender, -200);
    EXPECT_EQ(font->line_height, 1100);
    EXPECT_EQ(font->underline_thickness, 50);
    ASSERT_EQ(font->glyphs.size(), 9u);
    ASSERT_EQ(font->characters.size(), 8u);
    EXPECT_EQ(font->missing.size(), ascii().size() - 8);
    ASSERT_EQ(font->kerning.size(), 2u);
    EXPECT_EQ(font->kerning[0].advance, -120);
    EXPECT_EQ(font->kerning[1].advance, -100);
    const scene::FontGlyph& a = font->glyphs[font->characters[3].glyph];
    EXPECT_EQ(a.advance, 600);
    ASSERT_EQ(a.contours.size(), 1u);
    EXPECT_EQ(a.contours[0].start, (scene::OutlinePoint{20, 0}));
    EXPECT_EQ(a.contours[0].segments[0].end, (scene::OutlinePoint{300, 700}));
    const scene::FontGlyph& o = font->glyphs[font->characters[6].glyph];
    ASSERT_EQ(o.contours.size(), 2u);
    EXPECT_EQ(o.contours[0].segments[0].degree, std::string_view(name) == "blocks.ttf" ? 2u : 3u);
  }
}

TEST(Font, the_process_gives_the_same_font) {
  const ByteVector file = read_font_file("blocks.ttf");
  const auto here = read_font_here(file, ascii()), there = import_font(file, ascii());
  ASSERT_TRUE(here && there);
  process::MessageWriter first, second;
  write_font(first, *here);
  write_font(second, *there);
  EXPECT_TRUE(std::ranges::equal(first.bytes(), second.bytes()));
}

TEST(Font, a_damaged_font_is_an_error_or_a_font) {
  for (const char* name : {"blocks.ttf", "blocks.otf"}) {
    ByteVector file = read_font_file(name);
    for (std::size_t size = 0; size < file.size(); size += 7) {
      const auto cut = read_font_here(ByteSpan(file).first(size), ascii());
      EXPECT_TRUE(cut.has_value() || !cut.error().what.empty());
    }
    for (std::size_t i = 0; i < file.size(); ++i) {
      for (const int value : {0x00, 0x7F, 0xFF}) {
        const std::byte before = file[i];
        file[i] = static_cast<std::byte>(value);
        (void)read_font_here(file, ascii());
        file[i] = before;
      }
    }
  }
}

TEST(FontMessage, a_message_that_breaks_a_rule_is_refused) {
  const scene::Font good = *read_font_here(read_font_file("blocks.ttf"), ascii());
  const auto passes = [](const scene::Font& font) {
    process::MessageWriter message;
    write_font(message, font);
    process::MessageReader reader(message.bytes());
    return read_font(reader).has_value();
  };
  EXPECT_TRUE(passes(good));
  scene::Font bad = good;
  bad.characters[0].glyph = 99;
  EXPECT_FALSE(passes(bad));
  bad = good;
  bad.kerning[1] = bad.kerning[0];
  EXPECT_FALSE(passes(bad));
  bad = good;
  bad.units_per_em = 0;
  EXPECT_FALSE(passes(bad));
  process::MessageWriter message;
  write_font(message, good);
  for (std::size_t size = 0; size < message.bytes().size(); size += 3) {
    process::MessageReader reader(message.bytes().first(size));
    EXPECT_FALSE(read_font(reader)) << size;
  }
}

}  // namespace
}  // namespace assetc::importer
