#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "assetc/formats/hfont.hpp"
#include "places.hpp"
#include "recipes/fake_inputs.hpp"
#include "recipes/font_truth.hpp"
#include "recipes/ktx2_pixels.hpp"
#include "render/text.hpp"

namespace assetc::recipes {
namespace {

using assetc::testing::CoverageError;
using assetc::testing::FontTruth;
using assetc::testing::read_pixels;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kFonts = std::string(places::kSource) + "/tests/data/corpus/fonts/";
const std::string kDejaVu = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";  // of Debian's fonts-dejavu-core

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Settings settings_with(std::initializer_list<std::pair<std::string_view, std::string_view>> values) {
  Settings settings;
  for (const auto& [key, value] : values) {
    const auto set = find_setting(key)->set(settings, value);
    EXPECT_TRUE(set) << set.error().to_string();
  }
  return settings;
}

Result<Product> cook_font(FakeInputs& inputs, const Settings& settings = {}) {
  Step step;
  step.recipe = find_recipe("font");
  step.source = step.input_path = "ui.ttf";
  step.stem = "ui";
  step.settings = settings;
  return step.recipe->cook(step, inputs);
}

Result<Product> cook_font(const std::string& file, const Settings& settings = {}) {
  FakeInputs inputs;
  inputs.files = {{"ui.ttf", file}};
  return cook_font(inputs, settings);
}

// A compiled font, opened.
struct Opened {
  Bytes file;
  hfont::View font;
  scene::Image atlas;
};

Opened open_product(const Product& product) {
  Opened opened;
  EXPECT_EQ(product.outputs.size(), 2u);
  opened.file = product.outputs[0].bytes;
  opened.font = hfont::View::open(opened.file).value();
  auto pixels = read_pixels(product.outputs[1].bytes, 0);
  opened.atlas = {.width_texels = pixels.width, .height_texels = pixels.height, .pixels = std::move(pixels.rgba)};
  return opened;
}

// The error of single characters against FreeType.
CoverageError error_of(const Opened& opened, const FontTruth& truth, std::u32string_view characters, float size) {
  CoverageError error;
  for (const char32_t c : characters) {
    std::string text;
    if (c < 0x80)
      text = static_cast<char>(c);
    else
      text = {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))};
    const auto drawn = render::cover_text(opened.font, opened.atlas, text, {.size_texels = size});
    EXPECT_TRUE(drawn) << drawn.error().to_string();
    if (!drawn) return error;
    const double baseline = std::ceil(static_cast<double>(opened.font.desc().ascender * size)) + 8;
    error.add(drawn->values,
              truth.cover(c, static_cast<double>(size), 8, baseline, drawn->width_texels, drawn->height_texels));
  }
  return error;
}

TEST(FontRecipe, writes_a_font_and_its_atlas) {
  const auto product = cook_font(read_file(kFonts + "blocks.ttf"));
  ASSERT_TRUE(product) << product.error().to_string();
  EXPECT_THAT(product->diagnostics, IsEmpty());
  ASSERT_EQ(product->outputs.size(), 2u);
  EXPECT_EQ(product->outputs[0].suffix, ".hfont");
  EXPECT_EQ(product->outputs[0].descriptor.kind, AssetKind::kFont);
  EXPECT_EQ(product->outputs[1].suffix, ".atlas.ktx2");
  EXPECT_EQ(product->outputs[1].descriptor, (Descriptor{AssetKind::kTexture, false}));
  const Opened opened = open_product(*product);
  const hfont::View& font = opened.font;
  EXPECT_EQ(font.name(), "Blocks Regular");
  EXPECT_EQ(font.desc().texture, hash_asset_ref("ui.atlas"));
  EXPECT_EQ(font.desc().atlas_width_texels, opened.atlas.width_texels);
  EXPECT_EQ(font.desc().size_texels, 40);
  EXPECT_EQ(font.desc().range_texels, 4);
  EXPECT_EQ(font.desc().ascender, 0.8f);
  EXPECT_EQ(font.desc().descender, -0.2f);
  EXPECT_EQ(font.desc().line_height, 1.1f);
  EXPECT_EQ(font.characters().size(), 8u);
  EXPECT_EQ(font.glyphs()[font.find_glyph(U'A')].advance, 0.6f);
  EXPECT_FALSE(font.glyphs()[font.find_glyph(U' ')].is_drawn());
  EXPECT_EQ(font.find_glyph(U'z'), 0u);
  EXPECT_TRUE(font.glyphs()[0].is_drawn()) << "the glyph of missing characters";
}

TEST(FontRecipe, kerning_is_that_of_gpos_and_of_kern) {
  for (const char* name : {"blocks.ttf", "blocks.otf"}) {
    const auto product = cook_font(read_file(kFonts + name));
    ASSERT_TRUE(product) << name << product.error().to_string();
    const Opened opened = open_product(*product);
    const std::uint32_t a = opened.font.find_glyph(U'A'), v = opened.font.find_glyph(U'V');
    EXPECT_EQ(opened.font.kerning().size(), 2u) << name;
    EXPECT_EQ(opened.font.kerning(a, v), -0.12f) << name;
    EXPECT_EQ(opened.font.kerning(v, a), -0.1f) << name;
  }
}

TEST(FontRecipe, text_looks_as_freetype_draws_it) {
  for (const char* name : {"blocks.ttf", "blocks.otf"}) {
    const std::string file = read_file(kFonts + name);
    const auto product = cook_font(file);
    ASSERT_TRUE(product) << product.error().to_string();
    const Opened opened = open_product(*product);
    const FontTruth truth(as_bytes(file));
    for (const float size : {40.0f, 96.0f, 200.0f}) {
      const CoverageError error = error_of(opened, truth, U"AVEO+D.", size);
      EXPECT_LT(error.mean, 0.03) << name << " at " << size;
      EXPECT_LT(error.most, 0.5) << name << " at " << size;
      RecordProperty(std::string(name).substr(7) + std::to_string(static_cast<int>(size)),
                     std::to_string(error.mean) + " " + std::to_string(error.most));
    }
  }
}

TEST(FontRecipe, a_real_font_looks_as_freetype_draws_it) {
  if (!std::filesystem::exists(kDejaVu)) GTEST_SKIP() << "fonts-dejavu-core is not installed";
  const std::string file = read_file(kDejaVu);
  const auto product = cook_font(file);
  ASSERT_TRUE(product) << product.error().to_string();
  const Opened opened = open_product(*product);
  EXPECT_GT(opened.font.kerning().size(), 500u);
  const FontTruth truth(as_bytes(file));
  for (const float size : {24.0f, 40.0f, 96.0f}) {
    const CoverageError error = error_of(opened, truth, U"ABGMQRSWXagk&@#%$ij0158\u00C5\u00E7\u00DF\u00F8", size);
    EXPECT_LT(error.mean, 0.04) << size;
    EXPECT_LT(error.most, 0.75) << size;  // notches that are smaller than a texel of the atlas
    RecordProperty("at" + std::to_string(static_cast<int>(size)),
                   std::to_string(error.mean) + " " + std::to_string(error.most));
  }
}

TEST(FontRecipe, strings_choose_characters_and_are_inputs) {
  FakeInputs inputs;
  inputs.files = {
      {"ui.ttf", read_file(kFonts + "blocks.ttf")}, {"ui/a.txt", "\xEF\xBB\xBFVA\n"}, {"ui/b.txt", "\xD0\xAF"}};
  const auto product =
      cook_font(inputs, settings_with({{"font.characters", "none"}, {"font.strings", "ui/a.txt, ui/b.txt"}}));
  ASSERT_TRUE(product) << product.error().to_string();
  EXPECT_THAT(product->diagnostics, IsEmpty());
  EXPECT_THAT(inputs.asked, ElementsAre("ui/a.txt", "ui/b.txt", "ui.ttf"));
  const Opened opened = open_product(*product);
  ASSERT_EQ(opened.font.characters().size(), 3u);
  EXPECT_EQ(opened.font.characters()[0].code_point, std::uint32_t{'A'});
  EXPECT_EQ(opened.font.characters()[2].code_point, 0x42Fu);
}

TEST(FontRecipe, warns_of_characters_that_the_font_lacks) {
  FakeInputs inputs;
  inputs.files = {{"ui.ttf", read_file(kFonts + "blocks.ttf")}, {"a.txt", "AB\xE2\x82\xAC"}};
  const auto product = cook_font(inputs, settings_with({{"font.strings", "a.txt"}}));
  ASSERT_TRUE(product) << product.error().to_string();
  ASSERT_EQ(product->diagnostics.size(), 1u);
  EXPECT_EQ(product->diagnostics[0].kind, WarningKind::kMissingCharacters);
  EXPECT_EQ(product->diagnostics[0].what.what, "the font lacks 2 characters of font.strings: U+42, U+20AC");
}

TEST(FontRecipe, says_what_is_wrong) {
  const std::string file = read_file(kFonts + "blocks.ttf");
  const auto words = [&](const std::string& font, const Settings& settings = {}) {
    const auto product = cook_font(font, settings);
    return product ? std::string("no error") : product.error().to_string();
  };
  EXPECT_THAT(words(""), HasSubstr("the file is empty, expected a font"));
  EXPECT_THAT(words("wOF2...."), HasSubstr("found a WOFF font"));
  EXPECT_THAT(words("ttcf...."), HasSubstr("found a collection of fonts"));
  EXPECT_THAT(words("hello"), HasSubstr("found neither a TrueType nor an OpenType font"));
  EXPECT_THAT(words(file.substr(0, 200)), HasSubstr("bytes before its table"));
  EXPECT_THAT(words(file, settings_with({{"font.characters", "none"}})),
              HasSubstr("font.characters and font.strings name no characters"));
  EXPECT_THAT(words(file, settings_with({{"font.characters", "U+4E00-U+4E0F"}})),
              HasSubstr("the font has none of the 16 characters that the settings choose"));
  EXPECT_THAT(words(file, settings_with({{"font.size", "256"}, {"font.max_size", "64"}})),
              HasSubstr("does not fit an atlas of 64x64 texels"));
  EXPECT_THAT(words(file, settings_with({{"font.strings", "none.txt"}})), HasSubstr("none.txt"));
}

TEST(FontRecipe, settings_change_the_atlas) {
  const std::string file = read_file(kFonts + "blocks.ttf");
  const auto desc = [&](const Settings& settings) { return open_product(*cook_font(file, settings)).font.desc(); };
  EXPECT_EQ(desc(settings_with({{"font.size", "64"}})).size_texels, 64);
  EXPECT_EQ(desc(settings_with({{"font.range", "8"}})).range_texels, 8);
  EXPECT_GT(desc(settings_with({{"font.padding", "8"}})).atlas_width_texels, desc({}).atlas_width_texels);
}

TEST(FontSettings, ranges_are_joined_and_printed) {
  const auto printed = [](std::string_view text) {
    const Settings settings = settings_with({{"font.characters", text}});
    return find_setting("font.characters")->get(settings);
  };
  EXPECT_EQ(find_setting("font.characters")->get({}), "U+20-U+7E, U+A0-U+FF");
  EXPECT_EQ(printed("U+41"), "U+41");
  EXPECT_EQ(printed("U+50-5A, u+41-U+50"), "U+41-U+5A");
  EXPECT_EQ(printed("none"), "none");
  Settings settings;
  for (const char* wrong : {"", "A", "U+", "U+110000", "U+50-U+41", "U+41,", "0x41"})
    EXPECT_FALSE(find_setting("font.characters")->set(settings, wrong)) << wrong;
  for (const char* wrong : {"", "/a.txt", "../a.txt", "a", "a\\b.txt"})
    EXPECT_FALSE(find_setting("font.strings")->set(settings, wrong)) << wrong;
}

}  // namespace
}  // namespace assetc::recipes
