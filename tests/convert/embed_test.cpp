#include "convert/embed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assetc/formats/ktx2.hpp"
#include "convert/support.hpp"
#include "export/glb.hpp"
#include "icc_profile.hpp"
#include "import/image/image.hpp"

namespace assetc::convert {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Levels of zeros, which are valid in every format here.
Bytes ktx2_file(ktx2::Texture texture) {
  std::vector<ByteVector> levels(1);
  texture.levels.resize(1);
  const std::uint64_t size = *ktx2::level_size_bytes(texture, 0);
  levels[0].resize(size);
  texture.levels[0] = {levels[0], size};
  auto file = ktx2::write(texture);
  EXPECT_TRUE(file) << file.error().to_string();
  return file ? Bytes(std::move(*file)) : Bytes();
}

ktx2::Texture texture_of(TexelFormat format, ktx2::Transfer transfer, std::uint32_t side) {
  ktx2::Texture texture;
  texture.format = format;
  texture.transfer = transfer;
  texture.channels = UastcChannels::kRgb;
  texture.width_texels = texture.height_texels = side;
  return texture;
}

scene::TextureUse use_of(std::uint32_t image) {
  scene::TextureUse use;
  use.image = image;
  return use;
}

using Slot = scene::TextureUse scene::Material::*;

// The result for one picture, and the messages about it.
struct Outcome {
  std::string format;
  std::vector<std::string> warnings;
};
Outcome embed(importer::Imported model, bool keep, Bytes* bytes = nullptr) {
  embed_images(model, keep);
  if (bytes != nullptr && !model.scene.images.empty()) *bytes = model.scene.images[0].inline_bytes;
  Outcome out;
  if (!model.scene.images.empty())
    out.format = to_string(importer::read_image_info(model.scene.images[0].inline_bytes)->format);
  for (const Error& warning : model.warnings) out.warnings.push_back(warning.to_string());
  return out;
}
Outcome embed(const ktx2::Texture& texture, Slot slot, bool keep = true, Bytes* bytes = nullptr) {
  importer::Imported model;
  model.scene.images.push_back({"t.ktx2", {}, ktx2_file(texture)});
  model.scene.materials.emplace_back();
  (model.scene.materials[0].*slot).image = 0;
  return embed(std::move(model), keep, bytes);
}

constexpr Slot kColor = &scene::Material::base_color_texture, kData = &scene::Material::occlusion_texture,
               kNormal = &scene::Material::normal_texture;

TEST(Embed, what_the_extension_allows_is_kept) {
  const Outcome color = embed(texture_of(TexelFormat::kUastc, ktx2::Transfer::kSrgb, 8), kColor);
  EXPECT_EQ(color.format, "KTX2");
  EXPECT_THAT(color.warnings, IsEmpty());
  EXPECT_EQ(embed(texture_of(TexelFormat::kUastc, ktx2::Transfer::kLinear, 8), kData).format, "KTX2");
  EXPECT_EQ(embed(texture_of(TexelFormat::kUastc, ktx2::Transfer::kSrgb, 8), kColor, false).format, "PNG");
}

TEST(Embed, everything_else_is_png_and_a_line_says_why) {
  using Format = TexelFormat;
  using ktx2::Transfer;
  const auto refused = [](const ktx2::Texture& texture, Slot slot, const std::string& why) {
    const Outcome out = embed(texture, slot);
    EXPECT_EQ(out.format, "PNG") << why;
    EXPECT_THAT(out.warnings, ElementsAre(HasSubstr(why)));
  };
  refused(texture_of(Format::kBc7, Transfer::kSrgb, 8), kColor, "is bc7");
  refused(texture_of(Format::kAstc4x4, Transfer::kSrgb, 8), kColor, "is astc4x4");
  refused(texture_of(Format::kRgba8, Transfer::kSrgb, 8), kColor, "is rgba8");
  refused(texture_of(Format::kUastc, Transfer::kSrgb, 6), kColor, "has 6x6 texels");
  refused(texture_of(Format::kUastc, Transfer::kLinear, 8), kColor, "is color that is not sRGB of BT.709");
  refused(texture_of(Format::kUastc, Transfer::kSrgb, 8), kData, "is data that is not linear");
  refused(texture_of(Format::kUastc, Transfer::kLinear, 8), kNormal, "is a normal map without Z");
  ktx2::Texture texture = texture_of(Format::kUastc, Transfer::kLinear, 8);
  texture.channels = UastcChannels::kRg;
  refused(texture, kNormal, "is a normal map without Z");
  refused(texture, kData, "has channels other than RGB or RGBA");
  texture = texture_of(Format::kUastc, Transfer::kSrgb, 8);
  texture.face_count = 6;
  refused(texture, kColor, "is not two-dimensional");
  texture = texture_of(Format::kUastc, Transfer::kSrgb, 8);
  texture.layer_count = 2;
  refused(texture, kColor, "is not two-dimensional");
  texture = texture_of(Format::kUastc, Transfer::kSrgb, 8);
  texture.swizzle = "rrr1";
  refused(texture, kColor, "has the swizzle rrr1");
  texture = texture_of(Format::kUastc, Transfer::kSrgb, 8);
  texture.orientation = "ru";
  refused(texture, kColor, "is not stored from the top left");
  texture = texture_of(Format::kUastc, Transfer::kSrgb, 8);
  texture.premultiplied_alpha = true;
  refused(texture, kColor, "is premultiplied by alpha");
}

// A Photoshop document of one texel.
Bytes psd_with_profile(const std::string& name) {
  const auto big = [](std::uint64_t value, int bytes) {
    std::string text;
    for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(value >> (8 * i));
    return text;
  };
  const std::string profile(as_text(assetc::testing::icc_profile(name)));
  const std::string resource =
      std::string("8BIM\x04\x0F\0\0", 8) + big(profile.size(), 4) + profile + std::string(profile.size() % 2, '\0');
  const std::string file = "8BPS" + big(1, 2) + std::string(6, '\0') + big(4, 2) + big(1, 4) + big(1, 4) + big(8, 2) +
                           big(3, 2) + big(0, 4) + big(resource.size(), 4) + resource + big(0, 4) + big(0, 2) +
                           "\7\x08\x09\x0A";
  return Bytes(ByteVector(as_bytes(file).begin(), as_bytes(file).end()));
}

TEST(Embed, what_a_picture_declares_is_told_if_it_becomes_a_png) {
  const auto warnings = [](Slot slot, const std::string& profile) {
    importer::Imported model;
    model.scene.images.push_back({"wood.psd", {}, psd_with_profile(profile)});
    model.scene.materials.emplace_back();
    (model.scene.materials[0].*slot).image = 0;
    const Outcome out = embed(std::move(model), true);
    EXPECT_EQ(out.format, "PNG");
    return out.warnings;
  };
  EXPECT_THAT(
      warnings(kColor, "Display P3"),
      ElementsAre("wood.psd: PSD profile: found the profile \"Display P3\"; it is not applied, and the texels are "
                  "used as sRGB; convert the picture to sRGB; if it looks right already, save it without the "
                  "profile or gamma"));
  EXPECT_THAT(warnings(kColor, "sRGB"), IsEmpty());
  EXPECT_THAT(warnings(kData, "Display P3"), IsEmpty());
}

TEST(Embed, one_line_says_it_of_all_pictures_alike) {
  importer::Imported model;
  for (int i = 0; i < 3; ++i)
    model.scene.images.push_back(
        {"t" + std::to_string(i), {}, ktx2_file(texture_of(TexelFormat::kBc7, ktx2::Transfer::kSrgb, 8))});
  embed_images(model, true);
  ASSERT_EQ(model.warnings.size(), 1u);
  EXPECT_EQ(model.warnings[0].to_string(),
            "t0: the texture is bc7, which KHR_texture_basisu does not allow; it and 2 more are written as PNG; build "
            "it with texture.format: uastc");
}

TEST(Embed, a_picture_that_cannot_be_had_leaves_the_material) {
  importer::Imported model;
  model.scene.images.push_back({"t.ktx2", {}, Bytes(ByteVector(100))});
  model.scene.materials.emplace_back();
  model.scene.materials[0].normal_texture.image = 0;
  embed_images(model, true);
  EXPECT_EQ(model.scene.materials[0].normal_texture.image, scene::kNone);
  EXPECT_EQ(model.warnings.size(), 1u);
}

// Image 0 is missing, so image 1 becomes image 0.
TEST(Embed, textures_of_extensions_follow_their_pictures) {
  importer::Imported model;
  model.scene.images.resize(1);
  model.scene.images.push_back({"t.ktx2", {}, ktx2_file(texture_of(TexelFormat::kUastc, ktx2::Transfer::kSrgb, 8))});
  model.scene.materials.emplace_back();
  model.scene.materials[0].textures = {{"ClearcoatTex", scene::TextureUsage::kLinear, use_of(0)},
                                       {"SheenColorTex", scene::TextureUsage::kColor, use_of(1)}};
  embed_images(model, true);
  EXPECT_EQ(model.scene.materials[0].textures[0].use.image, scene::kNone);
  EXPECT_EQ(model.scene.materials[0].textures[1].use.image, 0u);
  const auto glb = exporter::write_glb(model.scene);
  EXPECT_TRUE(glb) << glb.error().to_string();
}

// The result for one picture that only an extension uses.
Outcome embed_named(const ktx2::Texture& texture, scene::TextureUsage usage, bool keep, Bytes* bytes = nullptr) {
  importer::Imported model;
  model.scene.images.push_back({"t.ktx2", {}, ktx2_file(texture)});
  model.scene.materials.emplace_back();
  model.scene.materials[0].textures = {{"ClearcoatNormalTex", usage, use_of(0)}};
  return embed(std::move(model), keep, bytes);
}

TEST(Embed, uses_by_extensions_count) {
  using ktx2::Transfer;
  using scene::TextureUsage;
  ktx2::Texture normals = texture_of(TexelFormat::kUastc, Transfer::kLinear, 8);
  normals.channels = UastcChannels::kRg;
  EXPECT_THAT(embed_named(normals, TextureUsage::kNormal, true).warnings,
              ElementsAre(HasSubstr("is a normal map without Z")));
  EXPECT_THAT(embed_named(texture_of(TexelFormat::kUastc, Transfer::kLinear, 8), TextureUsage::kColor, true).warnings,
              ElementsAre(HasSubstr("is color that is not sRGB of BT.709")));
  EXPECT_THAT(embed_named(texture_of(TexelFormat::kUastc, Transfer::kSrgb, 8), TextureUsage::kLinear, true).warnings,
              ElementsAre(HasSubstr("is data that is not linear")));
  // As PNG, a normal map gets its Z.
  const ktx2::Texture pair = texture_of(TexelFormat::kBc5, Transfer::kLinear, 8);
  Bytes of_extension, of_material, of_data;
  embed_named(pair, TextureUsage::kNormal, false, &of_extension);
  embed(pair, kNormal, false, &of_material);
  embed_named(pair, TextureUsage::kLinear, false, &of_data);
  EXPECT_TRUE(std::ranges::equal(of_extension.span(), of_material.span()));
  EXPECT_FALSE(std::ranges::equal(of_extension.span(), of_data.span()));
}

}  // namespace
}  // namespace assetc::convert
