#include "scene/texture_usage.hpp"

#include <gtest/gtest.h>

namespace assetc::scene {
namespace {

TEST(TextureUsage, every_usage_has_one_name) {
  for (const TextureUsageName& row : kTextureUsageNames) {
    EXPECT_EQ(to_string(row.value), row.name);
    EXPECT_EQ(parse_usage(row.name), row.value);
  }
  EXPECT_EQ(parse_usage("bump"), std::nullopt);
  EXPECT_EQ(parse_usage(""), std::nullopt);
}

TEST(TextureUsage, what_a_texture_says_of_itself_is_no_setting) {
  EXPECT_EQ(parse_usage("auto", kSettingUsages), TextureUsage::kAuto);
  EXPECT_EQ(parse_usage("lut", kSettingUsages), TextureUsage::kLut);
  EXPECT_EQ(parse_usage("copy", kSettingUsages), std::nullopt);
}

TEST(TextureUsage, pictures_are_compiled_for_what_somebody_said) {
  EXPECT_EQ(parse_usage("auto", kPictureUsages), std::nullopt);
  EXPECT_EQ(parse_usage("copy", kPictureUsages), std::nullopt);
  EXPECT_EQ(parse_usage("color", kPictureUsages), TextureUsage::kColor);
  EXPECT_EQ(parse_usage("lut", kPictureUsages), TextureUsage::kLut);
}

}  // namespace
}  // namespace assetc::scene
