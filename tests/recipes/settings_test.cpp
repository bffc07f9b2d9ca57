#include "recipes/settings.hpp"

#include <gtest/gtest.h>

namespace assetc::recipes {
namespace {

TEST(Settings, every_field_takes_back_what_it_prints) {
  for (const SettingField& field : setting_fields()) {
    Settings settings;
    const std::string before = field.get(settings);
    ASSERT_TRUE(field.set(settings, before)) << field.key;
    EXPECT_EQ(field.get(settings), before) << field.key;
  }
}

TEST(Settings, a_wrong_value_says_what_is_accepted_and_changes_nothing) {
  Settings settings;
  const auto result = find_setting("texture.quality")->set(settings, "ultra");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().to_string(), "texture.quality: found \"ultra\", expected fast, normal or best");
  EXPECT_EQ(settings.texture.quality, TextureQuality::kNormal);
  EXPECT_FALSE(find_setting("mesh.lods")->set(settings, "9"));
  EXPECT_FALSE(find_setting("mesh.lods")->set(settings, "1x"));
  EXPECT_FALSE(find_setting("mesh.lod_ratio")->set(settings, "nan"));
}

TEST(Settings, canonical_text_holds_only_the_groups_asked_for) {
  const std::string_view groups[] = {"shader"};
  EXPECT_EQ(canonical_settings({}, groups), "shader.optimize=true\nshader.debug=false\nshader.target=vulkan1.2\n");
}

}  // namespace
}  // namespace assetc::recipes
