#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assetc/formats/aas1_texture.hpp"
#include "assetc/formats/ktx2.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/texture/words.hpp"

namespace assetc::recipes {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using texture::EncodedTexture;

EncodedTexture::Sh ramp() {
  EncodedTexture::Sh sh{};
  for (std::size_t i = 0; i < 9; ++i) sh[i] = {static_cast<float>(i), 0.1f, -1.5e-7f};
  return sh;
}
constexpr std::string_view kRamp =
    "0 0.1 -1.5e-07\n1 0.1 -1.5e-07\n2 0.1 -1.5e-07\n3 0.1 -1.5e-07\n4 0.1 -1.5e-07\n5 0.1 -1.5e-07\n"
    "6 0.1 -1.5e-07\n7 0.1 -1.5e-07\n8 0.1 -1.5e-07\n";

EncodedTexture sample() {
  EncodedTexture texture;
  texture.format = TexelFormat::kRgba8;
  texture.color_space = texture::ColorSpace::kSrgb;
  texture.swizzle = texture::parse_channels("bgra");
  texture.width_texels = 2;
  texture.height_texels = 4;
  texture.layer_count = 3;
  texture.zstd_level = 9;
  texture.irradiance = ramp();
  texture.notes = {{"studio", "Acme"}, {"a", "b"}};
  EXPECT_TRUE(texture.add_level(ByteVector(2 * 4 * 3 * 4, std::byte{5})));
  return texture;
}

TEST(TextureWords, swizzles_are_four_letters) {
  EXPECT_EQ(swizzle_text(std::nullopt), "");
  EXPECT_EQ(swizzle_text(texture::parse_channels("r01a")), "r01a");
  EXPECT_EQ(swizzle_text(texture::kAllChannels), "rgba");
}

TEST(TextureWords, keys_are_sorted_and_come_back) {
  const EncodedTexture texture = sample();
  const auto all = key_values(texture);
  EXPECT_THAT(all, ElementsAre(Pair("a", "b"), Pair("sh", kRamp), Pair("studio", "Acme")));
  EncodedTexture back;
  for (const auto& [key, text] : all) read_key(key, text, back);
  EXPECT_EQ(back.irradiance, texture.irradiance);
  EXPECT_THAT(back.notes, ElementsAre(Pair("a", "b"), Pair("studio", "Acme")));
}

// Another writer's file may use our key for other data: its text stays unchanged.
TEST(TextureWords, a_text_that_is_no_harmonics_stays_a_note) {
  for (const std::string_view text :
       {std::string_view(""), std::string_view("short hand"), kRamp.substr(2), kRamp.substr(0, kRamp.size() - 1)}) {
    EncodedTexture texture;
    read_key("sh", text, texture);
    EXPECT_FALSE(texture.irradiance) << text;
    EXPECT_THAT(key_values(texture), ElementsAre(Pair("sh", text)));
  }
  EncodedTexture spaced;
  const std::string other = "+" + std::string(kRamp);
  read_key("sh", other, spaced);
  EXPECT_FALSE(spaced.irradiance);
}

TEST(TextureWords, a_ktx2_file_says_all_that_the_texture_does) {
  const auto file = kKtx2.write(sample());
  ASSERT_TRUE(file) << file.error().to_string();
  const auto view = ktx2::View::open(*file);
  ASSERT_TRUE(view) << view.error().to_string();
  EXPECT_EQ(view->format(), TexelFormat::kRgba8);
  EXPECT_TRUE(view->is_srgb());
  EXPECT_EQ(view->primaries(), static_cast<std::uint8_t>(ktx2::Primaries::kBt709));
  EXPECT_EQ(view->width_texels(), 2u);
  EXPECT_EQ(view->height_texels(), 4u);
  EXPECT_EQ(view->layer_count(), 3u);
  EXPECT_EQ(view->supercompression(), ktx2::Supercompression::kZstd);
  EXPECT_EQ(view->text("KTXwriterScParams"), "zstd 9");
  EXPECT_EQ(view->text("KTXswizzle"), "bgra");
  EXPECT_EQ(view->text("sh"), kRamp);
  EXPECT_EQ(view->text("studio"), "Acme");
  EXPECT_EQ(view->levels()[0].uncompressed_size_bytes, 96u);
}

TEST(TextureWords, color_spaces_are_a_transfer_function_and_primaries) {
  using texture::ColorSpace;
  const std::tuple<ColorSpace, bool, ktx2::Primaries> kCases[] = {
      {ColorSpace::kNone, false, ktx2::Primaries::kUnspecified},
      {ColorSpace::kLinear, false, ktx2::Primaries::kBt709},
      {ColorSpace::kSrgb, true, ktx2::Primaries::kBt709}};
  for (const auto& [space, srgb, primaries] : kCases) {
    EncodedTexture texture = sample();
    texture.color_space = space;
    const auto file = kKtx2.write(texture);
    ASSERT_TRUE(file) << file.error().to_string();
    const auto view = ktx2::View::open(*file);
    EXPECT_EQ(view->is_srgb(), srgb);
    EXPECT_EQ(view->primaries(), static_cast<std::uint8_t>(primaries));
  }
}

TEST(TextureWords, a_blob_says_the_same_and_its_levels_are_inflated) {
  const auto file = kAas1Texture.write(sample());
  ASSERT_TRUE(file) << file.error().to_string();
  const auto view = aas1::TextureView::open(*file);
  ASSERT_TRUE(view) << view.error().to_string();
  EXPECT_TRUE(view->is_srgb());
  EXPECT_EQ(view->swizzle(), "bgra");
  EXPECT_THAT(view->metadata(), ElementsAre(Pair("a", "b"), Pair("sh", kRamp), Pair("studio", "Acme")));
  ASSERT_EQ(view->levels().size(), 1u);
  EXPECT_EQ(view->levels()[0].bytes.size(), 96u);
  EXPECT_EQ(view->levels()[0].bytes[95], std::byte{5});
}

}  // namespace
}  // namespace assetc::recipes
